"""Travel of a VRPLIB, TSPLIB or SOP file: from coordinates, or listed in any layout."""

from dataclasses import dataclass

import numpy as np

from .instance import Floats, Ints
from .rounding import euclidean
from .tsplib_distances import (
    COORDINATE_COUNT,
    MATRIX_FORMATS,
    distances_from_coordinates,
    distances_from_list,
    matrix_size,
)
from .vrplib_text import VrplibText

_FIXED = {"EXACT_2D": "none", "FLOOR_2D": "floor", "CEIL_2D": "ceil"}
SOP_FORBIDDEN = 1_000_000.0  # the constant of published SOP files for an arc that is not there


@dataclass(frozen=True, eq=False)
class Travel:
    """Distances ``[N, N]`` (infinite: forbidden), and where they come from."""

    node_ids: tuple[str, ...]
    distances: Floats
    coordinates: Floats | None
    precedence: Ints  # [Q, 2] before, after
    rounding: str


def read_travel(
    file: VrplibText, rounding: str, largest: int, mismatches: list[str], assumed: dict[str, str]
) -> Travel:
    """Read or compute the distances.

    Raises:
        RoutingError: neither coordinates nor weights, an unknown type, or too many nodes.
    """
    ids, coordinates = _coordinates(file)
    dimension = _dimension(file, ids, mismatches)
    if dimension > largest:
        problem = f"{dimension} nodes, matrices of more than {largest} do not fit"
        raise file.error(problem, file.headers.get("DIMENSION", (None, ""))[0])
    nothing = np.empty((0, 2), dtype=np.int64)
    kind = file.word("EDGE_WEIGHT_TYPE") or _default_type(file, assumed)
    if kind == "EXPLICIT":
        listed = _listed(file, dimension)
        names = tuple(ids) or tuple(str(node) for node in range(1, dimension + 1))
        if file.word("TYPE") != "SOP":
            return Travel(names, _travelled(file, listed), coordinates, nothing, "EXPLICIT")
        distances, precedence = _sop(listed)
        return Travel(names, distances, coordinates, precedence, "EXPLICIT")
    if coordinates is None:
        raise file.error(f"EDGE_WEIGHT_TYPE is {kind}, but there is no NODE_COORD_SECTION")
    if kind == "EUC_2D" or kind in _FIXED:
        chosen = _FIXED.get(kind) or _rounding(file, rounding, coordinates, assumed)
        return Travel(tuple(ids), euclidean(coordinates, chosen), coordinates, nothing, chosen)
    if kind not in COORDINATE_COUNT:
        known = sorted([*COORDINATE_COUNT, *_FIXED, "EXPLICIT"])
        raise file.error(f"EDGE_WEIGHT_TYPE {kind} is not known; known are {', '.join(known)}")
    if COORDINATE_COUNT[kind] != coordinates.shape[1]:
        raise file.error(f"{kind} wants {COORDINATE_COUNT[kind]} coordinates")
    return Travel(
        tuple(ids), distances_from_coordinates(kind, coordinates), coordinates, nothing, kind
    )


def _default_type(file: VrplibText, assumed: dict[str, str]) -> str:
    listed = "EDGE_WEIGHT_SECTION" in file.sections
    assumed["edge weight type"] = (
        "there is no EDGE_WEIGHT_TYPE: the listed weights are used"
        if listed
        else "there is no EDGE_WEIGHT_TYPE: Euclidean distances are used"
    )
    return "EXPLICIT" if listed else "EUC_2D"


def _rounding(file: VrplibText, asked: str, points: Floats, assumed: dict[str, str]) -> str:
    """Choose the convention of EUC_2D, which no VRP file states."""
    if asked != "auto":
        return asked
    if file.word("TYPE") in ("TSP", "ATSP"):
        return "nearest"  # TSPLIB95 defines it
    limits = {"DISTANCE", "DISTANCE_LIMIT", "VEHICLES_MAX_DURATION", "FUEL_CAPACITY"}
    real = bool(np.any(points != np.floor(points)))
    fine = sorted(limits & set(file.headers))
    fine += [key for key in file.sections if key in ("TIME_WINDOW_SECTION",) or "COST" in key]
    if real or fine:
        reason = "coordinates are not integers" if real else f"the file has {fine[0]}"
        assumed["rounding"] = f"none, as {reason}"
        return "none"
    assumed["rounding"] = "nearest, as coordinates are integers (the custom of CVRPLIB)"
    return "nearest"


def _coordinates(file: VrplibText) -> tuple[list[str], Floats | None]:
    section = file.sections.get("NODE_COORD_SECTION") or file.sections.get("DISPLAY_DATA_SECTION")
    if section is None:
        return [], None
    ids: dict[str, list[float]] = {}
    for line, words in section.rows:
        number = file.parse(words[0], line, "NODE_COORD_SECTION")
        name = str(int(number))
        if not number.is_integer() or name in ids:
            raise file.error(f"NODE_COORD_SECTION: node {words[0]} is not new", line)
        ids[name] = [file.parse(word, line, "NODE_COORD_SECTION") for word in words[1:]]
        if len(ids[name]) not in (2, 3) or len(ids[name]) != len(next(iter(ids.values()))):
            raise file.error("NODE_COORD_SECTION wants a node and its coordinates", line)
    return list(ids), np.array(list(ids.values()))


def _dimension(file: VrplibText, ids: list[str], mismatches: list[str]) -> int:
    stated = file.number("DIMENSION")
    if stated is None:
        if not ids:
            raise file.error("there is neither DIMENSION nor NODE_COORD_SECTION")
        mismatches.append(f"there is no DIMENSION; NODE_COORD_SECTION has {len(ids)} nodes")
        return len(ids)
    if ids and stated != len(ids):
        mismatches.append(f"DIMENSION is {stated:g}, NODE_COORD_SECTION has {len(ids)} nodes")
        return len(ids)
    if not stated.is_integer() or stated < 1:
        raise file.error(f"DIMENSION is {stated:g}", file.headers["DIMENSION"][0])
    return int(stated)


def _listed(file: VrplibText, dimension: int) -> Floats:
    form = file.word("EDGE_WEIGHT_FORMAT") or "FULL_MATRIX"
    if form not in MATRIX_FORMATS:
        known = ", ".join(MATRIX_FORMATS)
        raise file.error(f"EDGE_WEIGHT_FORMAT {form} is not known; known are {known}")
    section = file.sections.get("EDGE_WEIGHT_SECTION")
    if section is None:
        raise file.error("EDGE_WEIGHT_TYPE is EXPLICIT, but there is no EDGE_WEIGHT_SECTION")
    numbers = np.array(
        [
            file.parse(word, line, "EDGE_WEIGHT_SECTION")
            for line, words in section.rows
            for word in words
        ]
    )
    wanted = matrix_size(form, dimension)
    if len(numbers) == wanted + 1 and file.word("TYPE") == "SOP" and numbers[0] == dimension:
        numbers = numbers[1:]  # published SOP files begin with the dimension once more
    elif len(numbers) == wanted + 1 and numbers[-1] == -1:
        numbers = numbers[:-1]
    if len(numbers) != wanted:
        problem = f"EDGE_WEIGHT_SECTION has {len(numbers)} numbers, {form} wants {wanted}"
        raise file.error(problem, section.line)
    return distances_from_list(form, numbers, dimension)


def _travelled(file: VrplibText, listed: Floats) -> Floats:
    if (listed < 0).any():
        row, column = np.argwhere(listed < 0)[0] + 1
        raise file.error(f"the distance from node {row} to node {column} is negative")
    return listed


def _sop(listed: Floats) -> tuple[Floats, Ints]:
    """An entry -1 from i to j says that j comes before i, and that no arc goes that way."""
    after, before = np.nonzero(listed == -1)
    distances = np.where((listed == -1) | (listed >= SOP_FORBIDDEN), np.inf, listed)
    return distances, np.stack([before, after], axis=1).astype(np.int64)
