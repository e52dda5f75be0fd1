"""A run whose knowledge base and checkpoints are on PostgreSQL: killed, resumed, moved to a file."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.postgres import PostgresServer
from support.runs import cli, cli_environment, comparable, digest

from eurisko.agents.checkpoints import forget, open_checkpointer
from eurisko.agents.evolution import summarise
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase, KnowledgeBaseError
from eurisko.knowledge_base.engine import database_url

EVOLVE = ["evolve", "job_shop", "-g", "1", "-p", "2", "-s", "11", "--json", "--quiet", "--no-tune"]


def outcome(url: str) -> tuple[list[Any], dict[str, Any]]:
    """Return all that the only run of a knowledge base made and reports."""
    with KnowledgeBase(url) as base:
        (run,) = base.runs()
        report = summarise(base, run, get_problem(run.problem)).to_json()
        return digest(base, run.id), comparable(report)


def count(base: KnowledgeBase) -> int:
    """Count the candidates of the only run, if there is one yet."""
    runs = base.runs()
    return base.count_candidates(runs[0].id) if runs else 0


@pytest.mark.slow
def test_a_killed_run_goes_on_there_and_in_a_copy(postgres_url: str, tmp_path: Path) -> None:
    """SIGKILL; copied as it stands; both ends are that of an undisturbed run on SQLite."""
    cli(EVOLVE, tmp_path)
    whole = outcome(f"sqlite:///{tmp_path / 'kb.db'}")
    process = subprocess.Popen(
        [sys.executable, "-m", "eurisko", *EVOLVE],
        cwd=tmp_path,
        env=cli_environment(tmp_path, EURISKO_DATABASE_URL=postgres_url),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    with KnowledgeBase(postgres_url) as base:
        while count(base) < 8 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    moved = f"sqlite:///{tmp_path / 'moved.db'}"
    cli(["db", "copy", postgres_url, moved, "--quiet"], tmp_path)
    with KnowledgeBase(moved) as base:
        assert 0 < count(base) < len(whole[0]) and base.get_run("last").status == "running"
    with open_checkpointer(database_url(moved)) as saver:
        assert len(list(saver.list(None))) == 1
    for url in (postgres_url, moved):
        done = cli(["resume", "last", "--json", "--quiet"], tmp_path, EURISKO_DATABASE_URL=url)
        assert json.loads(done.stdout)["status"] == "finished"
        assert outcome(url) == whole
        with KnowledgeBase(url) as base, open_checkpointer(base.url) as saver:
            assert list(saver.list(None))
            forget(base.url, [base.get_run("last").id])
        with open_checkpointer(database_url(url)) as saver:
            assert not list(saver.list(None))


def test_a_server_that_goes_away_is_a_sentence(postgres: PostgresServer) -> None:
    """Checkpoints cannot be opened: what the user reads names the server, and no password."""
    url = database_url(postgres.url("absent", "eurisko", "hunter2"))
    with (
        pytest.raises(KnowledgeBaseError, match="no database 'absent'") as caught,
        open_checkpointer(url),
    ):
        pass
    assert "hunter2" not in str(caught.value)
