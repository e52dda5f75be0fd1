"""The manual provider: prompts and answers as files."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from eurisko.agents.models import Budget, BudgetExhausted, Message, ModelRequest, open_gateway
from eurisko.agents.models.errors import GatewayClosed, ManualFolderError
from eurisko.agents.models.providers.manual import ManualProvider, Patience, file_stem
from eurisko.agents.models.providers.open_files import being_written


def wait_for(condition, seconds=20):
    """Wait until ``condition`` holds; fail after ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_prompt_and_answer(question, tmp_path):
    """The prompt is a plain file named by the key; the answer file's text is the reply."""
    folder = tmp_path / "desk"
    with open_gateway(f"manual:{folder}") as gateway, ThreadPoolExecutor() as pool:
        reply = pool.submit(gateway.ask, question("g3/e1/5/0", text="Design.\n"))
        prompt = folder / "g3-e1-5-0.prompt.md"
        wait_for(prompt.exists)
        assert prompt.read_text() == "Design.\n"
        (folder / "g3-e1-5-0.answer.md").write_text("{Idea}\nÄnderung", encoding="utf-8-sig")
        found = reply.result(timeout=20)
    assert found.text == "{Idea}\nÄnderung"
    assert found.usd is None
    assert found.model == f"manual:{folder}"


def test_several_prompts_are_open_at_once(question, tmp_path):
    """All places show their prompts before any answer comes, and answers come in any order."""
    with (
        open_gateway(f"manual:{tmp_path}", concurrency=3) as gateway,
        ThreadPoolExecutor(3) as pool,
    ):
        asked = [pool.submit(gateway.ask, question(f"k{n}")) for n in range(3)]
        wait_for(lambda: len(list(tmp_path.glob("*.prompt.md"))) == 3)
        for n in (2, 0, 1):
            temporary = tmp_path / f"new{n}"
            temporary.write_text(f"answer {n}")
            temporary.rename(tmp_path / f"k{n}.answer.md")
        answers = [call.result(timeout=20).text for call in asked]
    assert answers == ["answer 0", "answer 1", "answer 2"]


def test_a_conversation_becomes_one_text(tmp_path):
    """Several messages are shown under headings, so that all can be pasted elsewhere."""
    messages = (Message("user", "First"), Message("assistant", "Bad"), Message("user", "Again"))
    (tmp_path / "k.answer.md").write_text("ok")
    with open_gateway(f"manual:{tmp_path}") as gateway:
        gateway.ask(ModelRequest("k", "heuristic", messages))
    text = (tmp_path / "k.prompt.md").read_text()
    assert text.index("First") < text.index("Your earlier answer") < text.index("Again")


def test_a_resumed_run_uses_the_answers_there(question, tmp_path):
    """An answer that was written while nobody waited is taken at once."""
    for attempt in range(2):
        with open_gateway(f"manual:{tmp_path}") as gateway:
            if attempt == 0:
                threading.Timer(0.2, gateway.close).start()
                with pytest.raises(GatewayClosed, match=r"k1\.answer\.md"):
                    gateway.ask(question("k1"))
                (tmp_path / "k1.answer.md").write_text("written later")
            else:
                assert gateway.ask(question("k1")).text == "written later"


def test_another_runs_prompt(question, tmp_path):
    """A folder that holds another prompt under the key is refused; no wrong answer is taken."""
    (tmp_path / "k.prompt.md").write_text("Another prompt.\n")
    (tmp_path / "k.answer.md").write_text("Another answer.")
    with (
        open_gateway(f"manual:{tmp_path}") as gateway,
        pytest.raises(ManualFolderError, match="another run"),
    ):
        gateway.ask(question("k"))


def test_a_half_written_answer_is_not_taken(question, tmp_path):
    """While a writer has the file open or still adds to it, the answer is not complete."""
    patience = Patience(settle_s=0.1)
    provider = ManualProvider(tmp_path, patience=patience)
    writer = (
        "import sys, time\n"
        "out = open(sys.argv[1], 'w')\n"
        "for part in ('first ', 'second ', 'third'):\n"
        "    out.write(part); out.flush(); time.sleep(0.5)\n"
    )
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(provider.complete, question("k"))
        wait_for((tmp_path / "k.prompt.md").exists)
        if being_written(tmp_path / "k.prompt.md") is None:
            pytest.skip("this file system cannot tell whether a file is being written")
        subprocess.run([sys.executable, "-c", writer, tmp_path / "k.answer.md"], check=True)
        assert reply.result(timeout=20).text == "first second third"


def test_without_leases_an_answer_must_stand_still_longer(question, tmp_path, monkeypatch):
    """Where the file system cannot tell, a pause of the writer is sat out."""
    monkeypatch.setattr("eurisko.agents.models.providers.manual.being_written", lambda path: None)
    provider = ManualProvider(tmp_path, patience=Patience(settle_s=0.05, settle_unsure_s=0.8))
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(provider.complete, question("k"))
        answer = tmp_path / "k.answer.md"
        answer.write_text("half")
        time.sleep(0.3)
        answer.write_text("half and half")
        assert reply.result(timeout=20).text == "half and half"


def test_an_empty_answer_is_waited_for(question, tmp_path):
    """A file made with touch, or of blanks, is no answer yet."""
    answer = tmp_path / "k.answer.md"
    answer.write_text("  \n")
    os.utime(answer, (1, 1))
    provider = ManualProvider(tmp_path)
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(provider.complete, question("k"))
        time.sleep(0.3)
        assert not reply.done()
        answer.write_text("now")
        assert reply.result(timeout=20).text == "now"


def test_a_time_budget_ends_the_waiting(question, tmp_path):
    """A run with a time budget does not wait for a person beyond it."""
    with (
        open_gateway(f"manual:{tmp_path}", budget=Budget(seconds=0.3)) as gateway,
        pytest.raises(BudgetExhausted, match="seconds"),
    ):
        gateway.ask(question("k"))


def test_a_folder_that_is_a_file(tmp_path):
    """A path that cannot be a folder is refused when it is opened."""
    (tmp_path / "x").write_text("")
    with pytest.raises(ManualFolderError, match="cannot be made"):
        open_gateway(f"manual:{tmp_path / 'x'}")


def test_file_names():
    """Different keys never share a file, and no key leaves the folder."""
    keys = ["a/b", "a-b", "a b", "../x", "..", "/etc/passwd", "ä", "ö", "x" * 300, "x" * 301, ".h"]
    stems = [file_stem(key) for key in keys]
    assert len(set(stems)) == len(keys)
    assert all("/" not in stem and not stem.startswith(".") and len(stem) < 200 for stem in stems)
    assert file_stem("g3/e1/5/0") == "g3-e1-5-0"


def test_asking_for_a_lease_never_kills_us(tmp_path):
    """A writer that opens the file at the very moment of the question does no harm."""
    asker = (
        "import sys, time, pathlib\n"
        "from eurisko.agents.models.providers.open_files import being_written\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "end = time.monotonic() + 1.5\n"
        "while time.monotonic() < end:\n"
        "    being_written(path)\n"
        "print('alive')\n"
    )
    path = tmp_path / "x"
    path.write_text("x")
    command = [sys.executable, "-c", asker, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            path.open("a").close()
        assert process.stdout is not None
        assert (process.stdout.read().strip(), process.returncode) == ("alive", 0)
