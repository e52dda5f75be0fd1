"""Closed routes: each vehicle returns to a depot."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return None  # data do not show whether vehicles return


def _check(context: Context) -> Verdict:
    trace = context.trace
    ends = trace.kinds[np.arange(len(trace.last)), trace.last]
    wrong = (ends != Kind.DEPOT) | (trace.last == 0)

    def say(index: tuple[int, ...]) -> Violation:
        route = index[0]
        position = int(trace.last[route])
        message = f"route {route + 1} ends at {context.node(route, position)} and does not return"
        return Violation("closed", message, route, position, int(trace.stops[route, position]))

    return faults("closed", wrong, say)


def _probe() -> Probe:
    return Probe(line_instance([0, 1, 2]), BASIC, plan((0, 1, 2, 0)), plan((0, 1, 2)))


constraint = Constraint(
    "closed",
    "routes return",
    "Each route ends at a depot; the way back counts.",
    "routes",
    _evidence,
    _check,
    _probe,
)
