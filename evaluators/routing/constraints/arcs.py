"""Forbidden arcs: some ways from node to node do not exist."""

import numpy as np

from ..instance import RoutingInstance
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    missing = int((~np.isfinite(instance.distances) | ~np.isfinite(instance.durations)).sum())
    return f"{missing} ways between nodes do not exist" if missing else None


def _check(context: Context) -> Verdict:
    trace = context.trace

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        names = f"{context.node(route, position - 1)} to {context.node(route, position)}"
        message = f"route {route + 1} goes from {names}, where no way leads"
        return Violation("arcs", message, route, position, int(trace.stops[route, position]))

    return faults("arcs", trace.forbidden & trace.mask, say)


def _probe() -> Probe:
    instance = line_instance([0, 1, 2])
    instance.distances[1, 2] = np.inf
    return Probe(instance, OPEN | {"arcs"}, plan((0, 2, 1)), plan((0, 1, 2)))


constraint = Constraint(
    "arcs",
    "forbidden arcs",
    "Routes use only ways that exist; distances may depend on the direction.",
    "legs",
    _evidence,
    _check,
    _probe,
)
