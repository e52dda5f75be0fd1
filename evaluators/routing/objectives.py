"""Objectives with priorities: what a plan is worth, recomputed from its course."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .instance import RoutingError, RoutingInstance
from .trace import Trace

Measure = Callable[[RoutingInstance, Trace], float]


def cost(instance: RoutingInstance, trace: Trace) -> float:
    """Fixed costs, and costs per distance and per time of the vehicles that are used.

    Infinite where a forbidden arc is used.
    """
    if trace.forbidden.any():
        return float("inf")
    fleet, vehicle = instance.fleet, trace.vehicle
    total = fleet.fixed_cost[vehicle] + fleet.distance_cost[vehicle] * trace.distance
    timed = np.where(fleet.duration_cost[vehicle] > 0, trace.duration, 0.0)
    return float((total + fleet.duration_cost[vehicle] * timed).sum())


def uncollected_prizes(instance: RoutingInstance, trace: Trace) -> float:
    """Prizes of the customers that are not visited."""
    visited = np.zeros(instance.size, dtype=bool)
    visited[trace.stops[trace.mask]] = True
    return float(instance.prizes[~visited].sum())


def _distance(instance: RoutingInstance, trace: Trace) -> float:
    return float("inf") if trace.forbidden.any() else float(trace.distance.sum())


MEASURES: dict[str, tuple[str, Measure]] = {
    "cost": ("fixed, distance and duration costs", cost),
    "distance": ("total length", _distance),
    "duration": ("total duration", lambda _, t: float(t.duration.sum())),
    "vehicles": ("number of routes", lambda _, t: float(len(t.stops))),
    "uncollected_prizes": ("prizes left behind", uncollected_prizes),
    "makespan": ("the longest duration of a route", lambda _, t: float(t.duration.max(initial=0))),
    "longest_route": (
        "the longest length of a route",
        lambda _, t: float(t.distance.max(initial=0)),
    ),
    "imbalance": (
        "the longest minus the shortest duration of a route",
        lambda _, t: float(np.ptp(t.duration)) if len(t.stops) else 0.0,
    ),
}


@dataclass(frozen=True)
class Objective:
    """Levels in order of priority; a level is a weighted sum of measures.

    ``Objective((("vehicles", 1.0),), (("cost", 1.0),))`` is fewest vehicles first, then cost.
    """

    levels: tuple[tuple[tuple[str, float], ...], ...] = ((("cost", 1.0),),)

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            RoutingError: a measure is not known, or a level is empty.
        """
        for level in self.levels:
            if not level:
                raise RoutingError("a level of an objective needs a measure.")
            for name, _ in level:
                if name not in MEASURES:
                    known = ", ".join(MEASURES)
                    raise RoutingError(f"objective {name!r} is not known; known are {known}.")

    def values(self, instance: RoutingInstance, trace: Trace) -> tuple[float, ...]:
        """Return one value per level; plans are compared by these tuples, smaller is better."""
        return tuple(
            sum(weight * MEASURES[name][1](instance, trace) for name, weight in level)
            for level in self.levels
        )


def by_priority(names: Sequence[str]) -> Objective:
    """Return the objective that minimises one measure after another."""
    return Objective(tuple(((name, 1.0),) for name in names))
