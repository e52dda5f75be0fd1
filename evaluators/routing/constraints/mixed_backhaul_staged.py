"""Mixed backhaul, staged load rule (RouteFinder, Berto et al. 2025): weaker than the physical one.

At each stop, what was picked up before and the stop's own amount fit together; deliveries that
are still on board do not count. Totals of deliveries and of pickups are checked by ``capacity``.
"""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from ..loads import unpaired
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return None  # data show pickups, never the rule


def _check(context: Context) -> Verdict:
    trace, instance = context.trace, context.instance
    deliveries, pickups = unpaired(instance)
    picked, _ = trace.within_trip(trace.at(pickups))
    limit = instance.fleet.capacity[trace.vehicle][:, None, :]
    slack = np.where(trace.mask[:, :, None], limit - picked - trace.at(deliveries), np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position, dimension = index
        excess = -slack[route, position, dimension]
        name = context.node(route, position)
        message = f"route {route + 1}: pickups so far and the amount at {name} exceed by {excess:g}"
        node = int(trace.stops[route, position])
        return Violation("mixed_backhaul_staged", message, route, position, node)

    return judge("mixed_backhaul_staged", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2, 3],
        deliveries=[0, 0, 0, 3],
        pickups=[0, 3, 1, 0],
        fleet=make_fleet(4, capacity=5.0),
    )
    names = OPEN | {"capacity", "mixed_backhaul_staged"}
    return Probe(instance, names, plan((0, 2, 3, 1)), plan((0, 1, 2, 3)))


constraint = Constraint(
    "mixed_backhaul_staged",
    "deliveries and pickups mixed, staged load",
    "At each stop, pickups so far and the stop's own amount fit together; deliveries that are "
    "still on board do not count (the rule of RouteFinder's data).",
    "load",
    _evidence,
    _check,
    _probe,
)
