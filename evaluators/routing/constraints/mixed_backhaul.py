"""Mixed backhaul, physical load rule: goods still to deliver and goods picked up share the room."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from ..loads import loads_of
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return None  # data show pickups, never the rule


def _check(context: Context) -> Verdict:
    trace = context.trace
    loads = loads_of(context.instance, trace)
    limit = context.instance.fleet.capacity[trace.vehicle][:, None, :]
    on_board = loads.to_deliver + loads.picked_up + loads.paired
    slack = np.where(trace.mask[:, :, None], limit - on_board, np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position, dimension = index
        excess = -slack[route, position, dimension]
        name = context.node(route, position)
        message = f"route {route + 1} leaves {name} with {excess:g} too much on board"
        node = int(trace.stops[route, position])
        return Violation("mixed_backhaul", message, route, position, node)

    return judge("mixed_backhaul", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2], deliveries=[0, 0, 3], pickups=[0, 3, 0], fleet=make_fleet(3, capacity=5.0)
    )
    names = OPEN | {"capacity", "mixed_backhaul"}
    return Probe(instance, names, plan((0, 2, 1)), plan((0, 1, 2)))


constraint = Constraint(
    "mixed_backhaul",
    "deliveries and pickups mixed, physical load",
    "At each stop, what is still to be delivered and what was picked up fit together.",
    "load",
    _evidence,
    _check,
    _probe,
)
