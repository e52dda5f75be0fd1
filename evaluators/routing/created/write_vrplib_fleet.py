"""The VEHICLES_* sections of VRPLIB: what each vehicle is, line by line."""

import numpy as np

from ..instance import ANY, Floats, RoutingError, RoutingInstance
from .write_text import number, numbers

_NUMBERS = {
    "VEHICLES_FIXED_COST_SECTION": "fixed_cost",
    "VEHICLES_UNIT_DISTANCE_COST_SECTION": "distance_cost",
    "VEHICLES_UNIT_DURATION_COST_SECTION": "duration_cost",
    "VEHICLES_MAX_DISTANCE_SECTION": "max_distance",
    "VEHICLES_MAX_DURATION_SECTION": "max_duration",
}
_LISTS = (
    "VEHICLES_DEPOT_SECTION",
    "VEHICLES_RELOAD_DEPOT_SECTION",
    "VEHICLES_ALLOWED_CLIENTS_SECTION",
)
FLEET_SECTIONS = frozenset({*_NUMBERS, *_LISTS, "CAPACITY_SECTION"})


def uniform(values: Floats, name: str) -> float:
    """Return the one value that all entries have.

    Raises:
        RoutingError: they differ, so that a header cannot hold them.
    """
    if values.size == 0 or (values != values.flat[0]).any():
        raise RoutingError(f"{name} is one number in the file, the instance has several.")
    return float(values.flat[0])


def vehicle_lines(name: str, instance: RoutingInstance, ids: list[str]) -> list[str]:
    """Return the lines of one section, one for each vehicle that has something to say."""
    fleet = instance.fleet
    if name == "CAPACITY_SECTION":
        return [f"{v + 1} {numbers(row)}" for v, row in enumerate(fleet.capacity)]
    if name in _NUMBERS:
        values = getattr(fleet, _NUMBERS[name])
        return [f"{v + 1} {number(value)}" for v, value in enumerate(values)]
    if name == "VEHICLES_DEPOT_SECTION":
        return [f"{v + 1} {ids[row]} -1" for v, row in enumerate(fleet.start_depot) if row != ANY]
    if name == "VEHICLES_RELOAD_DEPOT_SECTION":
        members = fleet.reload_depots
    else:
        members = fleet.allowed.copy()
        members[:, np.setdiff1d(np.arange(instance.size), instance.customers)] = False
    return [
        " ".join([str(v + 1), *(ids[row] for row in np.flatnonzero(mask)), "-1"])
        for v, mask in enumerate(members)
    ]
