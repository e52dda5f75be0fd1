"""Breaks: a driver rests before time at the wheel since the last break exceeds the limit."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from ..plan import Plan, Route
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance


def _evidence(instance: RoutingInstance) -> str | None:
    limits = instance.fleet.max_driving_unbroken
    finite = limits[np.isfinite(limits)]
    return f"a break after {finite.min():g} of driving" if len(finite) else None


def _check(context: Context) -> Verdict:
    """The plan says after which stops the driver rests; their length counts in the schedule."""
    trace = context.trace
    limit = context.instance.fleet.max_driving_unbroken[trace.vehicle][:, None]
    since = np.zeros(trace.mask.shape)
    driven = np.zeros(len(trace.stops))
    for position in range(trace.mask.shape[1]):
        driven = driven + trace.leg_time[:, position]
        since[:, position] = driven
        driven = np.where(trace.breaks[:, position], 0.0, driven)
    slack = np.where(trace.mask, limit - since, np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        over = -slack[route, position]
        name = context.node(route, position)
        message = f"route {route + 1} reaches {name} with {over:g} too much driving without a break"
        return Violation("breaks", message, route, position, int(trace.stops[route, position]))

    return judge("breaks", slack, limit, say)


def _probe() -> Probe:
    fleet = make_fleet(4, max_driving_unbroken=4.0, break_length=1.0, max_duration=9.0)
    instance = line_instance([0, 1, 2, 4], fleet=fleet)
    names = BASIC | {"duration_limit", "breaks"}
    rested, driven = (Plan((Route((0, 1, 2, 3, 0), breaks=at),)) for at in ((3,), ()))
    return Probe(instance, names, rested, driven)


constraint = Constraint(
    "breaks",
    "breaks",
    "A driver takes a break before the time at the wheel since the last one exceeds the limit.",
    "time",
    _evidence,
    _check,
    _probe,
)
