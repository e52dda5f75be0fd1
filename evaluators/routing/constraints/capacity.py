"""Capacity in each load dimension, by trip.

Goods for delivery are loaded where the trip begins and unpaired pickups unloaded where it ends:
neither may exceed the capacity at any stop, together with paired goods on board. Deliveries and
pickups *together* are a matter of the load rules (``mixed_backhaul`` and its staged variant).
"""

import numpy as np

from ..instance import Floats, RoutingInstance, make_fleet
from ..loads import loads_of
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    capacity = instance.fleet.capacity
    amount = instance.deliveries + instance.pickups
    if not np.isfinite(capacity).any() or not (amount > 0).any():
        return None
    dimensions = instance.load_dimensions
    several = f" in {dimensions} dimensions" if dimensions > 1 else ""
    finite = capacity[np.isfinite(capacity)]
    span = f"{finite.min():g}" if np.ptp(finite) == 0 else f"{finite.min():g} to {finite.max():g}"
    return f"capacity {span}{several} and demands up to {amount.max():g}"


def _check(context: Context) -> Verdict:
    trace = context.trace
    loads = loads_of(context.instance, trace)
    limit: Floats = context.instance.fleet.capacity[trace.vehicle][:, None, :]
    peak = np.maximum(loads.to_deliver_before, loads.picked_up) + loads.paired
    # a depot in mid-route ends its trip: what is loaded there joins the pairs on board on arrival at
    # the next stop
    peak = np.maximum(peak, loads.to_deliver_before + loads.paired_before)
    slack = np.where(trace.mask[:, :, None], limit - peak, np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position, dimension = index
        excess = -slack[route, position, dimension]
        which = f" in dimension {dimension + 1}" if slack.shape[2] > 1 else ""
        name = context.node(route, position)
        message = f"route {route + 1} is overloaded by {excess:g}{which} at {name}"
        return Violation("capacity", message, route, position, int(trace.stops[route, position]))

    return judge("capacity", slack, limit, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2],
        deliveries=[[0, 0], [2, 1], [2, 1]],
        fleet=make_fleet(3, capacity=[[9, 1]], load_dimensions=2),
    )
    return Probe(instance, BASIC | {"capacity"}, plan((0, 1, 0), (0, 2, 0)), plan((0, 1, 2, 0)))


constraint = Constraint(
    "capacity",
    "capacity",
    "What a vehicle carries never exceeds its capacity, in each load dimension and on each trip.",
    "load",
    _evidence,
    _check,
    _probe,
)
