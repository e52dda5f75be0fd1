"""Doing the runs, one line of a results file for each; what is there already is not done again."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eurisko.agents.acquisition import OptimisationSettings, Report, Target, optimize
from eurisko.evaluators.blackbox import get_blackbox
from eurisko.knowledge_base import KnowledgeBase

from ..hifo_ablation.runs import Line, Results

DESIGN = "1"
"""Raise it when the engine or a strategist changes: older lines then don't count as done."""


@dataclass(frozen=True)
class Plan:
    """Which runs make the table; ``part`` (i, n) is this process's share of them."""

    problems: tuple[str, ...]
    strategists: tuple[str, ...]
    seeds: tuple[int, ...]
    budget: int | None = None
    part: tuple[int, int] = (1, 1)
    model: Mapping[str, Any] = field(default_factory=dict)

    def jobs(self) -> Iterator[Line]:
        """Yield what names each run, all strategists of a problem and seed together."""
        for seed in self.seeds:
            for problem in self.problems:
                for strategist in self.strategists:
                    asks = strategist == "lmabo"
                    yield {
                        "problem": problem,
                        "strategist": strategist,
                        "seed": seed,
                        "budget": self.budget or default_budget(problem),
                        "model": self.model.get("model") if asks else None,
                        "design": DESIGN,
                    }


def default_budget(problem: str) -> int:
    """Return the evaluations of LMABO's protocol: 2 D + 1, and 50 more (100 beyond ten dimensions)."""
    dimensions = len(get_blackbox(problem).space.free)
    return 2 * dimensions + 1 + (50 if dimensions <= 10 else 100)


def do(plan: Plan, folder: Path, tell: Callable[[str], object] = sys.stderr.write) -> list[Line]:
    """Do the missing runs of this share and return all results; an unfinished run is resumed."""
    results = Results(folder / "results.jsonl")
    marks = list(plan.jobs())
    index, count = plan.part
    missing = [one for one in marks[index - 1 :: count] if results.find(one) is None]
    tell(f"{len(marks)} runs, {len(missing)} to do here\n")
    folder.mkdir(parents=True, exist_ok=True)
    with KnowledgeBase(f"sqlite:///{(folder / f'studies-{index}.db').absolute()}") as base:
        for number, mark in enumerate(missing, 1):
            started = time.process_time()
            report = _run(base, settings_of(mark, plan, folder))
            seconds = time.process_time() - started
            results.add({**mark, **measured(report), "cpu_s": seconds})
            what = f"{mark['problem']} {mark['strategist']} seed {mark['seed']}"
            tell(f"[{number}/{len(missing)}] {what}: {report.value:.6g}, {seconds:.0f} CPU s\n")
    everything = Results(folder / "results.jsonl")
    return [line for one in marks if (line := everything.find(one)) is not None]


def settings_of(mark: Line, plan: Plan, folder: Path) -> OptimisationSettings:
    """Return the configuration of a run."""
    more = dict(plan.model) if mark["strategist"] == "lmabo" else {}
    return OptimisationSettings(
        target=Target(kind="function", name=mark["problem"]),
        budget=mark["budget"],
        strategist=mark["strategist"],
        seed=mark["seed"],
        runs_folder=folder / "runs",
        **more,
    )


def _run(base: KnowledgeBase, settings: OptimisationSettings) -> Report:
    config = settings.model_dump(mode="json")
    for run in base.runs(limit=5):
        if run.status not in ("finished", "stopped") and run.config == config:
            return optimize(settings, base, resume=run.id)
    return optimize(settings, base)


def measured(report: Report) -> Line:
    """Return what the table is made of, turned so that small is good."""
    sign = 1.0 if report.minimise else -1.0
    phases = [one.phase for one in report.trials]
    return {
        "values": [None if one.value is None else sign * one.value for one in report.trials],
        "initial": phases.count("initial"),
        "optimum": None if report.optimum is None else sign * report.optimum,
        "arms": report.result()["arms"],
        "sources": report.result()["sources"],
        "unread": report.unread,
        "calls": report.spent.calls,
        "tokens": report.spent.tokens,
    }
