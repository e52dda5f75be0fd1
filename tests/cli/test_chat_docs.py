"""docs/chat.md says what happens: its session is replayed, its sentences are read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.runs import cli_environment

from eurisko.agents.routing.interpret import interpret
from eurisko.agents.routing.session import RoutingSession
from eurisko.agents.routing.session.exporting import WRITERS
from eurisko.cli.chat_input import COMMANDS
from eurisko.cli.solve import CONTRADICTION, NO_ANSWER, NO_PLAN, UNCLEAR

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "chat.md").read_text()
QUESTION = "Change it so? [Y/n]"


def masked(text: str, folder: Path) -> list[str]:
    """Lines without what differs from run to run: seconds, folders, how a plan fails."""
    text = text.replace(f"{folder}/state/", "~/.local/state/").replace(f"{folder}/", "")
    text = re.sub(r"its best breaks .*?\)", "its best breaks _)", text)
    text = re.sub(r"\d+\.\d s\b", "_ s", text)
    text = re.sub(r"-\d{8}-\d{6}\.json", "-_.json", text)
    return [line.rstrip() for line in text.strip().splitlines() if line.strip()]


def test_the_session_is_what_happens(tmp_path: Path) -> None:
    """The user's lines of the page, piped, give the page's session."""
    pytest.importorskip("pyvrp")
    block = re.search(r"```console\n\$ eurisko (chat .*?)\n(.*?)```", PAGE, re.S)
    assert block is not None
    lines = [
        line.removeprefix("> ").removeprefix(QUESTION).strip()
        for line in block.group(2).splitlines()
        if line.startswith(("> ", QUESTION))
    ]
    command = [sys.executable, "-m", "eurisko", *block.group(1).split()]
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env=cli_environment(tmp_path, XDG_STATE_HOME=str(tmp_path / "state")),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    assert masked(result.stdout, tmp_path) == masked(block.group(2), tmp_path)


def test_what_can_be_said_is_read() -> None:
    """Every sentence of the table is read, in a problem that has what it speaks of."""
    table = PAGE.split("## What can be said")[1].split("Sentences may")[0]
    rows = re.findall(r"^\| [^|]+ \| (.+) \|$", table, re.M)[1:]
    sentences = [one.strip() for row in rows for one in row.split("·") if "---" not in one]
    assert len(sentences) > 35
    session = RoutingSession.load(ROOT / "docs" / "chat" / "bakery.json")
    for sentence in sentences:
        found = interpret(sentence, session.task)
        needs_pairs = any("no pickup and delivery pairs" in one.why for one in found.unclear)
        assert found.understood or needs_pairs, (sentence, found.unclear)


def test_commands_formats_and_statuses_are_listed() -> None:
    """No command, export format or exit status is missing on the page."""
    for name in (*COMMANDS, *WRITERS):
        assert f"{name}" in PAGE, name
    for code in (NO_ANSWER, NO_PLAN, UNCLEAR, CONTRADICTION):
        assert f"\n| {code} | " in PAGE


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The example prints the sentence and a feasible plan."""
    pytest.importorskip("pyvrp")
    monkeypatch.chdir(ROOT)
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert code is not None
    exec(code.group(1), {})
    printed = capsys.readouterr().out
    assert "Each route lasts at most 180 min (3 h)" in printed
    assert "True (243.0,)" in printed
