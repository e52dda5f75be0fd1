"""Limit of the driving time: time at the wheel; waiting and service do not count."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    limits = instance.fleet.max_driving
    finite = limits[np.isfinite(limits)]
    return f"driving time limited to {finite.min():g}" if len(finite) else None


def _check(context: Context) -> Verdict:
    trace = context.trace
    limit = context.instance.fleet.max_driving[trace.vehicle]
    slack = limit - trace.driving

    def say(index: tuple[int, ...]) -> Violation:
        route = index[0]
        got = f"{trace.driving[route]:g} of {limit[route]:g}"
        return Violation("driving_limit", f"route {route + 1}: driving time {got}", route)

    return judge("driving_limit", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 2, -2],
        service=[0, 9, 9],
        fleet=make_fleet(3, max_driving=5.0, max_duration=40.0, fixed_cost=1.0),
    )
    return Probe(
        instance,
        BASIC | {"duration_limit", "driving_limit"},
        plan((0, 1, 0), (0, 2, 0)),
        plan((0, 1, 2, 0)),
    )


constraint = Constraint(
    "driving_limit",
    "limit of the driving time",
    "Time at the wheel of each route stays within its limit; waiting and service do not count.",
    "time",
    _evidence,
    _check,
    _probe,
)
