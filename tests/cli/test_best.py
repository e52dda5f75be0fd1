"""``eurisko best`` as a user asks it."""

import json
from pathlib import Path

import pytest
from support.long_run import long_run
from typer.testing import CliRunner

from eurisko.cli.main import app
from eurisko.knowledge_base import KnowledgeBase


def test_best_heuristics_of_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, with run and candidate; nothing known and wrong names are said in a sentence."""
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'kb.db'}")
    with KnowledgeBase() as base:
        run = long_run(base, 60, tmp_path, code=100)

    def ask(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, ["best", *arguments])
        return result.exit_code, result.stdout, result.stderr

    code, out, _ = ask("tsp_construct", "--split", "search", "--limit", "5", "--json")
    (rows,) = json.loads(out)["datasets"].values()
    values = [one["objective"] for one in rows]
    assert code == 0 and len(rows) == 5 and values == sorted(values)
    assert all(one["run_id"] == run for one in rows)
    code, out, _ = ask("tsp_construct", "--split", "search")
    assert code == 0 and run in out and f"{values[0]:.4g}" in out
    code, out, _ = ask("tsp_construct")
    assert code == 0 and "nothing was evaluated on it yet" in out
    code, _, said = ask("tsp_construct", "--split", "tset")
    assert code == 1 and "search, validation, test" in said
    code, _, said = ask("no_such_problem")
    assert code == 1 and "no_such_problem" in said
