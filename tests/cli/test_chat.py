"""``eurisko chat`` as a process of its own, its lines from a pipe."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.runs import cli_environment
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import RoutingSession
from eurisko.agents.routing.session.explaining import Way, Why
from eurisko.cli.chat_desk import Desk
from eurisko.cli.chat_talk import Talk
from eurisko.evaluators.routing.explain import Explanation

VANS = {
    "name": "two vans",
    "nodes": [
        {"id": "depot", "kind": "depot", "x": 0, "y": 0, "windows": [[480, 1080]]},
        {"id": "bakery", "x": 3, "y": 4, "delivery": 2, "service": 10},
        {"id": "workshop", "x": 8, "y": 1, "delivery": 1},
        {"id": "school", "x": 2, "y": 9, "delivery": 1},
    ],
    "vehicles": [{"name": "van", "count": 2, "capacity": 3, "shift": [480, 900]}],
    "units": {"distance": "km", "time": "min", "load": "crates"},
}


@pytest.fixture
def vans(tmp_path: Path) -> Path:
    """A small problem with names, units and windows."""
    path = tmp_path / "vans.json"
    path.write_text(json.dumps(VANS))
    return path


def chat(folder: Path, lines: list[str], *arguments: str) -> str:
    """Run a conversation; return what it shows."""
    result = subprocess.run(
        [sys.executable, "-m", "eurisko", "chat", *arguments],
        cwd=folder,
        env=cli_environment(folder, XDG_STATE_HOME=str(folder / "state")),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def after(output: str, line: str) -> str:
    """Return what is shown between a line of the user and the next."""
    return output.split(f"> {line}\n", 1)[1].split("\n> ", 1)[0]


def test_a_conversation(vans: Path, tmp_path: Path) -> None:
    """Analysis, changes by sentence with confirmation, what is unclear, undo; Ctrl-D saves."""
    lines = [
        "no driver over 2 hours",
        "y",
        "bakery and school not together",
        "n",
        "no lorry over 3",
        "open",
        "make it nicer",
        "vehicle capacity is 5 and the sun shines",
        "/undo",
        "/show history",
        "/answer objektive cost",
        "/answer objective vehicles, then cost",
        "/frobnicate",
        "which questions are open?",
        "/load nowhere.vrp",
        "/show slack",
    ]
    shown = chat(tmp_path, lines, str(vans))
    assert "No model is configured" in shown.split("> ")[0]
    assert "two vans  (json)  1 depot, 3 customers" in shown
    assert "Each route lasts at most 120 min (2 h)" in after(shown, "no driver over 2 hours")
    assert "Nothing was changed." in after(shown, "bakery and school not together")
    assert "a duration, a driving time or a length" in after(shown, "no lorry over 3")
    assert "Routes end at their last customer" in after(shown, "open")
    assert "Not understood: 'make it nicer'" in after(shown, "make it nicer")
    assert "'vehicle capacity is 50'" in after(shown, "vehicle capacity is 5 and the sun shines")
    assert "Taken back: Routes end" in after(shown, "/undo")
    history = after(shown, "/show history")
    assert "1. Each route lasts at most 120 min" in history
    assert "2." not in history
    assert "did you mean objective" in after(shown, "/answer objektive cost")
    assert "There is no command /frobnicate" in after(shown, "/frobnicate")
    assert "objective:" not in after(shown, "which questions are open?")
    assert "nowhere.vrp cannot be read" in after(shown, "/load nowhere.vrp")
    assert "There is no plan yet" in after(shown, "/show slack")
    saved = shown.strip().splitlines()[-1]
    assert "go on with: eurisko chat" in saved
    file = Path(saved.rsplit(" ", 1)[1])
    assert file.parent == tmp_path / "state" / "eurisko" / "sessions"
    again = chat(tmp_path, ["/show history", "/quit"], "--last")
    assert "1. Each route lasts at most 120 min" in after(again, "/show history")
    assert sorted(file.parent.iterdir()) == [file]


def test_without_a_problem(vans: Path, tmp_path: Path) -> None:
    """Without a file every command says what to do; a file's name alone loads it."""
    shown = chat(
        tmp_path, ["/show", "at most 2 vehicles", "/help", "vans.json", "at most 2 vehicles"]
    )
    assert "There is no problem yet" in after(shown, "/show")
    assert "There is no problem yet" in after(shown, "at most 2 vehicles")
    assert "/export" in after(shown, "/help")
    assert "two vans" in after(shown, "vans.json")


def test_what_waits_for_a_unit_is_taken_up(vans: Path, tmp_path: Path) -> None:
    """Hours mean nothing in a file without units; once these are said, the sentence is read."""
    without = {key: value for key, value in VANS.items() if key != "units"}
    vans.write_text(json.dumps(without))
    lines = ["no driver over 9 hours", "times are in minutes", "y", "y", "/show history"]
    shown = chat(tmp_path, lines, str(vans))
    assert "does not say its unit of time" in after(shown, "no driver over 9 hours")
    assert "Earlier you said: no driver over 9 hours" in after(shown, "times are in minutes")
    assert "2. Each route lasts at most 540 min (9 h)" in after(shown, "/show history")


def test_completion(tmp_path: Path) -> None:
    """Commands, files, questions and their options are completed."""
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from eurisko.cli.chat_input import make_completer

    (tmp_path / "a.vrp").write_text("")
    completer = make_completer(lambda: [("return", ("closed", "open")), ("rounding", ("none",))])

    def completed(text: str) -> list[str]:
        document = Document(text, len(text))
        return [one.text for one in completer.get_completions(document, CompleteEvent())]

    assert completed("/so") == ["/solve"]
    assert completed("/answer r") == ["return", "rounding"]
    assert completed("/answer return o") == ["open"]
    assert completed(f"/load {tmp_path}/") == ["a.vrp"]
    assert completed("at most") == []


def test_a_model_is_asked_and_what_it_says_is_confirmed(vans: Path, tmp_path: Path) -> None:
    """The model's change is shown in words; a refusal leaves the problem as it was."""
    reply = (
        '{"changes": [{"kind": "incompatible", "customers": ["bakery", "school"]}], "say": "So?"}'
    )
    with ScriptedEndpoint([reply]) as endpoint:
        lines = ["bread and children do not mix", "n", "/show history", "at most 1 vehicle", "n"]
        model = ("--model", "openai/scripted", "--base-url", endpoint.base_url)
        shown = chat(tmp_path, lines, str(vans), *model)
        assert len(endpoint.requests) == 1
    said = after(shown, "bread and children do not mix")
    assert "The model says: So?\n  Customers bakery and school are never in one vehicle." in said
    assert "Nothing was changed." in said
    assert "Nothing was changed." in after(shown, "/show history")
    assert "1 calls to openai/scripted, 150 tokens, price unknown" in shown
    assert "the reference solver is the better tool" in shown.split("> ")[0]


SLOW = """
import sys, time
from eurisko.agents.routing.session import Answer, origins
from eurisko.cli.main import main

class Slow:
    name = "reference"

    def solve(self, request):
        request.listener("working")
        time.sleep(60)
        return Answer("slow")

origins.make_sources = lambda *given, **more: (Slow(),)
sys.argv = ["eurisko", "chat", sys.argv[1]]
main()
"""


def test_interrupting_stops_one_step_only(vans: Path, tmp_path: Path) -> None:
    """Ctrl-C while a solver works ends that step; the conversation goes on and is saved.

    Also where Ctrl-C was ignored when the program began, as in the background of a shell.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(vans)],
        cwd=tmp_path,
        env=cli_environment(tmp_path, XDG_STATE_HOME=str(tmp_path / "state")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("solve\n")
    process.stdin.flush()
    for line in process.stdout:
        if "working" in line:
            break
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate("at most 1 vehicle\ny\n/show history\n", timeout=60)
    assert process.returncode == 0
    assert "Stopped; the problem is as it was." in shown
    assert "1. There is one vehicle." in shown
    assert "The session is saved" in shown


def test_a_folder_that_cannot_be_written(vans: Path, tmp_path: Path) -> None:
    """Without a place for sessions the conversation goes on, and says that nothing is saved."""
    (tmp_path / "state").write_text("a file, not a folder")
    shown = chat(tmp_path, ["at most 1 vehicle", "y", "/show history"], str(vans))
    assert "The session cannot be saved" in shown
    assert "error   demand: deliveries of 4 in all exceed the fleet's 3" in shown
    assert "1. There is one vehicle." in after(shown, "/show history")


class Said:
    """The user's lines from a list; what a desk shows goes to a text."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def read(self, prompt: str, *, remember: bool = True) -> str | None:
        return self.lines.pop(0) if self.lines else None


def test_a_way_out_is_taken(
    vans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """/why numbers the ways out; 'take 1' proposes that change; after a change the list is old."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    larger = ANY_CHANGE.validate_python({"kind": "capacity", "capacity": 4})
    ways = (Way("a capacity of 4", 10.0, (larger,)), Way("some other rule", 11.0, ()))
    found = Why(explanation=Explanation(None, True, (), (), ()), ways=ways)
    monkeypatch.setattr(RoutingSession, "why", lambda self, seconds, seed: found)
    desk = Desk()
    talk = Talk(desk, Said("y"))
    desk.begin(vans)
    for line in ("take 1", "why", "take 2", "take 3", "/take one", "take 1", "take 1"):
        assert talk.handle(line)
    shown = capsys.readouterr().out
    assert "No ways out are listed" in shown.split("No plan can keep")[0]
    assert "1. a capacity of 4: cost 10" in shown
    assert "Say this change in your own words: some other rule." in shown
    assert "numbered 1 to 2" in shown
    assert "Say which way out: /take 1." in shown
    assert [step.change for step in desk.problem.data.steps] == [larger]
    assert desk.problem.data.steps[0].said == "take 1"
    assert shown.rstrip().endswith("No ways out are listed for the problem as it stands: /why.")
