"""Precedence: one node is served before another."""

import numpy as np

from ..instance import RoutingInstance
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return f"{len(instance.precedence)} precedences" if len(instance.precedence) else None


def _check(context: Context) -> Verdict:
    """Within a route order decides, between routes time; unvisited first nodes serve nothing."""
    instance, trace = context.instance, context.trace
    route, position = context.place
    before, after = instance.precedence[:, 0], instance.precedence[:, 1]
    same = route[before] == route[after]
    early = trace.departure[route[before], position[before]] if len(trace.stops) else 0.0
    late = trace.start[route[after], position[after]] if len(trace.stops) else 0.0
    room = np.where(same, position[after] - position[before] > 0, late - early >= -1e-9)
    wrong = (route[after] >= 0) & ((route[before] < 0) | ~room)

    def say(index: tuple[int, ...]) -> Violation:
        node = int(after[index[0]])
        names = [instance.node_ids[int(pair[index[0]])] for pair in (before, after)]
        message = f"{names[1]} is served before {names[0]}"
        return Violation("precedence", message, int(route[node]), int(position[node]), node)

    return faults("precedence", np.asarray(wrong), say)


def _probe() -> Probe:
    instance = line_instance([0, 1, 2], precedence=[(2, 1)])
    names = OPEN | {"precedence"}
    return Probe(instance, names, plan((0, 2, 1)), plan((0, 1, 2)))


constraint = Constraint(
    "precedence",
    "precedence",
    "A node comes after those that must precede it: by order within a route, by time between "
    "routes.",
    "precedences",
    _evidence,
    _check,
    _probe,
)
