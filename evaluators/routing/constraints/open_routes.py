"""Open routes: each route ends at its last customer, and no way back counts."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return None  # data do not show whether vehicles return


def _check(context: Context) -> Verdict:
    trace = context.trace
    wrong = trace.kinds[np.arange(len(trace.last)), trace.last] != Kind.CUSTOMER

    def say(index: tuple[int, ...]) -> Violation:
        route = index[0]
        position = int(trace.last[route])
        name = context.node(route, position)
        message = f"route {route + 1} goes on to {name} after its last customer"
        return Violation("open", message, route, position, int(trace.stops[route, position]))

    return faults("open", wrong, say)


def _probe() -> Probe:
    return Probe(line_instance([0, 1, 2]), OPEN, plan((0, 1, 2)), plan((0, 1, 2, 0)))


constraint = Constraint(
    "open",
    "routes do not return",
    "Each route ends at its last customer; it does not go on to a depot or a station.",
    "routes",
    _evidence,
    _check,
    _probe,
)
