"""Limit of a route's length: the length of each route stays within its vehicle's limit."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    limits = instance.fleet.max_distance
    finite = limits[np.isfinite(limits)]
    return f"length limited to {finite.min():g}" if len(finite) else None


def _check(context: Context) -> Verdict:
    trace = context.trace
    limit = context.instance.fleet.max_distance[trace.vehicle]
    slack = limit - trace.distance

    def say(index: tuple[int, ...]) -> Violation:
        route = index[0]
        got = f"{trace.distance[route]:g} of {limit[route]:g}"
        return Violation("distance_limit", f"route {route + 1}: length {got}", route)

    return judge("distance_limit", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance([0, 2, -2], fleet=make_fleet(3, max_distance=5.0, fixed_cost=1.0))
    return Probe(
        instance,
        BASIC | {"distance_limit"},
        plan((0, 1, 0), (0, 2, 0)),
        plan((0, 1, 2, 0)),
    )


constraint = Constraint(
    "distance_limit",
    "limit of a route's length",
    "The length of each route stays within its vehicle's limit.",
    "distance",
    _evidence,
    _check,
    _probe,
)
