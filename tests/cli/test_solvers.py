"""``eurisko solvers`` as a user runs it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from afl_instance import ROUND, SMALL
from afl_script import Modeller, parts
from scripted_endpoint import ScriptedEndpoint
from typer.testing import CliRunner

from eurisko.agents.routing.creation import CreateBudgets, CreateSettings, create_solver
from eurisko.cli.main import app

SOLVER = Path(__file__).parents[2] / "examples" / "solvers" / "ocvrpltw.py"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["solvers", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
def test_a_solver_of_ones_own_is_added_shown_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verified, listed, shown, and written as a program that runs without Eurisko."""
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'kb.db'}")
    right, wrong = tmp_path / "round.vrp", tmp_path / "small.vrp"
    right.write_text(ROUND)
    wrong.write_text(SMALL)
    assert "No solver is remembered yet" in run()[1]
    code, _, said = run("add", str(SOLVER), "--for", str(wrong), "--seconds", "0.2")
    assert code == 1 and "not accepted" in said
    code, out, _ = run("add", str(SOLVER), "--for", str(right), "--seconds", "0.2", "--json")
    assert code == 0
    name = json.loads(out)["solver"]
    assert name in run()[1] and "time_windows" in run()[1]
    code, out, _ = run("show", "last", "--json")
    assert json.loads(out)["code"] == SOLVER.read_text()
    assert "def solve(" in run("show", name[:6])[1]
    program = tmp_path / "program.py"
    assert run("export", name, str(program))[0] == 0
    command = [sys.executable, str(program), "--path", str(right), "--seconds", "0.2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert json.loads(done.stdout)["routes"]
    code, _, said = run("show", "nothing")
    assert code == 1 and "eurisko solvers" in said


def test_a_creation_is_listed_shown_resumed_and_recorded(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripted_endpoint: "Callable[[Any], ScriptedEndpoint]",
) -> None:
    """A run that a budget ended is shown as it is, gone on with, and its calls written to a file."""
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'kb.db'}")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    endpoint = scripted_endpoint(Modeller(parts(SOLVER.read_text())))
    (tmp_path / "round.vrp").write_text(ROUND)
    settings = CreateSettings(
        model="openai/scripted",
        base_url=endpoint.base_url,
        runs_folder=tmp_path,
        seconds=0.2,
        judge=False,
        budgets=CreateBudgets(calls=4),
    )
    created = create_solver(tmp_path / "round.vrp", settings)
    assert not created.code
    shown = CliRunner().invoke(app, ["show", created.run])
    assert "4 calls" in shown.stdout and "not all written" in shown.stdout
    assert created.run in CliRunner().invoke(app, ["runs", "--json"]).stdout
    went_on = CliRunner().invoke(app, ["resume", created.run, "--budget-calls", "20", "--json"])
    assert json.loads(went_on.stdout)["passed"]
    shown = CliRunner().invoke(app, ["show", "last"])
    assert "accepted" in shown.stdout and "9 calls" in shown.stdout
    calls = tmp_path / "calls.jsonl"
    assert CliRunner().invoke(app, ["export", "last", "--recording", str(calls)]).exit_code == 0
    assert calls.stat().st_size > 5000
    again = CliRunner().invoke(app, ["resume", "last"])
    assert again.exit_code == 1 and "is finished" in again.stderr
    page = CliRunner().invoke(app, ["report", "last"])
    assert page.exit_code == 1 and "has no page" in page.stderr
