"""What came of a run, read from the knowledge base alone."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...evaluators import Problem
from ...knowledge_base import Candidate, KnowledgeBase, Run
from ...knowledge_base.programs import Proposed, Verdict
from ...sandbox import OutcomeKind
from ..running.budget import Spent
from .errors import EvolutionError
from .export import standalone
from .ledger import insight_ledger, regime_timeline, strategy_of
from .pareto import describe_front, front_of_run, stored_front
from .plot import convergence_plot

SPLITS = ("search", "validation", "test")


@dataclass(frozen=True)
class DatasetResult:
    """The best heuristic beside the seed heuristic on one data set.

    ``objective`` is what is minimised (mean gap in %), ``measure`` the mean of the problem's own
    measure, ``cpu_s`` CPU seconds for the whole data set (None when measured on another machine) and
    ``seconds_per_instance`` the same for each instance.
    """

    dataset: str
    instances: int
    objective: float | None
    seed_objective: float | None
    measure: float | None
    cpu_s: float | None

    @property
    def seconds_per_instance(self) -> float | None:
        """CPU seconds for each instance; None when measured on another machine."""
        return None if self.cpu_s is None else self.cpu_s / self.instances

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return vars(self) | {"seconds_per_instance": self.seconds_per_instance}


@dataclass(frozen=True)
class RunReport:
    """A run's result and what it cost; ``to_json`` is what the commands print with ``--json``."""

    run: Run
    best: Candidate | None
    objective: float | None
    """Of the best heuristic on the search split."""
    splits: Mapping[str, Sequence[DatasetResult]]
    spent: Spent
    candidates: int
    failures: Mapping[str, int]
    lineage: Sequence[Candidate]
    """The best one's ancestors along first parents, oldest first, the best itself last."""
    lineage_objectives: Sequence[float | None]
    history: Sequence[Sequence[float]]
    doubts: Sequence[str]
    """Programs whose decisions differed when they were re-run in lockstep, and how."""
    measure: str
    strategy: str
    foresight: Sequence[Mapping[str, Any]]
    """For each generation what it was told to do, by which rule and why."""
    insights: Mapping[str, Any]
    """With which insights the run began, what it learnt, and the credit of each."""
    front: Sequence[Mapping[str, Any]]
    """The Pareto front of gap against CPU seconds per instance, the fastest first."""
    seconds_per_instance: float
    """The problem's time limit."""
    tuning: Mapping[str, int]
    """How much was tuned (:class:`~.tuning.Tally`); empty where nothing was."""
    interface: Any = field(repr=False)

    @property
    def schedule_note(self) -> str:
        """Why the run cannot be repeated to the bit for its schedule; empty where it can."""
        if self.run.config.get("schedule") != "steady" or self.run.config.get("workers") == 1:
            return ""
        return (
            "Steady state: the order of results depends on the clock, so this run cannot be repeated "
            "to the bit."
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data; ``schedule_note`` only where there is one."""
        note = {"schedule_note": self.schedule_note} if self.schedule_note else {}
        best = None
        if self.best is not None:
            best = {
                "hash": self.best.hash,
                "objective": self.objective,
                "thought": self.best.thought,
                "operator": self.best.operator,
                "generation": self.best.generation,
                "code": self.best.code,
            }
        return {
            "run": self.run.id,
            "problem": self.run.problem,
            "interface": self.run.interface,
            "proposer": self.run.proposer,
            "strategy": self.strategy,
            "seed": self.run.seed,
            "status": self.run.status,
            "status_reason": self.run.status_reason,
            "best": best,
            "splits": {
                split: [one.to_json() for one in results] for split, results in self.splits.items()
            },
            "measure": self.measure,
            "lineage": [
                {
                    "hash": one.hash,
                    "operator": one.operator,
                    "generation": one.generation,
                    "objective": objective,
                }
                for one, objective in zip(self.lineage, self.lineage_objectives, strict=True)
            ],
            "history": [list(entry) for entry in self.history],
            "doubts": list(self.doubts),
            "foresight": [dict(one) for one in self.foresight],
            "insights": dict(self.insights),
            "front": [dict(one) for one in self.front],
            "seconds_per_instance": self.seconds_per_instance,
            "tuning": dict(self.tuning),
            "candidates": self.candidates,
            "failures": dict(self.failures),
            "calls": self.spent.calls,
            "tokens": self.spent.tokens,
            "usd": self.spent.usd,
            "folder": self.run.folder,
            **note,
        }

    def write(self, folder: Path) -> None:
        """Write ``report.json``, ``best.py`` and ``convergence.png`` into the run's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.json").write_text(json.dumps(self.to_json(), indent=2) + "\n")
        if self.best is not None:
            (folder / "best.py").write_text(standalone(self))
        if self.history:
            baseline = self.splits["search"][0].seed_objective if self.splits["search"] else None
            convergence_plot(self.run, self.history, baseline, folder / "convergence.png")


def summarise(
    knowledge_base: KnowledgeBase, run: Run, problem: Problem, candidate: int | None = None
) -> RunReport:
    """Read a run's report; it works at any moment of a run, with what is known so far.

    Args:
        knowledge_base: where the run is kept.
        run: the run.
        problem: its problem.
        candidate: the id of one of its candidates to report in the place of the best.

    Raises:
        EvolutionError: the run has no such candidate, or that one has no program.
    """
    candidates = knowledge_base.programs.proposed(run.id)
    data = {split: [problem.dataset(n) for n in problem.spec.splits[split]] for split in SPLITS}
    search = data["search"]
    programs = knowledge_base.programs
    kept = (run.result or {}).get("failures") if run.status == "finished" else None
    on_search: list[dict[str, Verdict]] = []
    if kept is None:
        hashes = {one.hash for one in candidates if not one.failed}
        on_search = [programs.verdicts(hashes, one.digest, run.interface) for one in search]
    chosen = None if candidate is None else _named(candidates, candidate, run)
    chosen = _best(candidates, on_search, run) if chosen is None else chosen
    lineage = _lineage(knowledge_base, chosen, run)
    if kept is not None:  # of a run that has ended only the lineage is looked up
        line = {one.hash for one in lineage}
        on_search = [programs.verdicts(line, one.digest, run.interface) for one in search]
    best = lineage[-1] if lineage else None
    seed_hash = next((one.hash for one in candidates if one.operator == "seed"), "")
    splits = {
        split: [_beside(knowledge_base, best, seed_hash, one, run.interface) for one in sets]
        for split, sets in data.items()
    }
    front = front_of_run(knowledge_base, run, problem)
    on_front = knowledge_base.candidates(one.candidate for one in front)
    return RunReport(
        run=run,
        best=best,
        objective=None if best is None else _objective(best.hash, on_search),
        splits=splits,
        spent=Spent.of_run(knowledge_base, run.id),
        candidates=len(candidates),
        failures=_failures(candidates, on_search) if kept is None else kept,
        lineage=lineage,
        lineage_objectives=[_objective(one.hash, on_search) for one in lineage],
        history=(run.result or {}).get("history", []),
        doubts=(run.result or {}).get("doubts", []),
        measure=problem.spec.measure,
        strategy=strategy_of(run),
        foresight=regime_timeline(knowledge_base, run),
        insights=insight_ledger(knowledge_base, run),
        front=describe_front(front, on_front),
        seconds_per_instance=problem.spec.seconds_per_instance,
        tuning=(run.result or {}).get("tuning", {}),
        interface=problem.spec.interface(run.interface),
    )


def kept_of(report: RunReport) -> dict[str, Any]:
    """Return what a run that has ended keeps in its result: showing it then reads little."""
    return {**stored_front(report.front), "failures": dict(report.failures)}


def _objective(program: str, on_search: Sequence[Mapping[str, Verdict]]) -> float | None:
    """Return the mean objective over the search split, or None when one is missing."""
    values = [results[program].objective for results in on_search if program in results]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(on_search) else None


def _named(candidates: Sequence[Proposed], candidate: int, run: Run) -> int:
    if any(one.id == candidate and not one.failed for one in candidates):
        return candidate
    raise EvolutionError(
        f"Run {run.id} has no program of candidate {candidate}: 'eurisko show {run.id}' lists those "
        "of its front."
    )


def _best(
    candidates: Sequence[Proposed], on_search: Sequence[Mapping[str, Verdict]], run: Run
) -> int | None:
    """Return the one chosen on the validation split, or the best so far while the run goes on."""
    if run.result is not None:
        return next((one.id for one in candidates if one.id == run.result["best"]), None)
    scored = [(_objective(one.hash, on_search), one.id) for one in candidates]
    usable = [(value, id_) for value, id_ in scored if value is not None]
    return min(usable)[1] if usable else None


def _beside(
    knowledge_base: KnowledgeBase, best: Candidate | None, seed_hash: str, data: Any, interface: str
) -> DatasetResult:
    hashes = {seed_hash, *([] if best is None else [best.hash])}
    results = knowledge_base.evaluations(hashes, data.digest, interface)
    ours = results.get(best.hash) if best is not None else None
    seed = results.get(seed_hash)
    cpu = None if ours is None or math.isnan(ours.cpu_s) else ours.cpu_s
    return DatasetResult(
        dataset=data.name,
        instances=data.instances,
        objective=None if ours is None else ours.objective,
        seed_objective=None if seed is None else seed.objective,
        measure=None if ours is None or ours.raw is None else float(ours.raw.mean()),
        cpu_s=cpu,
    )


def _failures(
    candidates: Sequence[Proposed], on_search: Sequence[Mapping[str, Verdict]]
) -> dict[str, int]:
    """Count candidates that failed, by outcome."""
    kinds: Counter[str] = Counter()
    for one in candidates:
        if one.failed:
            kinds["no_program"] += 1
            continue
        outcomes = [results[one.hash].kind for results in on_search if one.hash in results]
        failed = [kind for kind in outcomes if kind is not OutcomeKind.OK]
        if failed:
            kinds[failed[0].value] += 1
    return dict(kinds)


def _lineage(base: KnowledgeBase, best: int | None, run: Run) -> list[Candidate]:
    """Return the ancestors of ``best`` along its first parents, oldest first, ``best`` last."""
    if best is None:
        return []
    line = base.candidates(base.programs.first_parents(best))
    return [one for one in line if one.run_id == run.id]
