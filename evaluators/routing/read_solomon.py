"""Solomon's format (and Gehring and Homberger's): fleet, then a table of nodes with windows."""

from pathlib import Path

import numpy as np

from .instance import Floats, Kind, RoutingError, make_fleet, make_instance
from .reading import FileFacts, Reading
from .rounding import euclidean

_COLUMNS = 7  # node, x, y, demand, ready time, due date, service time


def looks_like_solomon(text: str) -> bool:
    """Return whether the text has the two tables of a Solomon file."""
    words = text.upper().split()
    return "VEHICLE" in words and "CUSTOMER" in words and "CAPACITY" in words and ":" not in text


def parse_solomon(text: str, path: str | Path = "text", *, rounding: str = "auto") -> Reading:
    """Read a Solomon file.

    Raises:
        RoutingError: a row does not have its numbers, or the fleet is missing.
    """
    fleet_line, table = _tables(text, path)
    assumed = {}
    if rounding == "auto":
        rounding = "none"
        assumed["rounding"] = "none; best-known values of DIMACS cut to one decimal"
    coordinates = table[:, 1:3]
    kinds = np.where(np.arange(len(table)) == 0, int(Kind.DEPOT), int(Kind.CUSTOMER))
    fleet = make_fleet(len(table), capacity=fleet_line[1], available=int(fleet_line[0]))
    instance = make_instance(
        kinds,
        euclidean(coordinates, rounding),
        name=text.split()[0],
        node_ids=[f"{node:g}" for node in table[:, 0]],
        coordinates=coordinates,
        deliveries=table[:, 3],
        windows=table[:, 4:6],
        service=table[:, 6],
        fleet=fleet,
        units={"distance": "file units", "time": "file units", "load": "file units"},
    )
    fields = ("NUMBER", "CAPACITY", "XCOORD", "YCOORD", "DEMAND", "READY", "DUE", "SERVICE")
    facts = FileFacts(
        "solomon", str(path), "VRPTW", fields=fields, rounding=rounding, assumed=assumed
    )
    return Reading(instance, facts)


def _tables(text: str, path: str | Path) -> tuple[list[float], Floats]:
    """Return vehicles and capacity, and the nodes ``[N, 7]``."""
    rows: list[list[float]] = []
    fleet_line: list[float] | None = None
    for line, content in enumerate(text.splitlines(), start=1):
        words = content.split()
        if not words or not _numeric(words):
            continue
        if len(words) == 2 and fleet_line is None:
            fleet_line = [float(word) for word in words]
        elif len(words) == _COLUMNS:
            rows.append([float(word) for word in words])
        else:
            problem = f"a node has {_COLUMNS} numbers, this line {len(words)}"
            raise RoutingError(f"{path}, line {line}: {problem}.")
    if fleet_line is None or not rows:
        raise RoutingError(f"{path}: there is no line of vehicles and capacity, or no node.")
    return fleet_line, np.array(rows)


def _numeric(words: list[str]) -> bool:
    try:
        [float(word) for word in words]
    except ValueError:
        return False
    return True
