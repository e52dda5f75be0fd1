"""Fleet: vehicles exist, and no type is used more often than there are vehicles."""

import numpy as np

from ..instance import UNLIMITED, RoutingInstance, make_fleet
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    fleet = instance.fleet
    if (fleet.available == UNLIMITED).all() and fleet.types == 1:
        return None
    known = fleet.available[fleet.available != UNLIMITED]
    return f"{int(known.sum())} vehicles of {fleet.types} types"


def _check(context: Context) -> Verdict:
    trace, fleet = context.trace, context.instance.fleet
    used = np.bincount(trace.vehicle, minlength=fleet.types)
    room = np.where(fleet.available == UNLIMITED, np.inf, fleet.available - used)

    def say(index: tuple[int, ...]) -> Violation:
        kind = index[0]
        route = int(np.flatnonzero(trace.vehicle == kind)[int(fleet.available[kind])])
        count = f"{int(used[kind])} routes for {int(fleet.available[kind])} vehicles"
        return Violation("fleet", f"{count} of type {kind}", route)

    return judge("fleet", room, 0.0, say)


def _probe() -> Probe:
    fleet = make_fleet(3, capacity=5.0, available=1)
    instance = line_instance([0, 1, -1], fleet=fleet, name="one vehicle")
    return Probe(instance, OPEN | {"fleet"}, plan((0, 1, 2)), plan((0, 1), (0, 2)))


constraint = Constraint(
    "fleet",
    "limited, possibly heterogeneous fleet",
    "Each route has a vehicle of a type that exists, and no type is used more often than there "
    "are vehicles. Fixed and per-distance costs of the type count in the objective.",
    "vehicles",
    _evidence,
    _check,
    _probe,
)
