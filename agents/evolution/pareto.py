"""What quality costs: the Pareto front of the objective against CPU seconds per instance.

A gap means nothing without its seconds. Both are taken on the search split, and both are to be small.
Seconds are the least that is stored of this machine for a program on each data set: the kernel's count
of its process, the solver's own work and the start of a child included. They are never compared
across machines.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...evaluators import Problem
from ...knowledge_base import Candidate, KnowledgeBase, Run


@dataclass(frozen=True)
class TimedPoint:
    """A candidate's objective and the CPU seconds that it takes per instance."""

    candidate: int
    objective: float
    seconds_per_instance: float


def pareto_front(points: Iterable[TimedPoint]) -> list[TimedPoint]:
    """Return the points that no other one dominates, the fastest first.

    One dominates another if it is no worse in both and better in one. Of points that agree in both the
    oldest candidate stays. Points whose objective or seconds are not finite are left out.
    """
    finite = [
        one
        for one in points
        if math.isfinite(one.objective) and math.isfinite(one.seconds_per_instance)
    ]
    front: list[TimedPoint] = []
    for one in sorted(finite, key=lambda p: (p.seconds_per_instance, p.objective, p.candidate)):
        if not front or one.objective < front[-1].objective:
            front.append(one)
    return front


def timed_points(
    knowledge_base: KnowledgeBase,
    run: Run,
    problem: Problem,
    candidates: Sequence[Candidate] | None = None,
) -> list[TimedPoint]:
    """Return one point for each program of a run that ran without error on the whole search split.

    A program that several candidates share is the oldest one's. What was never timed on this machine
    is left out.

    Args:
        knowledge_base: where the run is kept.
        run: the run.
        problem: its problem.
        candidates: the run's candidates, if they are at hand.

    """
    rows = knowledge_base.run_candidates(run.id) if candidates is None else candidates
    oldest: dict[str, int] = {}
    for one in sorted(rows, key=lambda row: row.id):
        if one.proposal_error is None:
            oldest.setdefault(one.hash, one.id)
    objectives: dict[str, list[float]] = {name: [] for name in oldest}
    seconds = dict.fromkeys(oldest, 0.0)
    sets = [problem.dataset(name) for name in problem.spec.splits["search"]]
    device = str(run.config.get("device", "cpu"))
    for data in sets:
        measured = knowledge_base.timed(oldest, data.digest, run.interface, device)
        for name, (objective, least) in measured.items():
            objectives[name].append(objective)
            seconds[name] += least
    instances = sum(data.instances for data in sets)
    return [
        TimedPoint(id_, sum(values) / len(values), seconds[name] / instances)
        for name, id_ in oldest.items()
        if len(values := objectives[name]) == len(sets)
    ]
