"""``eurisko db`` as a user runs it, on both databases."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.long_run import long_run
from support.rows import RUN, key, result
from typer.testing import CliRunner

from eurisko.cli.main import app
from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.engine import HEAD

Make = Callable[[str], str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a caller of the command line on a database."""

    def call(url: str, *arguments: str, fails: bool = False) -> Any:
        monkeypatch.setenv("EURISKO_DATABASE_URL", url)
        answer = CliRunner().invoke(app, list(arguments))
        assert (answer.exit_code != 0) == fails, answer.output
        return answer

    return call


def test_an_empty_server_is_upgraded(run: Callable[..., Any], postgres_empty_url: str) -> None:
    """Status before, a command that refuses, upgrade, status after, the command that now works."""
    before = json.loads(run(postgres_empty_url, "db", "status", "--json").stdout)
    assert (before["schema"], before["rows"], before["backend"]) == (None, {}, "postgresql")
    assert "eurisko db upgrade" in run(postgres_empty_url, "runs", fails=True).stderr
    assert f"none → {HEAD}" in run(postgres_empty_url, "db", "upgrade").stdout
    assert f"{HEAD} → {HEAD}" in run(postgres_empty_url, "db", "upgrade").stdout
    after = json.loads(run(postgres_empty_url, "db", "status", "--json").stdout)
    assert after["schema"] == HEAD and set(after["rows"].values()) == {0}
    assert "no runs yet" in run(postgres_empty_url, "runs").stdout


def test_status_for_people(run: Callable[..., Any], each_url: str) -> None:
    """Database, schema, size and rows are named."""
    with KnowledgeBase(each_url) as base:
        base.create_run(**RUN)
    shown = run(each_url, "db", "status").stdout
    assert f"schema {HEAD}" in shown and " MB" in shown
    (line,) = [one for one in shown.splitlines() if one.split()[:1] == ["run"]]
    assert line.split() == ["run", "1"]


def test_there_and_back(run: Callable[..., Any], fresh_url: Make, tmp_path: Path) -> None:
    """From SQLite to a server and back into a file that is not there yet: equal digests."""
    here, server = fresh_url("sqlite"), fresh_url("postgresql")
    back = f"sqlite:///{tmp_path / 'back.db'}"
    with KnowledgeBase(here) as base:
        name = long_run(base, 40, tmp_path, code=50)
    there = json.loads(run(here, "db", "copy", here, server, "--json").stdout)
    assert "digests agree" in run(here, "db", "copy", server, back).stdout
    again = json.loads(run(here, "db", "copy", back, fresh_url("sqlite"), "--json").stdout)
    assert (
        there == again
        and {"candidate": 40}.items()
        <= {one["table"]: one["rows"] for one in there["tables"]}.items()
    )
    with KnowledgeBase(back) as base:
        assert base.get_run("last").id == name
    assert "is not empty" in run(here, "db", "copy", here, back, fails=True).stderr
    assert "same database" in run(here, "db", "copy", here, here, fails=True).stderr
    missing = f"sqlite:///{tmp_path / 'missing.db'}"
    assert "no knowledge base" in run(here, "db", "copy", missing, back, fails=True).stderr
    assert not (tmp_path / "missing.db").exists()


def test_a_dry_run_changes_nothing(run: Callable[..., Any], fresh_url: Make) -> None:
    """What would go is printed; then it goes, and a second time there is nothing left."""
    url = fresh_url("sqlite")
    with KnowledgeBase(url) as base:
        base.add_evaluation(key(), result())
    command = ["db", "prune", "--older-than", "0", "--json"]
    planned = json.loads(run(url, *command, "--dry-run").stdout)
    done = json.loads(run(url, *command).stdout)
    assert planned == {**done, "dry_run": True} and done["evaluations"] == 1
    assert "values of 0 evaluations" in run(url, "db", "prune", "--older-than", "0").stdout
    assert "in 0 runs" in run(url, "db", "prune", "--dry-run").stdout
