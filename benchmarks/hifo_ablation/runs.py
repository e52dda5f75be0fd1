"""Doing the runs, one line of a results file for each; what is there already is not done again."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eurisko.agents.evolution import EvolutionSettings, RunReport, evolve, resume
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

from .plan import Job, Plan

Line = dict[str, Any]


class Results:
    """A file of one JSON object per run; a torn last line, of a killed process, does not count."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = []
        if not path.exists():
            return
        text = path.read_text(encoding="utf-8")
        whole, _, torn = text.rpartition("\n")
        self.lines = [json.loads(one) for one in whole.splitlines()]
        if torn:
            path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")

    def find(self, mark: Line) -> Line | None:
        """Return the result of this run, or None."""
        fits = (one for one in self.lines if all(one[key] == mark[key] for key in mark))
        return next(fits, None)

    def add(self, line: Line) -> None:
        """Store a result at once."""
        self.lines.append(line)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def do(
    plan: Plan,
    results: Results,
    folder: Path,
    workers: int,
    tell: Callable[[str], object] = sys.stderr.write,
) -> list[Line]:
    """Do the missing runs of a plan in one sandbox and one knowledge base; return all results.

    A run that an earlier process left unfinished is resumed: no answer of a model is paid twice.
    """
    marks = [(job, plan.mark(job)) for job in plan.jobs()]
    missing = [(job, mark) for job, mark in marks if results.find(mark) is None]
    tell(f"{len(marks)} runs, {len(marks) - len(missing)} of them done already\n")
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with (
        KnowledgeBase(f"sqlite:///{(folder / 'ablation.db').absolute()}") as base,
        Sandbox(workers=workers) as sandbox,
    ):
        for count, (job, mark) in enumerate(missing, 1):
            begun = time.monotonic()
            report = _run(base, sandbox, plan.settings(job, folder, workers))
            results.add({**mark, **_measured(report), "wall_s": time.monotonic() - begun})
            left = (time.monotonic() - started) / count * (len(missing) - count)
            tell(
                f"[{count}/{len(missing)}] {_progress(job, results.lines[-1])}, {left:.0f} s left\n"
            )
    return [line for _, mark in marks if (line := results.find(mark)) is not None]


def _run(base: KnowledgeBase, sandbox: Sandbox, settings: EvolutionSettings) -> RunReport:
    config = settings.model_dump(mode="json")
    for run in base.runs(limit=5):
        if run.status not in ("finished", "stopped") and run.config == config:
            return resume(run.id, base, sandbox=sandbox)
    return evolve(settings, base, sandbox=sandbox)


def _measured(report: RunReport) -> Line:
    """Return what the table is made of; objectives in the problem's unit, None where one failed."""
    return {
        "run": report.run.id,
        "status": report.run.status,
        "search": report.objective,
        "test": _mean([one.objective for one in report.splits["test"]]),
        "sets": {one.dataset: one.objective for one in report.splits["test"]},
        "seed_search": _mean([one.seed_objective for one in report.splits["search"]]),
        "seed_test": _mean([one.seed_objective for one in report.splits["test"]]),
        "candidates": report.candidates,
        "failed": sum(report.failures.values()),
        "calls": report.spent.calls,
        "best": None if report.best is None else report.best.hash,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _progress(job: Job, line: Line) -> str:
    search, test = (
        "none" if line[key] is None else f"{line[key]:.2f}" for key in ("search", "test")
    )
    return (
        f"{job.title} {job.strategy} seed {job.seed}: search {search}, test {test}, "
        f"{line['candidates']} candidates, {line['wall_s']:.1f} s"
    )
