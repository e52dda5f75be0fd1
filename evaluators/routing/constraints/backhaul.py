"""Backhaul: within a trip, all deliveries come before the first pickup."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from ..loads import unpaired
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return None  # data show pickups, never the rule


def _check(context: Context) -> Verdict:
    trace, instance = context.trace, context.instance
    deliveries, pickups = unpaired(instance)
    delivers = trace.at(deliveries).sum(axis=2) > 0
    picked, _ = trace.within_trip(trace.at(pickups))
    wrong = np.asarray(delivers & (picked.sum(axis=2) > 0) & trace.mask)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        message = f"route {route + 1} delivers to {name} after a pickup"
        return Violation("backhaul", message, route, position, int(trace.stops[route, position]))

    return faults("backhaul", wrong, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2], deliveries=[0, 0, 1], pickups=[0, 1, 0], fleet=make_fleet(3, capacity=5.0)
    )
    names = OPEN | {"capacity", "backhaul"}
    return Probe(instance, names, plan((0, 2, 1)), plan((0, 1, 2)))


constraint = Constraint(
    "backhaul",
    "deliveries first",
    "Within a trip all deliveries come before the first pickup (the classic backhaul rule); "
    "pickups then start from an empty vehicle. Trips of pickups alone are allowed.",
    "stops",
    _evidence,
    _check,
    _probe,
)
