"""A first plan for OR-Tools where its own constructions fail: one vehicle under precedences."""

import numpy as np

from ..instance import RoutingInstance
from .shape import vehicle_starts


def first_routes(instance: RoutingInstance, names: frozenset[str]) -> list[list[int]] | None:
    """Return one route that takes the nearest customer whose predecessors are all visited.

    None where there are several vehicles or no precedences, or where this ends at a dead end.
    """
    starts = vehicle_starts(instance, names)
    if "precedence" not in names or len(starts) != 1 or starts[0].count != 1:
        return None
    left = set(instance.customers.tolist())
    before: dict[int, set[int]] = {row: set() for row in left}
    for one, two in instance.precedence.tolist():
        if one in left and two in left:
            before[two].add(one)
    route: list[int] = []
    here = starts[0].start
    while left:
        free = [row for row in left if not before[row] & left]
        ways = instance.distances[here, free]
        if not free or not np.isfinite(ways).any():
            return None
        here = free[int(np.argmin(ways))]
        left.remove(here)
        route.append(here)
    return [route]
