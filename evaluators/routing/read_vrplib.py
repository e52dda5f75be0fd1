"""VRPLIB, TSPLIB, SOP and electric-vehicle text to a routing instance."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .instance import (
    Battery,
    Floats,
    Ints,
    Kind,
    make_instance,
)
from .reading import FileFacts, Reading
from .vrplib_distances import Travel, read_travel
from .vrplib_fleet import read_fleet
from .vrplib_text import VrplibText, split

LARGEST = 8000  # nodes; larger matrices need more than half a gigabyte


def parse_vrplib(
    text: str, path: str | Path = "text", *, rounding: str = "auto", largest: int = LARGEST
) -> Reading:
    """Read VRPLIB-like text.

    Args:
        text: the whole file.
        path: its name, for messages.
        rounding: a key of ``ROUNDINGS``, or ``auto``: chosen from the type and the coordinates,
            and named among the facts as assumed.
        largest: refuse more nodes than this before a matrix is made.

    Raises:
        RoutingError: a section is missing, cut or contradicts another so that no reading is right.
    """
    file = split(text, path)
    mismatches = [f"{key} on line {line} shares its line with another" for key, line in file.glued]
    mismatches += [f"a second {key} on line {line} is not used" for key, line in file.repeated]
    assumed: dict[str, str] = {}
    travel = read_travel(file, rounding, largest, mismatches, assumed)
    rows = {name: row for row, name in enumerate(travel.node_ids)}
    nodes = _Nodes(file, rows, mismatches, assumed)
    fields = nodes.fields()
    fields["precedence"] = travel.precedence
    fleet = read_fleet(file, rows, fields, assumed)
    speed = file.number("VEHICLE_SPEED") or 1.0
    instance = make_instance(
        fields.pop("kinds"),
        travel.distances,
        name=file.headers.get("NAME", (0, ""))[1] or Path(path).stem,
        durations=travel.distances if speed == 1.0 else travel.distances / speed,
        coordinates=travel.coordinates,
        node_ids=nodes.names(travel.node_ids),
        fleet=fleet,
        battery=_battery(file),
        units={"distance": "file units", "time": "file units", "load": "file units"},
        **fields,
    )
    return Reading(instance, _facts(file, path, travel, mismatches, assumed))


def _facts(
    file: VrplibText,
    path: str | Path,
    travel: Travel,
    mismatches: list[str],
    assumed: Mapping[str, str],
) -> FileFacts:
    format_name = {"SOP": "sop", "TSP": "tsplib", "ATSP": "tsplib"}.get(file.word("TYPE"), "vrplib")
    return FileFacts(
        format="electric" if "STATION_SECTION" in file.sections else format_name,
        path=str(path),
        type_name=file.word("TYPE"),
        headers={key: value for key, (_, value) in file.headers.items()},
        fields=(*file.headers, *file.sections),
        comments=tuple(file.comments),
        unknown=tuple(file.unknown),
        mismatches=tuple(mismatches),
        rounding=travel.rounding,
        assumed=dict(assumed),
    )


def _battery(file: VrplibText) -> Battery | None:
    wanted = ("FUEL_CAPACITY", "FUEL_CONSUMPTION_RATE", "REFUEL_RATE")
    values = [file.number(key) for key in wanted]
    if all(value is None for value in values):
        return None
    for key, value in zip(wanted, values, strict=True):
        if value is None:
            raise file.error(f"there is no {key}, which the other fuel headers need")
    capacity, consumption, recharge = (float(value or 0.0) for value in values)
    return Battery(capacity, consumption, recharge)


class _Nodes:
    """Reads what sections say of nodes."""

    def __init__(
        self,
        file: VrplibText,
        rows: Mapping[str, int],
        mismatches: list[str],
        assumed: dict[str, str],
    ) -> None:
        self.file = file
        self.rows = rows
        self.mismatches = mismatches
        self.assumed = assumed

    def fields(self) -> dict[str, Any]:
        """Return the keyword arguments of ``make_instance`` that concern nodes."""
        kinds = self._kinds()
        deliveries, pickups = self._demands()
        fields: dict[str, Any] = {
            "kinds": kinds,
            "deliveries": deliveries,
            "pickups": pickups,
            "service": self._service(kinds),
            "groups": self._groups(),
        }
        windows = self._table("TIME_WINDOW_SECTION")
        if windows is not None:
            if windows.shape[1] % 2:
                raise self.file.error("TIME_WINDOW_SECTION wants pairs of times")
            fields["windows"] = windows.reshape(len(kinds), -1, 2)
        release = self._table("RELEASE_TIME_SECTION", 1)
        if release is not None:
            fields["release"] = release[:, 0]
        prizes = self._table("PRIZE_SECTION", 1)
        required = kinds == Kind.CUSTOMER
        if prizes is not None:
            fields["prizes"] = prizes[:, 0]
            required = np.zeros_like(required)
        for group in fields["groups"]:
            required[list(group)] = False
        fields["required"] = required
        self._pairs(fields)
        return fields

    def names(self, node_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the nodes, from MAP_SECTION where there is one."""
        section = self.file.sections.get("MAP_SECTION")
        if section is None:
            return node_ids
        names = list(node_ids)
        for line, words in section.rows:
            names[self._row(words[-1], line, "MAP_SECTION")] = words[0]
        return tuple(names)

    def _row(self, word: str, line: int, where: str) -> int:
        number = self.file.parse(word, line, where)
        row = self.rows.get(str(int(number))) if number.is_integer() else None
        if row is None:
            raise self.file.error(f"{where} names node {word}, which has no coordinates", line)
        return row

    def _listed(self, name: str) -> list[int]:
        section = self.file.sections.get(name)
        found: list[int] = []
        for line, words in section.rows if section else []:
            found += [self._row(word, line, name) for word in words if word != "-1"]
        return found

    def _kinds(self) -> Ints:
        kinds = np.full(len(self.rows), int(Kind.CUSTOMER), dtype=np.int64)
        depots = self._listed("DEPOT_SECTION")
        if not depots:
            depots = [0]
            self.assumed["depot"] = "there is no DEPOT_SECTION: the first node is the depot"
        kinds[self._listed("STATION_SECTION")] = Kind.STATION
        kinds[depots] = Kind.DEPOT
        return kinds

    def _table(self, name: str, columns: int | None = None) -> Floats | None:
        """Return a section's numbers by row ``[N, columns]``; every node once."""
        section = self.file.sections.get(name)
        if section is None:
            return None
        found: dict[int, list[float]] = {}
        for line, words in section.rows:
            row = self._row(words[0], line, name)
            if row in found:
                raise self.file.error(f"{name} has node {words[0]} twice", line)
            found[row] = [self.file.parse(word, line, name) for word in words[1:]]
            wide = len(next(iter(found.values()))) if columns is None else columns
            if len(found[row]) != wide or wide == 0:
                got = len(found[row])
                raise self.file.error(f"{name} wants {max(wide, 1)} numbers, got {got}", line)
        missing = [name_ for name_, row in self.rows.items() if row not in found]
        if missing:
            raise self.file.error(f"{name} lacks node {missing[0]}", section.line)
        return np.array([found[row] for row in range(len(self.rows))])

    def _demands(self) -> tuple[Floats, Floats]:
        """Split demands: what is negative, or in BACKHAUL_SECTION, is collected."""
        demands = self._table("DEMAND_SECTION")
        if demands is None:
            demands = np.zeros((len(self.rows), 1))
        backhauls = self._table("BACKHAUL_SECTION", demands.shape[1])
        deliveries, pickups = np.maximum(demands, 0.0), np.maximum(-demands, 0.0)
        return deliveries, pickups if backhauls is None else pickups + backhauls

    def _service(self, kinds: Ints) -> Floats:
        table = self._table("SERVICE_TIME_SECTION", 1)
        if table is not None:
            return table[:, 0]
        each = self.file.number("SERVICE_TIME") or 0.0
        return np.where(kinds == Kind.CUSTOMER, each, 0.0)

    def _groups(self) -> tuple[tuple[int, ...], ...]:
        name = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"
        section = self.file.sections.get(name)
        groups = []
        for line, words in section.rows if section else []:
            groups.append(tuple(self._row(word, line, name) for word in words[1:] if word != "-1"))
        return tuple(groups)

    def _pairs(self, fields: dict[str, Any]) -> None:
        """Read LKH's seven columns: node, demand, window, service, pickup and delivery sibling."""
        name = "PICKUP_AND_DELIVERY_SECTION"
        table = self._table(name, 6)
        if table is None:
            return
        fields["deliveries"] = np.maximum(-table[:, :1], 0.0)
        fields["pickups"] = np.maximum(table[:, :1], 0.0)
        fields["windows"] = table[:, None, 1:3]
        fields["service"] = table[:, 3]
        line = self.file.sections[name].line
        siblings = [
            (row, self._row(str(int(delivery)), line, name))
            for row, delivery in enumerate(table[:, 5])
            if delivery > 0
        ]
        fields["pairs"] = siblings
