"""``eurisko batch`` as a user runs it: killed, interrupted and gone on with, nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eurisko.cli.main import app
from eurisko.knowledge_base import KnowledgeBase

JOB = """
name: shops
problems:
  - {name: job_shop, datasets: [search], programs: [{seed: true}]}
  - {name: flow_shop, datasets: [taillard-20x5], programs: [{seed: true}]}
seeds: [0, 1, 2, 3, 4, 5]
"""
ITEMS = 24


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command as a process of its own."""
    command = [sys.executable, "-c", "from eurisko.cli.main import main; main()", "batch"]
    environment = {**os.environ, "EURISKO_DATABASE_URL": f"sqlite:///{folder / 'kb.db'}"}
    return subprocess.Popen(
        [*command, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done(folder: Path) -> int:
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        jobs = base.jobs.all()
        return base.jobs.counts(jobs[0].id).get("done", 0) if jobs else 0


def wait_for(folder: Path, count: int, process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + 120
    while done(folder) < count and process.poll() is None:
        assert time.monotonic() < until, "the job makes no progress"
        time.sleep(0.05)


def found(folder: Path) -> list[tuple[Any, ...]]:
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        return [
            (item.number, item.status, e and (e.outcome, e.objective, e.gaps))
            for item, e in base.jobs.rows(base.jobs.get("last").id)
        ]


@pytest.mark.slow
def test_a_job_that_is_killed_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    """SIGKILL once, Ctrl-C once, then to the end: item by item the same results."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
        (folder / "jobs.yaml").write_text(JOB)
    undisturbed = start(whole, "jobs.yaml", "--workers", "2", "--json")
    out, _ = undisturbed.communicate(timeout=240)
    assert undisturbed.returncode == 0 and json.loads(out)["done"] == ITEMS
    process = start(broken, "jobs.yaml", "--workers", "2")
    for count, number in ((3, signal.SIGKILL), (10, signal.SIGINT)):
        wait_for(broken, count, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        if number is signal.SIGINT and process.returncode == 130:
            assert "eurisko batch resume shops-" in said
        process = start(broken, "resume", "--workers", "2", "--json")
    out, _ = process.communicate(timeout=240)
    assert process.returncode == 0 and json.loads(out)["done"] == ITEMS
    assert found(broken) == found(whole)
    with KnowledgeBase(f"sqlite:///{broken / 'kb.db'}") as base:
        assert base.jobs.workers(base.jobs.get("last").id) == []


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["batch", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_what_can_be_asked_of_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dry run, status, results in every form, cancel; all without evaluating anything."""
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'kb.db'}")
    path = tmp_path / "jobs.yaml"
    path.write_text(JOB)
    assert "There are no jobs yet" in run("status")[1]
    code, out, _ = run(str(path), "--dry-run", "--json")
    plan = json.loads(out)
    assert code == 0 and (plan["items"], plan["known"], plan["programs"]) == (ITEMS, 0, 4)
    assert "24 items, 0 of them known already" in run("--dry-run", str(path))[1]
    from eurisko.agents.batch import create_job
    from eurisko.agents.batch import plan as expand

    with KnowledgeBase() as base:
        name = create_job(*expand(path, base), base).id
    state = json.loads(run("status", "shops", "--json")[1])
    assert (state["job"], state["pending"], state["status"]) == (name, ITEMS, "open")
    assert name in run("status")[1]
    assert "## job_shop" in run("results")[1]
    for ending in ("csv", "md", "html"):
        target = tmp_path / f"a.{ending}"
        assert run("results", "last", "-o", str(target))[0] == 0
        assert "seed (job_shop, batched)" in target.read_text()
    code, _, said = run("results", "last", "-o", str(tmp_path / "a.xls"))
    assert code == 1 and ".parquet" in said
    assert len(json.loads(run("results", "--json")[1])["records"]) == ITEMS
    assert run("cancel", name)[0] == 0
    code, _, said = run("resume", name)
    assert code == 1 and "was cancelled" in said
    code, _, said = run("status", "nothing")
    assert code == 1 and "There is no job" in said
    code, _, said = run(str(tmp_path / "none.yaml"))
    assert code == 1 and "Cannot read" in said
