"""Headers and sections of VRPLIB and TSPLIB text, without judging them.

Tolerant of what real files do: keys without a colon or out of order, headers after data, two
headers on one line, section names with a colon, -1 closing any section. Nothing is dropped: keys
and sections that are not known are kept apart, with close matches, for the analysis to report.
"""

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from .instance import RoutingError

HEADERS = {
    "NAME": "name of the instance",
    "TYPE": "kind of problem",
    "COMMENT": "free text",
    "DIMENSION": "number of nodes",
    "CAPACITY": "capacity of a vehicle",
    "VEHICLES": "number of vehicles",
    "DISTANCE": "limit of a route's length (with SERVICE_TIME: of its duration)",
    "DISTANCE_LIMIT": "limit of a route's length",
    "SERVICE_TIME": "time at each customer",
    "VEHICLES_MAX_DURATION": "limit of a route's duration",
    "VEHICLES_MAX_DISTANCE": "limit of a route's length",
    "EDGE_WEIGHT_TYPE": "how distances are given",
    "EDGE_WEIGHT_FORMAT": "layout of listed distances",
    "NODE_COORD_TYPE": "kind of coordinates",
    "DISPLAY_DATA_TYPE": "kind of display coordinates",
    "EDGE_DATA_FORMAT": "layout of a sparse graph",
    "FUEL_CAPACITY": "capacity of the battery",
    "FUEL_CONSUMPTION_RATE": "energy per unit of distance",
    "REFUEL_RATE": "time per unit of energy",
    "OPEN_ROUTE": "whether routes end at their last customer",
    "NUM_DEPOTS": "number of depots",
    "VEHICLE_SPEED": "distance per unit of time",
}
SECTIONS = {
    "NODE_COORD_SECTION": "coordinates",
    "EDGE_WEIGHT_SECTION": "listed distances",
    "DISPLAY_DATA_SECTION": "coordinates for drawing",
    "DEMAND_SECTION": "demands",
    "BACKHAUL_SECTION": "amounts to be collected",
    "DEPOT_SECTION": "depots",
    "STATION_SECTION": "recharging stations",
    "MAP_SECTION": "names of the nodes",
    "TIME_WINDOW_SECTION": "time windows",
    "SERVICE_TIME_SECTION": "service times",
    "RELEASE_TIME_SECTION": "release times",
    "PRIZE_SECTION": "prizes",
    "CAPACITY_SECTION": "capacities of the vehicles",
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION": "groups of which one node is visited",
    "PICKUP_AND_DELIVERY_SECTION": "pairs",
    "VEHICLES_FIXED_COST_SECTION": "fixed costs of the vehicles",
    "VEHICLES_UNIT_DISTANCE_COST_SECTION": "costs per distance of the vehicles",
    "VEHICLES_UNIT_DURATION_COST_SECTION": "costs per time of the vehicles",
    "VEHICLES_MAX_DISTANCE_SECTION": "distance limits of the vehicles",
    "VEHICLES_MAX_DURATION_SECTION": "duration limits of the vehicles",
    "VEHICLES_DEPOT_SECTION": "depots of the vehicles",
    "VEHICLES_RELOAD_DEPOT_SECTION": "reload depots of the vehicles",
    "VEHICLES_MAX_RELOADS_SECTION": "reloads of the vehicles",
    "VEHICLES_ALLOWED_CLIENTS_SECTION": "customers that each vehicle may visit",
}
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_ ]*")
_GLUED = re.compile(rf"(?<=[\s\d])({'|'.join(sorted(HEADERS, key=len, reverse=True))})\s*:")


@dataclass(frozen=True)
class Unknown:
    """A key that no reader knows; ``guesses`` are close known ones."""

    key: str
    line: int
    guesses: tuple[str, ...]


@dataclass
class Section:
    """The lines of one section as words, with line numbers."""

    line: int
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


@dataclass
class VrplibText:
    """One file: headers by key (first value), sections, remarks, and what is unknown."""

    path: str
    headers: dict[str, tuple[int, str]] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    repeated: list[tuple[str, int]] = field(default_factory=list)
    glued: list[tuple[str, int]] = field(default_factory=list)

    def error(self, problem: str, line: int | None = None) -> RoutingError:
        """Return an error that names the file and the line."""
        where = f"{self.path}, line {line}" if line is not None else self.path
        return RoutingError(f"{where}: {problem}.")

    def word(self, key: str) -> str:
        """Return the first word of a header's value in upper case, or an empty string."""
        return (self.headers.get(key, (0, ""))[1].split() or [""])[0].upper()

    def number(self, key: str) -> float | None:
        """Return a header's number, or None where there is no such header."""
        if key not in self.headers:
            return None
        line, text = self.headers[key]
        return self.parse((text.split() or [""])[0], line, key)

    def parse(self, word: str, line: int, where: str) -> float:
        """Return a finite number.

        Raises:
            RoutingError: the word is none.
        """
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"{where}: {word[:40]!r} is not a number", line) from None
        if value != value or value in (float("inf"), float("-inf")):
            raise self.error(f"{where}: {word[:40]!r} is not a finite number", line)
        return value


def split(text: str, path: str | Path) -> VrplibText:
    """Split the text of a VRPLIB or TSPLIB file.

    Raises:
        RoutingError: a line belongs nowhere, or a section comes twice.
    """
    file = VrplibText(str(path))
    section: Section | None = None
    for line, content in enumerate(text.splitlines(), start=1):
        for part in _parts(file, line, content):
            words = part.split()
            key = words[0].rstrip(":").upper()
            if key == "EOF":
                return file
            if key.endswith("_SECTION") or key in SECTIONS:
                section = _open(file, key, line)
                section.rows += [(line, words[1:])] if words[1:] not in ([], [":"]) else []
            elif _is_header(part, key):
                _header(file, part, line)
                section = None
            elif section is None:
                if words != ["-1"]:
                    problem = f"{part.strip()[:60]!r} is neither a header nor part of a section"
                    raise file.error(problem, line)
            elif words == ["-1"] and section is not file.sections.get("EDGE_WEIGHT_SECTION"):
                section = None
            else:
                section.rows.append((line, words))
    return file


def _parts(file: VrplibText, line: int, content: str) -> list[str]:
    """Split a line at a second known header, as one published SOP file needs."""
    text = content.strip()
    if not text:
        return []
    if not text[0].isalpha() or text.upper().startswith("COMMENT"):
        return [text]
    found = _GLUED.search(text)
    if found is None or ":" not in text[: found.start()]:
        return [text]
    file.glued.append((found.group(1), line))
    return [text[: found.start()], text[found.start() :]]


def _is_header(text: str, key: str) -> bool:
    if not text[0].isalpha():
        return False
    return ":" in text or key in HEADERS


def _open(file: VrplibText, key: str, line: int) -> Section:
    if key in file.sections:
        raise file.error(f"there is a second {key}", line)
    if key not in SECTIONS:
        guesses = get_close_matches(key, SECTIONS, n=2, cutoff=0.6)
        file.unknown.append(Unknown(key, line, tuple(guesses)))
    file.sections[key] = Section(line)
    return file.sections[key]


def _header(file: VrplibText, text: str, line: int) -> None:
    if ":" in text:
        key, value = text.split(":", 1)
        key = "_".join(key.split()).upper()
    else:
        key, _, value = text.partition(" ")
        key = key.upper()
    value = value.strip()
    if key == "COMMENT":
        file.comments.append(value)
        return
    if key not in HEADERS:
        guesses = get_close_matches(key, HEADERS, n=2, cutoff=0.6)
        file.unknown.append(Unknown(key, line, tuple(guesses)))
    if key in file.headers:
        file.repeated.append((key, line))
        return
    file.headers[key] = (line, value)
