"""Reloads: several trips of one vehicle, at depots where it may reload, as often as it may."""

import numpy as np

from ..instance import UNLIMITED, Kind, RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    several = (instance.fleet.max_trips != 1) & instance.fleet.reload_depots.any(axis=1)
    return f"{int(several.sum())} vehicle types may reload" if several.any() else None


def _check(context: Context) -> Verdict:
    trace, fleet = context.trace, context.instance.fleet
    inside = np.arange(trace.mask.shape[1])[None, :] < trace.last[:, None]
    inside[:, 0] = False
    stops_at = (trace.kinds == Kind.DEPOT) & inside
    may = fleet.reload_depots[trace.vehicle[:, None], trace.stops]
    allowed = fleet.max_trips[trace.vehicle]
    left = (
        np.where(allowed == UNLIMITED, np.inf, allowed)[:, None] - 1.0 - np.cumsum(stops_at, axis=1)
    )
    slack = np.where(stops_at, np.where(may, left, -1.0), np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        what = (
            f"reloads at {name} once too often"
            if may[route, position]
            else f"may not reload at {name}"
        )
        node = int(trace.stops[route, position])
        return Violation("reloads", f"route {route + 1} {what}", route, position, node)

    return judge("reloads", slack, 0.0, say)


def _probe() -> Probe:
    kinds = [Kind.DEPOT, Kind.CUSTOMER, Kind.CUSTOMER, Kind.DEPOT]
    fleet = make_fleet(
        4,
        capacity=1.0,
        available=1,
        max_trips=2,
        reload_depots=[[True, False, False, False]],
        start_depot=0,
        end_depot=0,
    )
    instance = line_instance([0, 4, 6, 5], kinds=kinds, deliveries=[0, 1, 1, 0], fleet=fleet)
    names = BASIC | {"capacity", "multi_depot", "fleet", "reloads"}
    return Probe(instance, names, plan((0, 1, 0, 2, 0)), plan((0, 1, 3, 2, 0)))


constraint = Constraint(
    "reloads",
    "reloads and several trips",
    "A vehicle may reload on its way, at its reload depots and as many times as it may.",
    "reloads",
    _evidence,
    _check,
    _probe,
)
