"""Who survives: the best, or those that trade quality for time best."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

OBJECTIVE_DECIMALS = 5
"""Two members whose objectives agree to this many decimals count as duplicates (as in EoH)."""


TIME_STEP = 1.1
"""Times are told apart in steps of this factor; those of one program scatter by 2 to 4 % (sd)."""


@dataclass(frozen=True)
class Member:
    """A candidate that was evaluated without error on the search split (objective minimised).

    ``seconds`` are CPU seconds per instance; infinite where another machine measured them.
    """

    id: int
    hash: str
    objective: float
    thought: str
    code: str
    genome: str | None
    seconds: float = math.inf


def survivors(members: Iterable[Member], size: int) -> list[Member]:
    """Return the ``size`` best members, best first, without duplicates.

    Of members with the same program or the same objective (to :data:`OBJECTIVE_DECIMALS`) the
    oldest stays.
    """
    hashes: set[str] = set()
    objectives: set[float] = set()
    kept: list[Member] = []
    for member in sorted(
        members, key=lambda one: (round(one.objective, OBJECTIVE_DECIMALS), one.id)
    ):
        objective = round(member.objective, OBJECTIVE_DECIMALS)
        if member.hash in hashes or objective in objectives:
            continue
        hashes.add(member.hash)
        objectives.add(objective)
        kept.append(member)
        if len(kept) == size:
            break
    return kept


def trade_offs(members: Iterable[Member], size: int) -> list[Member]:
    """Return ``size`` members by objective and time: NSGA-II's survivors (Deb et al. 2002).

    Members are ranked by fronts of non-dominated ones, and within a front by crowding distance, the
    loneliest first; the best objective comes first of all. Of members with the same program, or with
    the same objective and time, the oldest stays. Times of another machine count as the longest.
    """
    oldest: dict[Any, Member] = {}
    seen: set[str] = set()
    for member in sorted(members, key=lambda one: one.id):
        place = (round(member.objective, OBJECTIVE_DECIMALS), _step(member.seconds))
        if member.hash not in seen:
            seen.add(member.hash)
            oldest.setdefault(place, member)
    last = max((steps for _, steps in oldest if math.isfinite(steps)), default=0.0)
    points = [(objective, min(steps, last)) for objective, steps in oldest]
    kept = [
        (rank, -distance, one.objective, one.id, one)
        for one, (rank, distance) in zip(oldest.values(), _ranked(points), strict=True)
    ]
    return [entry[-1] for entry in sorted(kept)[:size]]


def _step(seconds: float) -> float:
    """Return a time on a logarithmic scale, in whole steps."""
    if not (math.isfinite(seconds) and seconds > 0):
        return math.inf
    return float(round(math.log(seconds) / math.log(TIME_STEP)))


def _ranked(points: Sequence[tuple[float, float]]) -> list[tuple[int, float]]:
    """Return the front of each point, from 0, and its crowding distance there; both are minimised."""
    from deap import base, tools

    class Fitness(base.Fitness):  # type: ignore[misc]  # DEAP has no types
        weights = (-1.0, -1.0)

    class Point:
        def __init__(self, values: tuple[float, float]) -> None:
            self.fitness = Fitness(values)

    individuals = [Point(values) for values in points]
    rank: dict[int, int] = {}
    for number, front in enumerate(tools.sortNondominated(individuals, len(individuals))):
        tools.emo.assignCrowdingDist(front)
        rank |= {id(one): number for one in front}
    return [(rank[id(one)], one.fitness.crowding_dist) for one in individuals]
