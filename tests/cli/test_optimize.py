"""``eurisko optimize``: sentences for errors, JSON, ask and tell, and runs among other commands."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from eurisko.cli.main import app

SPACE = "parameters:\n- {name: x, type: integer, low: 1, high: 6}\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a command in this process, in an empty folder with nothing configured."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("EURISKO_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    (tmp_path / "space.yaml").write_text(SPACE)
    (tmp_path / "own.py").write_text("def objective(x):\n    return (x - 4) ** 2\n")

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    return call


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["brannin"], ["did you mean branin"]),
        (["own.py"], ["--space FILE"]),
        (["own.py", "--space", "no.yaml"], ["no.yaml", "cannot be read"]),
        (["missing.py", "--space", "space.yaml"], ["missing.py", "cannot be read"]),
        (["branin", "--strategist", "rulez"], ["did you mean rules"]),
        (["branin", "--strategist", "lmabo"], ["--model"]),
        (["branin", "--arms", "LogEX"], ["LogEI"]),
        (["branin", "--surrogate", "x"], ["matern"]),
        (["branin", "-n", "0"], ["budget"]),
        (["ask"], ["--study"]),
        (["ask", "--study", "new"], ["--space FILE"]),
        (["tell", "--study", "new"], ["--number", "--failed"]),
        (["--space", "space.yaml", "--", "echo", "{z}"], ["{z}"]),
    ],
)
def test_errors_are_one_sentence(run, arguments: list[str], words: list[str]) -> None:
    """What cannot work is told in one sentence that says what to do."""
    result = run("optimize", *arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    for word in words:
        assert word in last
    assert "Option settings" not in last  # there is no such option
    assert "saved" not in last  # nothing was begun


def test_command_run_and_what_shows_it(run) -> None:
    """A command is optimised, printed as JSON, listed and shown, and not resumed or exported."""
    script = "import sys; print((int(sys.argv[1]) - 4) ** 2)"
    done = run(
        *("optimize", "--space", "space.yaml", "-n", "4", "--maximise", "--json", "--quiet"),
        *("--", "python3", "-c", script, "{x}"),
    )
    report = json.loads(done.stdout)
    assert (report["status"], report["minimise"], len(report["trials"])) == (
        "finished",
        False,
        4,
    )
    assert report["value"] == max((t["point"]["x"] - 4) ** 2 for t in report["trials"])
    listed = json.loads(run("runs", "--json").stdout)["runs"]
    assert [one["id"] for one in listed] == [report["run"]]
    assert "value" in run("runs").stdout
    assert json.loads(run("show", "last", "--json").stdout)["trials"] == report["trials"]
    assert "greatest value" in run("show", "last").stdout
    assert "is finished" in run("resume", "last").stderr
    assert "evolved no heuristic" in run("export", "last", "-o", "x.py").stderr
    page = Path(json.loads(run("report", "last", "--json").stdout)["path"])
    assert "optimisation report" in page.read_text()
    assert Path(report["folder"], "convergence.png").exists()


def test_ask_and_tell(run) -> None:
    """Another program begins a study, gets points, tells values and failures, and is kept in budget."""
    begun = run(
        *("optimize", "ask", "--study", "s", "--space", "space.yaml", "-n", "2", "--count", "5"),
        "--json",
    )
    trials = json.loads(begun.stdout)["trials"]
    assert [one["number"] for one in trials] == [1, 2]
    assert "used up" in run("optimize", "ask", "--study", "s").stderr
    tell = ("optimize", "tell", "--study", "s", "--number")
    assert json.loads(run(*tell, "2", "--value", "7.5", "--json").stdout)["best"] == 7.5
    assert "failed" in run(*tell, "1", "--failed", "it broke").stdout
    assert "has a result already" in run(*tell, "2", "--value", "8").stderr
    assert "no trial 9" in run(*tell, "9", "--value", "8").stderr
    shown = json.loads(run("show", "last", "--json").stdout)
    assert (shown["status"], shown["failed"]) == ("finished", 1)
    assert shown["trials"][0]["message"] == "it broke"


def test_an_evolved_arm_from_the_command_line(run) -> None:
    """--arm NAME=RUN takes the best of a run, --strategist static:NAME uses it alone."""
    from eurisko.knowledge_base import KnowledgeBase

    missing = run("optimize", "branin", "--arm", "Mine=nothing")
    assert missing.exit_code == 1 and "no run 'nothing'" in missing.stderr
    fields = {"problem_version": "1", "interface": "batched", "proposer": "offline", "seed": 0}
    with KnowledgeBase() as base:
        evolved = base.create_run(
            workflow="evolve", problem="acquisition", config={}, folder="", version="0", **fields
        )
        code = "def utility(mean, std, best, remaining, dimension, count):\n    return std - mean\n"
        row = {"run_id": evolved.id, "key": "a", "generation": 0, "operator": "i1", "slot": 0}
        (best,) = base.add_candidates([{**row, "thought": "Low.", "code": code, "hash": "h"}])
        base.update_run(evolved.id, status="finished", result={"best": best.id})
    name = f"--arm=Mine={evolved.id}"
    done = run("optimize", "branin", name, "--strategist", "static:Mine", "-n", "7", "--json", "-q")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["arms"] == {"Mine": 2}
