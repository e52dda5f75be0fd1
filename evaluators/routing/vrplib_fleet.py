"""The fleet of a VRPLIB file: one vehicle type, or the vehicles of VEHICLES_* sections."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .instance import ANY, UNLIMITED, Fleet, Floats, Kind, make_fleet
from .vrplib_text import VrplibText

_PER_VEHICLE = {
    "CAPACITY_SECTION": "capacity",
    "VEHICLES_FIXED_COST_SECTION": "fixed_cost",
    "VEHICLES_UNIT_DISTANCE_COST_SECTION": "distance_cost",
    "VEHICLES_UNIT_DURATION_COST_SECTION": "duration_cost",
    "VEHICLES_MAX_DISTANCE_SECTION": "max_distance",
    "VEHICLES_MAX_DURATION_SECTION": "max_duration",
}
_LISTS = ("VEHICLES_DEPOT_SECTION", "VEHICLES_RELOAD_DEPOT_SECTION")
_ALLOWED = "VEHICLES_ALLOWED_CLIENTS_SECTION"


def read_fleet(
    file: VrplibText,
    rows: Mapping[str, int],
    fields: Mapping[str, Any],
    assumed: dict[str, str],
) -> Fleet:
    """Return the fleet; a vehicle of its own section is a type with one vehicle.

    Args:
        file: the text.
        rows: node names to rows.
        fields: what is known of the nodes (``kinds``, ``deliveries``).
        assumed: takes what had to be chosen.
    """
    sections = [name for name in (*_PER_VEHICLE, *_LISTS, _ALLOWED) if name in file.sections]
    count = file.number("VEHICLES")
    if file.word("TYPE") in ("TSP", "ATSP", "SOP") and count is None:
        count = 1.0
    nodes, loads = len(rows), fields["deliveries"].shape[1]
    given: dict[str, Any] = {"load_dimensions": loads, **_limits(file, assumed)}
    if file.number("CAPACITY") is not None:
        given["capacity"] = file.number("CAPACITY")
    if not sections:
        given["available"] = UNLIMITED if count is None else int(count)
        return make_fleet(nodes, 1, **given)
    vehicles = int(count) if count is not None else len(file.sections[sections[0]].rows)
    for name, key in _PER_VEHICLE.items():
        if name in file.sections:
            given[key] = _numbers(file, name, vehicles)
    given["available"] = 1
    _depots(file, rows, vehicles, fields, given)
    return make_fleet(nodes, vehicles, **given)


def _limits(file: VrplibText, assumed: dict[str, str]) -> dict[str, float]:
    """Return the limits of all vehicles; DISTANCE beside SERVICE_TIME limits the duration."""
    limits: dict[str, float] = {}
    distance = file.number("DISTANCE")
    if distance is not None:
        timed = file.number("SERVICE_TIME") is not None
        limits["max_duration" if timed else "max_distance"] = distance
        if timed:
            assumed["DISTANCE"] = "limits travel and service together, as SERVICE_TIME is given"
    for header, key in (
        ("DISTANCE_LIMIT", "max_distance"),
        ("VEHICLES_MAX_DISTANCE", "max_distance"),
        ("VEHICLES_MAX_DURATION", "max_duration"),
    ):
        value = file.number(header)
        if value is not None:
            limits[key] = value
    return limits


def _vehicle(file: VrplibText, name: str, word: str, line: int, vehicles: int) -> int:
    number = file.parse(word, line, name)
    if not number.is_integer() or not 1 <= number <= vehicles:
        raise file.error(f"{name}: vehicle {word} is not one of {vehicles}", line)
    return int(number) - 1


def _numbers(file: VrplibText, name: str, vehicles: int) -> Floats:
    section = file.sections[name]
    found: dict[int, list[float]] = {}
    for line, words in section.rows:
        vehicle = _vehicle(file, name, words[0], line, vehicles)
        found[vehicle] = [file.parse(word, line, name) for word in words[1:]]
    if len(found) != vehicles or len({len(values) for values in found.values()}) != 1:
        raise file.error(f"{name} wants one line for each of {vehicles} vehicles", section.line)
    table = np.array([found[vehicle] for vehicle in range(vehicles)])
    return table if name == "CAPACITY_SECTION" else table[:, 0]


def _depots(
    file: VrplibText,
    rows: Mapping[str, int],
    vehicles: int,
    fields: Mapping[str, Any],
    given: dict[str, Any],
) -> None:
    """Read which depots, reload depots and customers belong to which vehicle."""
    nodes = len(rows)

    def entries(name: str) -> list[tuple[int, list[int]]]:
        section = file.sections.get(name)
        found = []
        for line, words in section.rows if section else []:
            vehicle = _vehicle(file, name, words[0], line, vehicles)
            members = [word for word in words[1:] if word != "-1"]
            if not set(members) <= set(rows):
                raise file.error(f"{name} names a node that has no coordinates", line)
            found.append((vehicle, [rows[word] for word in members]))
        return found

    start = np.full(vehicles, ANY, dtype=np.int64)
    for vehicle, members in entries("VEHICLES_DEPOT_SECTION"):
        start[vehicle] = members[0]
    given["start_depot"], given["end_depot"] = start, start
    reload = np.zeros((vehicles, nodes), dtype=bool)
    for vehicle, members in entries("VEHICLES_RELOAD_DEPOT_SECTION"):
        reload[vehicle, members] = True
    given["reload_depots"] = reload
    given["max_trips"] = np.where(reload.any(axis=1), UNLIMITED, 1)
    allowed = np.ones((vehicles, nodes), dtype=bool)
    if _ALLOWED in file.sections:
        allowed[:, fields["kinds"] == Kind.CUSTOMER] = False
        for vehicle, members in entries(_ALLOWED):
            allowed[vehicle, members] = True
    given["allowed"] = allowed
