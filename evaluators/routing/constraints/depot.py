"""Depot: routes begin at a depot and do not pass one, unless reloads are allowed."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    names = [instance.node_ids[row] for row in instance.depots]
    return f"depot {names[0]}" if len(names) == 1 else f"{len(names)} depots"


def _check(context: Context) -> Verdict:
    trace = context.trace
    depot = trace.kinds == Kind.DEPOT
    inside = np.arange(depot.shape[1])[None, :] < trace.last[:, None]
    wrong = depot & inside & ("reloads" not in context.names)
    wrong[:, 0] = ~depot[:, 0]

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        what = f"begins at {name}, no depot" if position == 0 else f"passes depot {name}"
        node = int(trace.stops[route, position])
        return Violation("depot", f"route {route + 1} {what}", route, position, node)

    return faults("depot", wrong, say)


def _probe() -> Probe:
    return Probe(
        line_instance([0, 1, -1]), BASIC, plan((0, 1, 0), (0, 2, 0)), plan((1, 0), (0, 2, 0))
    )


constraint = Constraint(
    "depot",
    "routes begin at a depot",
    "Each route begins at a depot; it passes a depot on its way only where reloads are allowed.",
    "routes",
    _evidence,
    _check,
    _probe,
)
