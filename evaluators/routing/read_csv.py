"""CSV text to a routing instance, with a mapping of columns.

Each line is a node; the mapping says which column is which field. Without a mapping, columns with
a field's name (or one of its usual other names) are taken. No column is ignored silently.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .instance import RoutingError
from .read_json import parse_json
from .reading import FileFacts, Reading
from .vrplib_text import Unknown

SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": ("id", "node", "name", "stop", "customer", "cust_no"),
    "kind": ("kind", "type", "role"),
    "x": ("x", "xcoord", "x_coord", "lon", "lng", "longitude"),
    "y": ("y", "ycoord", "y_coord", "lat", "latitude"),
    "delivery": ("delivery", "demand", "load", "quantity"),
    "pickup": ("pickup", "collect", "backhaul"),
    "open": ("open", "ready", "ready_time", "tw_early", "earliest", "window_start"),
    "close": ("close", "due", "due_date", "tw_late", "latest", "window_end"),
    "service": ("service", "service_time", "duration", "stop_time"),
    "release": ("release", "release_time"),
    "prize": ("prize", "profit"),
    "required": ("required", "mandatory"),
    "skills": ("skills",),
    "goods": ("goods",),
}
_FIRST_IS_DEPOT = "there is no column of kinds: the first node is the depot"
_TEXTS = ("id", "kind")
_LISTS = ("skills", "goods")


def parse_csv(
    text: str,
    path: str | Path = "text",
    *,
    columns: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
    problem: Mapping[str, Any] | None = None,
    rounding: str = "auto",
) -> Reading:
    """Read a table of nodes.

    Args:
        text: the table with a line of column names; commas, semicolons or tabs.
        path: its name, for messages.
        columns: field (a key of ``SYNONYMS``) to the name of its column.
        ignore: columns that are known to mean nothing here.
        problem: what a table cannot say, as the JSON format has it (``vehicles``, ``pairs``, …).
        rounding: a key of ``ROUNDINGS``, or ``auto`` for none.

    Raises:
        RoutingError: a mapped column is not there, or a cell cannot be read.
    """
    lines = text.splitlines()
    first = lines[0] if lines else ""
    delimiter = max(",;\t", key=first.count)
    table = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    names = [name.strip() for name in table.fieldnames or ()]
    table.fieldnames = names
    mapping = _mapping(names, dict(columns or {}), str(path))
    used = {*mapping.values(), *ignore}
    fields = tuple(mapping)
    unknown = _unknown(name for name in names if name not in used)
    nodes = [_node(row, mapping, f"{path}, line {line}") for line, row in enumerate(table, start=2)]
    if nodes and "kind" not in mapping:
        nodes[0]["kind"] = "depot"
    content = {"name": Path(path).stem, **(problem or {}), "nodes": nodes}
    reading = parse_json(json.dumps(content), path, rounding=rounding)
    assumed = {} if "kind" in mapping else {"depot": _FIRST_IS_DEPOT}
    facts = FileFacts(
        "csv",
        str(path),
        headers=reading.facts.headers,
        fields=(*fields, *(problem or {})),
        unknown=unknown,
        rounding=reading.facts.rounding,
        assumed=assumed,
    )
    return replace(reading, facts=facts)


def _unknown(names: Iterable[str]) -> tuple[Unknown, ...]:
    """Return the columns that mean nothing, with close matches."""
    known = [name for several in SYNONYMS.values() for name in several]
    return tuple(
        Unknown(name, 1, tuple(get_close_matches(name.lower(), known, n=2, cutoff=0.6)))
        for name in names
    )


def _mapping(names: list[str], asked: dict[str, str], path: str) -> dict[str, str]:
    for field, column in asked.items():
        if field not in SYNONYMS:
            close = get_close_matches(field, SYNONYMS, n=1, cutoff=0.5)
            guess = f" did you mean {close[0]}?" if close else ""
            raise RoutingError(f"{path}: {field!r} is no field of a node;{guess}")
        if column not in names:
            raise RoutingError(f"{path}: there is no column {column!r}; there are {names}.")
    lower = {name.lower().replace(" ", "_"): name for name in names}
    found = dict(asked)
    for field, several in SYNONYMS.items():
        column_found = next((lower[name] for name in several if name in lower), None)
        if field not in found and column_found and column_found not in found.values():
            found[field] = column_found
    return found


def _node(row: Mapping[str, str | None], mapping: Mapping[str, str], where: str) -> dict[str, Any]:
    node: dict[str, Any] = {}
    window: dict[str, float] = {}
    for field, column in mapping.items():
        cell = (row.get(column) or "").strip()
        if not cell:
            continue
        if field in ("open", "close"):
            window[field] = _number(cell, column, where)
        elif field in _TEXTS:
            node[field] = cell
        elif field in _LISTS:
            node[field] = [part.strip() for part in cell.split("|")]
        elif field == "required":
            node[field] = cell.lower() in ("1", "true", "yes")
        else:
            node[field] = _number(cell, column, where)
    if window:
        if len(window) == 1:
            raise RoutingError(f"{where}: a window has only one of its ends.")
        node["windows"] = [(window["open"], window["close"])]
    return node


def _number(cell: str, column: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise RoutingError(f"{where}, column {column}: {cell[:40]!r} is not a number.") from None
