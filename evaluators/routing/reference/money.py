"""One level of an objective in integers."""

from dataclasses import dataclass

import numpy as np

from ..instance import RoutingInstance
from .scaling import Integers, Scales, cost_factor

SPREAD = ("makespan", "longest_route", "imbalance")


@dataclass(frozen=True, eq=False)
class Money:
    """Integer rates of one level: a level's value times ``unit`` is their sum.

    ``way`` and ``time`` are for one scaled unit of distance and time ``[T]``, ``fixed`` for a
    vehicle ``[T]``, ``prizes`` for a node that is left out ``[N]``; ``spread`` are the rates of
    ``SPREAD``; no leg costs more than ``leg``.
    """

    way: Integers
    time: Integers
    fixed: Integers
    prizes: Integers
    spread: dict[str, int]
    leg: float


def money(instance: RoutingInstance, level: tuple[tuple[str, float], ...], scales: Scales) -> Money:
    """Return a level's rates, rounded to four digits where they are no decimals."""
    weights: dict[str, float] = {}
    for name, weight in level:
        weights[name] = weights.get(name, 0.0) + weight
    fleet, cost = instance.fleet, weights.get("cost", 0.0)
    same = scales.distance.factor / scales.time.factor
    way = cost * fleet.distance_cost + weights.get("distance", 0.0)
    time = (cost * fleet.duration_cost + weights.get("duration", 0.0)) * same
    spread = {name: weights.get(name, 0.0) for name in SPREAD}
    spread |= {name: spread[name] * same for name in ("makespan", "imbalance")}
    factor = cost_factor(np.concatenate([way, time, list(spread.values())]))
    unit = factor * scales.distance.factor
    fixed = cost * fleet.fixed_cost + weights.get("vehicles", 0.0)
    worth = weights.get("uncollected_prizes", 0.0) * instance.prizes
    per_way, per_time = _whole(way * factor), _whole(time * factor)
    finite = instance.distances[np.isfinite(instance.distances)]
    times = instance.durations[np.isfinite(instance.durations)]
    longest = float(finite.max(initial=1.0)) * scales.distance.factor * float(per_way.max())
    slowest = float(times.max(initial=1.0)) * scales.time.factor * float(per_time.max())
    return Money(
        per_way,
        per_time,
        _whole(fixed * unit),
        _whole(worth * unit),
        {name: round(rate * factor) for name, rate in spread.items()},
        longest + slowest + 1.0,
    )


def _whole(values: np.ndarray) -> Integers:
    whole: Integers = np.rint(values).astype(np.int64)
    return whole
