"""Loads along routes, by load dimension: goods to deliver, picked up, and of pairs."""

from dataclasses import dataclass

import numpy as np

from .instance import Floats, RoutingInstance
from .trace import Trace


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads ``[R, L, G]`` on leaving each stop, within its trip; pairs across the whole route."""

    to_deliver: Floats  # from the depot, still on board
    to_deliver_before: Floats  # the same on arrival; at a trip's first depot, the whole load
    picked_up: Floats  # for the depot
    paired: Floats  # picked up and not yet delivered, of pairs
    paired_before: Floats  # the same on arrival


def unpaired(instance: RoutingInstance) -> tuple[Floats, Floats]:
    """Return deliveries and pickups ``[N, G]`` of nodes that belong to no pair."""
    free = np.ones(instance.size, dtype=bool)
    free[instance.pairs.ravel()] = False
    return instance.deliveries * free[:, None], instance.pickups * free[:, None]


def loads_of(instance: RoutingInstance, trace: Trace) -> Loads:
    """Return the loads of a plan's course."""
    deliveries, pickups = unpaired(instance)
    brought = trace.at(deliveries)
    delivered, whole = trace.within_trip(brought)
    picked, _ = trace.within_trip(trace.at(pickups))
    paired = instance.pickups - pickups - (instance.deliveries - deliveries)
    change = trace.at(paired)
    on_board = np.cumsum(change, axis=1)
    left = whole - delivered
    return Loads(left, left + brought, picked, on_board, on_board - change)
