"""Limit of a route's duration: from departure to return, waiting, service and breaks included."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    limits = instance.fleet.max_duration
    finite = limits[np.isfinite(limits)]
    return f"duration limited to {finite.min():g}" if len(finite) else None


def _check(context: Context) -> Verdict:
    trace = context.trace
    limit = context.instance.fleet.max_duration[trace.vehicle]
    slack = limit - trace.duration

    def say(index: tuple[int, ...]) -> Violation:
        route = index[0]
        got = f"{trace.duration[route]:g} of {limit[route]:g}"
        return Violation("duration_limit", f"route {route + 1}: duration {got}", route)

    return judge("duration_limit", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 2, -2],
        service=[0, 3, 3],
        fleet=make_fleet(3, max_duration=10.0, fixed_cost=1.0),
    )
    return Probe(
        instance,
        BASIC | {"duration_limit"},
        plan((0, 1, 0), (0, 2, 0)),
        plan((0, 1, 2, 0)),
    )


constraint = Constraint(
    "duration_limit",
    "limit of a route's duration",
    "From departure to return, with waiting, service and breaks, each route stays within its limit.",
    "time",
    _evidence,
    _check,
    _probe,
)
