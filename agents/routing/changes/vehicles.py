"""Single vehicles of a fleet: whom a change concerns, and a fleet parted so that it can."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ....evaluators.routing import Fleet, RoutingError, RoutingInstance
from ....evaluators.routing.instance import UNLIMITED


def fleet_for(instance: RoutingInstance, vehicle: int | None) -> tuple[Fleet, Any]:
    """Return a fleet and an index of the types in it that a change concerns.

    Args:
        instance: has the fleet.
        vehicle: number of the vehicle (of the type, where there are several); None is all.

    Raises:
        RoutingError: no such vehicle.
    """
    if vehicle is None:
        return instance.fleet, slice(None)
    return parted(instance.fleet, [vehicle]), [vehicle - 1]


def parted(fleet: Fleet, numbers: Sequence[int]) -> Fleet:
    """Return a fleet in which each number is a type of its own.

    Several types: numbers are types. One type: its vehicles 1 … the largest number become types of
    one vehicle each, and the rest stays one type.

    Raises:
        RoutingError: there is no such vehicle.
    """
    largest = max(numbers)
    if min(numbers) < 1 or (fleet.types > 1 and largest > fleet.types):
        raise RoutingError(f"vehicles are numbered 1 to {max(fleet.types, 1)}.")
    if fleet.types > 1:
        return fleet
    count = int(fleet.available[0])
    if count != UNLIMITED and largest > count:
        raise RoutingError(f"the number of vehicles is {count}, so there is no vehicle {largest}.")
    rest = UNLIMITED if count == UNLIMITED else count - largest
    types = largest + (rest != 0)
    repeated: dict[str, Any] = {
        one.name: np.repeat(getattr(fleet, one.name), types, axis=0) for one in fields(fleet)
    }
    available = np.ones(types, dtype=np.int64)
    if rest:
        available[-1] = rest
    return replace(fleet, **{**repeated, "available": available})
