"""Time windows: service starts within one of the node's windows; returns and shifts included."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    windows = instance.windows
    real = np.isfinite(windows[:, :, 1]).any(axis=1) | (windows[:, 0, 0] > 0)
    if not real.any():
        shift = np.isfinite(instance.fleet.shift[:, 1]).any()
        return "shifts of the vehicles" if shift else None
    several = int((windows[:, :, 0] < np.inf).sum(axis=1).max())
    more = f", up to {several} for a node" if several > 1 else ""
    served = " with service times" if instance.service.any() else ""
    return f"time windows of {int(real.sum())} nodes{more}{served}"


def _check(context: Context) -> Verdict:
    trace = context.trace
    slack = np.where(trace.mask, trace.window_slack, np.inf)
    shift = context.instance.fleet.shift[trace.vehicle, 1]
    rows = np.arange(len(trace.last))
    ends = trace.departure[rows, trace.last]
    slack[rows, trace.last] = np.minimum(slack[rows, trace.last], shift - ends)
    limit = np.where(np.isfinite(slack), np.abs(trace.start) + np.abs(slack), 0.0)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        late = -slack[route, position]
        name = context.node(route, position)
        home = trace.kinds[route, position] == Kind.DEPOT
        verb = "returns to" if home and position else "reaches"
        message = f"route {route + 1} {verb} {name} too late by {late:g}"
        node = int(trace.stops[route, position])
        return Violation("time_windows", message, route, position, node)

    return judge("time_windows", slack, limit, say)


def _probe() -> Probe:
    inf = np.inf
    windows = [[[0, 20], [inf, -inf]], [[0, 1], [9, 12]], [[0, 4], [inf, -inf]]]
    instance = line_instance([0, 2, 3], windows=windows, service=[0, 1, 1])
    names = OPEN | {"time_windows"}
    return Probe(instance, names, plan((0, 2, 1)), plan((0, 1, 2)))


constraint = Constraint(
    "time_windows",
    "time windows",
    "Service starts within one of the node's windows (waiting is allowed); a route that returns "
    "does so before its depot closes and its vehicle's shift ends.",
    "time",
    _evidence,
    _check,
    _probe,
)
