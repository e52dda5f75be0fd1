"""What quality costs: the Pareto front of the objective against CPU seconds per instance.

A gap means nothing without its seconds. Both are taken on the search split, and both are to be small.
Seconds are the least that is stored of this machine for a program on each data set: the kernel's count
of its process, the solver's own work and the start of a child included. They are never compared
across machines.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...evaluators import Problem
from ...knowledge_base import Candidate, KnowledgeBase, Run, this_machine


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
    if candidates is None:
        programs = knowledge_base.programs.of_run(run.id)
    else:
        programs = sorted((one.id, one.hash) for one in candidates if one.proposal_error is None)
    oldest: dict[str, int] = {}
    for id_, name in programs:
        oldest.setdefault(name, id_)
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


def describe_front(
    front: Sequence[TimedPoint], candidates: Sequence[Candidate]
) -> list[dict[str, Any]]:
    """Return a front as plain data, with what is known of each candidate."""
    by_id = {one.id: one for one in candidates}
    return [
        {
            "candidate": one.candidate,
            "hash": by_id[one.candidate].hash,
            "operator": by_id[one.candidate].operator,
            "generation": by_id[one.candidate].generation,
            "thought": by_id[one.candidate].thought,
            "objective": one.objective,
            "seconds_per_instance": one.seconds_per_instance,
        }
        for one in front
    ]


def stored_front(front: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a run that has ended keeps of its front, so that listing runs reads no candidate."""
    names = ("candidate", "objective", "seconds_per_instance")
    return {
        "front": [{name: one[name] for name in names} for one in front],
        "machine": this_machine(),
    }


def front_of_run(knowledge_base: KnowledgeBase, run: Run, problem: Problem) -> list[TimedPoint]:
    """Return the front that a run has kept, or that of the moment.

    One that another machine kept is not taken: its seconds are no seconds here.
    """
    kept = run.result or {}
    if run.status == "finished" and kept.get("machine") == this_machine():
        return [TimedPoint(**one) for one in kept["front"]]
    return pareto_front(timed_points(knowledge_base, run, problem))
