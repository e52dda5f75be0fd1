"""``eurisko solvers`` as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from afl_instance import ROUND, SMALL
from typer.testing import CliRunner

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
