"""Release times: a trip does not leave before its goods are there."""

import numpy as np

from ..instance import RoutingInstance
from ..plan import Plan, Route
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance


def _evidence(instance: RoutingInstance) -> str | None:
    later = int((instance.release > 0).sum())
    return f"goods of {later} customers are released later" if later else None


def _check(context: Context) -> Verdict:
    """Plans without departures wait by themselves: they can only be late at customers."""
    trace = context.trace
    slack = np.where(trace.release > 0, trace.departure - trace.release, np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        early = -slack[route, position]
        trip = int(trace.trip[route, position]) + (position > 0) + 1
        what = f"leaves {early:g} before its goods are released"
        message = f"trip {trip} of route {route + 1} {what}"
        node = int(trace.stops[route, position])
        return Violation("release_times", message, route, position, node)

    return judge("release_times", slack, trace.release, say)


def _probe() -> Probe:
    instance = line_instance([0, 1, 2], release=[0, 5, 0])
    late, early = (Plan((Route((0, 1, 2, 0), departures=(time,)),)) for time in (5.0, 1.0))
    return Probe(instance, BASIC | {"release_times"}, late, early)


constraint = Constraint(
    "release_times",
    "release times",
    "A trip leaves its depot when everything that it delivers has been released.",
    "time",
    _evidence,
    _check,
    _probe,
)
