"""SIGKILL at random moments: what is resumed ends like an undisturbed run."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from support.models import sometimes_broken
from support.runs import cli, cli_environment, comparable, digest, last_json, learnt
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution import summarise
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase

SMALL = ["-g", "2", "-p", "4", "-s", "11", "--json", "--quiet", "--tune-evaluations", "10"]
OFFLINE = ["evolve", "job_shop", *SMALL]  # the cheapest to evaluate
MODEL = ["evolve", "tsp_construct", *SMALL]  # what the scripted model answers to
KINDS = ("offline", "hifo")
ENOUGH = {"offline": ("evaluation", 110), "hifo": ("model_call", 60)}
"""Moments are counted in rows of this table: about so many are made in a whole run."""


@contextmanager
def started(kind: str) -> Iterator[list[str]]:
    """Yield the command of a run; with a scripted model behind HTTP for ``hifo``."""
    with nullcontext() if kind == "offline" else ScriptedEndpoint(sometimes_broken) as endpoint:
        if endpoint is None:
            yield OFFLINE
        else:
            model = ["--model", "openai/scripted", "--base-url", endpoint.base_url]
            yield [*MODEL, *model, "--strategy", "hifo", "--concurrency", "4"]


def outcome(folder: Path) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    """Return all that the only run in a folder made, learnt and reports."""
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        (run,) = base.runs()
        report = summarise(base, run, get_problem(run.problem)).to_json()
        spent = {name: report[name] for name in ("calls", "tokens")}
        return digest(base, run.id), learnt(report) | spent, comparable(report)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcomes of uninterrupted runs."""
    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp(kind)
        with started(kind) as command:
            cli(command, folder)
        found[kind] = outcome(folder)
    return found


def rows_in(path: Path, table: str) -> int:
    """Count rows without Eurisko's help; none while the file is being made."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5) as connection:
            return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_resumes_to_the_same_end(
    whole: dict[str, Any], tmp_path: Path, kind: str, moment: int
) -> None:
    """Killed twice; programs, lineage, decisions, insights and credit are as without.

    With a model the calls are counted too: what was under way may be asked twice, nothing else.
    """
    rng = random.Random(moment)
    table, most = ENOUGH[kind]
    with started(kind) as command:
        for threshold in sorted(rng.sample(range(1, most), 2)):
            process = subprocess.Popen(
                [sys.executable, "-m", "eurisko", *command],
                cwd=tmp_path,
                env=cli_environment(tmp_path),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.monotonic() + 120
            while process.poll() is None and time.monotonic() < deadline:
                if rows_in(tmp_path / "kb.db", table) >= threshold:
                    time.sleep(rng.random() * 0.05)
                    break
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            command = ["resume", "last", "--json", "--quiet"]
        result = cli(command, tmp_path, check=False)
    assert result.returncode == 0 or "is finished" in result.stderr
    assert outcome(tmp_path) == whole[kind]
    if result.returncode == 0:
        assert comparable(last_json(result.stdout)) == whole[kind][2]
