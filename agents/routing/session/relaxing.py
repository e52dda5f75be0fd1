"""The smallest changes that give a problem a plan, as typed changes that a user can take."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....evaluators.routing import RoutingError, RoutingInstance
from ....evaluators.routing.constraints import VOCABULARY
from ..changes import (
    Breaks,
    Capacity,
    Change,
    DropCustomers,
    FleetSize,
    RouteLimit,
    RoutingTask,
    Shift,
    Windows,
    Without,
)
from .checking import broken

if TYPE_CHECKING:
    from ....evaluators.routing.explain import Relaxation

_LIMITS = {"max_distance": "distance", "max_duration": "duration", "max_driving": "driving"}


def changes_of(relaxation: "Relaxation", task: RoutingTask) -> tuple[Change, ...]:
    """Return the typed changes that a relaxation means; none where there are no such changes.

    They are read off the difference between both problems, and count only if the relaxation's plan
    keeps all rules after them.
    """
    found = tuple(_differences(relaxation, task))
    try:
        for change in found:
            task = change.apply(task)
    except RoutingError:
        return ()
    dropped = any(isinstance(change, DropCustomers) for change in found)
    if found and (dropped or not broken(relaxation.plan, task)):
        return found
    return ()


def _differences(relaxation: "Relaxation", task: RoutingTask) -> Iterator[Change]:
    old, new = task.instance, relaxation.instance
    for rule in VOCABULARY:
        if rule in task.names - relaxation.names:
            yield Without(rule=rule)
            return
    left_out = old.required & ~new.required
    if left_out.any():
        yield DropCustomers(customers=tuple(old.node_ids[row] for row in np.flatnonzero(left_out)))
    yield from _fleet(old, new)
    rows = np.flatnonzero((old.windows != new.windows).any(axis=(1, 2)))
    for row in rows:
        spans = [(float(low), float(high)) for low, high in new.windows[row] if low < np.inf]
        ends = tuple((low, high if np.isfinite(high) else None) for low, high in spans)
        yield Windows(customers=(old.node_ids[row],), intervals=ends)


def _fleet(old: RoutingInstance, new: RoutingInstance) -> Iterator[Change]:
    one, other = old.fleet, new.fleet
    several = one.types > 1
    for kind in range(one.types):
        vehicle = kind + 1 if several else None
        if one.available[kind] != other.available[kind]:
            yield FleetSize(count=int(other.available[kind]), vehicle=vehicle)
        for dimension in np.flatnonzero(one.capacity[kind] != other.capacity[kind]):
            yield Capacity(
                capacity=float(other.capacity[kind, dimension]),
                dimension=int(dimension) + 1,
                vehicle=vehicle,
            )
        for field, measure in _LIMITS.items():
            if (limit := getattr(other, field)[kind]) != getattr(one, field)[kind]:
                yield RouteLimit.model_validate(
                    {"measure": measure, "limit": float(limit), "vehicle": vehicle}
                )
        if one.max_driving_unbroken[kind] != other.max_driving_unbroken[kind]:
            yield Breaks(
                after=float(other.max_driving_unbroken[kind]),
                length=float(other.break_length[kind]),
                vehicle=vehicle,
            )
        if one.shift[kind, 1] != other.shift[kind, 1]:
            yield Shift(latest=float(other.shift[kind, 1]), vehicle=vehicle)
