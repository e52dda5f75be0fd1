"""Reader of TSPLIB95 files: symmetric travelling salesman instances and tours."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .tsplib_distances import (
    COORDINATE_COUNT,
    MATRIX_FORMATS,
    distances_from_coordinates,
    distances_from_list,
    matrix_size,
)

Floats = NDArray[np.float64]

_WEIGHT_TYPES = sorted([*COORDINATE_COUNT, "EXPLICIT"])
_WANTED = "a complete TSPLIB file is needed; download or write it again."
_LONGEST_FILE_MIB = 512
_REFUSED_SECTIONS = {
    "FIXED_EDGES_SECTION": "fixed edges",
    "EDGE_DATA_SECTION": "a sparse graph",
    "DEMAND_SECTION": "demands of a vehicle routing problem",
    "DEPOT_SECTION": "depots of a vehicle routing problem",
}
_SECTIONS = {
    "NODE_COORD_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION",
    "TOUR_SECTION",
    *_REFUSED_SECTIONS,
}


class TsplibError(InputError):
    """A TSPLIB file cannot be used: says what is wrong, where (file and line) and what to do."""

    def __init__(self, path: Path, line: int | None, problem: str, advice: str = _WANTED) -> None:
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {problem}; {advice}" if advice else f"{where}: {problem}.")
        self.path = path
        self.line = line


@dataclass(frozen=True, eq=False)
class TsplibInstance:
    """A symmetric travelling salesman instance.

    ``distances`` is ``[N, N]`` float64 with a zero diagonal, integer-valued for every type computed
    from coordinates; ``node_ids`` are the file's names of the cities, in the order of the rows;
    ``coordinates`` is ``[N, 2]`` or ``[N, 3]``, None where the file lists distances.
    """

    name: str
    dimension: int
    edge_weight_type: str
    distances: Floats
    node_ids: tuple[int, ...]
    coordinates: Floats | None


@dataclass(frozen=True, eq=False)
class TsplibTour:
    """A tour as its file has it: the file's names of the cities in order of the visits."""

    path: Path
    node_ids: tuple[int, ...]

    def positions(self, instance: TsplibInstance) -> NDArray[np.int64]:
        """Return the tour as rows of ``instance.distances``, turned so that it starts at row 0.

        Raises:
            TsplibError: the tour does not visit each city of the instance exactly once.
        """
        advice = f"a tour of {instance.name} is needed, or none at all."
        row = {node: position for position, node in enumerate(instance.node_ids)}
        if len(self.node_ids) != instance.dimension:
            problem = f"the tour has {len(self.node_ids)} cities, the instance {instance.dimension}"
            raise TsplibError(self.path, None, problem, advice)
        unknown = [node for node in self.node_ids if node not in row]
        if unknown:
            problem = f"the tour visits city {unknown[0]}, which the instance does not have"
            raise TsplibError(self.path, None, problem, advice)
        tour = np.array([row[node] for node in self.node_ids], dtype=np.int64)
        return np.roll(tour, -int(np.argmin(tour)))


@dataclass
class _Section:
    """A data section: its rows as text with their line numbers (split late, to spare memory)."""

    line: int
    texts: list[tuple[int, str]] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line numbers and words."""
        return ((line, text.split()) for line, text in self.texts)


@dataclass
class _File:
    path: Path
    header: dict[str, tuple[int, str]] = field(default_factory=dict)
    sections: dict[str, _Section] = field(default_factory=dict)
    lines: int = 0

    def value(self, key: str, default: str = "") -> str:
        return self.header.get(key, (0, default))[1]

    def word(self, key: str) -> str:
        """Return the first word of a header value in upper case: some files add remarks."""
        return (self.value(key).split() or [""])[0].upper()

    def error(self, problem: str, advice: str = _WANTED, *, key: str = "") -> TsplibError:
        line = self.header[key][0] if key in self.header else None
        return TsplibError(self.path, line, problem, advice)

    def dimension(self) -> int:
        text = self.value("DIMENSION")
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0):
            got = f"DIMENSION is {text!r}" if text else "there is no DIMENSION"
            raise self.error(f"{got}, wanted a positive integer", key="DIMENSION")
        return int(text)

    def section(self, name: str) -> _Section:
        if name not in self.sections:
            raise TsplibError(self.path, self.lines, f"the file ends without {name}")
        return self.sections[name]


def read_instance(path: str | Path, *, max_dimension: int | None = None) -> TsplibInstance:
    """Read a ``.tsp`` file.

    Args:
        path: the file.
        max_dimension: refuse larger instances before their matrix of distances is made.

    Raises:
        TsplibError: the file is missing, cut, contradictory, too large or of an unsupported type.
    """
    file = _scan(Path(path))
    weight_type = _check_types(file)
    dimension = file.dimension()
    if max_dimension is not None and dimension > max_dimension:
        raise file.error(
            f"DIMENSION is {dimension}, matrices of more than {max_dimension} cities do not fit",
            f"use an instance of at most {max_dimension} cities.",
            key="DIMENSION",
        )
    coordinates = None
    if weight_type == "EXPLICIT":
        distances = _explicit(file, dimension)
        node_ids = tuple(range(1, dimension + 1))
        if "DISPLAY_DATA_SECTION" in file.sections:
            node_ids = _nodes(file, "DISPLAY_DATA_SECTION", dimension, 2)[0]
    else:
        count = COORDINATE_COUNT[weight_type]
        node_ids, coordinates = _nodes(file, "NODE_COORD_SECTION", dimension, count)
        distances = distances_from_coordinates(weight_type, coordinates)
        if not np.isfinite(distances).all():
            raise file.error("the distances overflow", "scale the coordinates down.")
    name = file.value("NAME") or file.path.stem
    return TsplibInstance(name, dimension, weight_type, distances, node_ids, coordinates)


def read_tour(path: str | Path) -> TsplibTour:
    """Read a ``.tour`` file; only the first tour of it.

    Raises:
        TsplibError: the file is missing, cut, contradictory, or not a tour.
    """
    file = _scan(Path(path))
    if file.word("TYPE") not in ("TOUR", ""):
        raise file.error(f"TYPE is {file.word('TYPE')}", "a TYPE : TOUR is needed.", key="TYPE")
    nodes: list[int] = []
    for line, words in file.section("TOUR_SECTION").rows():
        for word in words:
            node = _number(file.path, line, word)
            if not node.is_integer() or node < 0:
                raise TsplibError(file.path, line, f"{word!r} is not the number of a city")
            nodes.append(int(node))
    if len(set(nodes)) != len(nodes):
        twice = next(node for node in nodes if nodes.count(node) > 1)
        raise file.error(f"the tour visits city {twice} twice")
    if "DIMENSION" in file.header and file.dimension() != len(nodes):
        problem = f"DIMENSION is {file.dimension()}, but the tour has {len(nodes)} cities"
        raise file.error(problem, key="DIMENSION")
    return TsplibTour(file.path, tuple(nodes))


def _scan(path: Path) -> _File:
    """Split a file into header and sections, without judging them."""
    file = _File(path)
    section: _Section | None = None
    for line, text in _lines(path):
        file.lines = line
        words = text.split()
        keyword = words[0].rstrip(":").upper() if words else ""
        if not words:
            continue
        if keyword == "EOF":
            break
        if keyword in _SECTIONS:
            if keyword in file.sections:
                raise TsplibError(path, line, f"there is a second {keyword}")
            section = file.sections[keyword] = _Section(line)
        elif ":" in text and not _starts_like_number(words[0]):
            key, value = text.split(":", 1)
            file.header[key.strip().upper()] = (line, value.strip())
            section = None
        elif section is None:
            ended = "TOUR_SECTION" in file.sections or (keyword == "-1" and file.sections)
            if not ended:
                problem = f"{text.strip()[:60]!r} is neither a header nor part of a section"
                raise TsplibError(path, line, problem)
        elif "-1" in words and (words == ["-1"] or "TOUR_SECTION" in file.sections):
            before = words[: words.index("-1")]
            section.texts += [(line, " ".join(before))] if before else []
            section = None
        else:
            section.texts.append((line, text))
    return file


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        if path.stat().st_size > _LONGEST_FILE_MIB << 20:
            advice = f"files of at most {_LONGEST_FILE_MIB} MiB are read."
            raise TsplibError(path, None, "the file is too large", advice)
        with path.open(encoding="utf-8", errors="replace") as stream:
            yield from enumerate(stream, start=1)
    except FileNotFoundError:
        advice = "give the path of a TSPLIB file."
        raise TsplibError(path, None, "there is no such file", advice) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TsplibError(path, None, f"cannot be read ({reason})", "check the path.") from error


def _check_types(file: _File) -> str:
    """Return the edge weight type of a symmetric instance that can be represented."""
    kind = file.word("TYPE")
    if not file.header:
        raise file.error("this is not a TSPLIB file: it has no header")
    if kind not in ("TSP", ""):
        advice = "only symmetric travelling salesman instances (TYPE : TSP) can be read."
        raise file.error(f"TYPE is {kind}", advice, key="TYPE")
    weight_type = file.word("EDGE_WEIGHT_TYPE")
    if weight_type not in _WEIGHT_TYPES:
        got = f"is {weight_type}" if weight_type else "is missing"
        advice = f"supported are {', '.join(_WEIGHT_TYPES)}."
        raise file.error(f"EDGE_WEIGHT_TYPE {got}", advice, key="EDGE_WEIGHT_TYPE")
    for name, meaning in _REFUSED_SECTIONS.items():
        if name in file.sections:
            advice = "only plain travelling salesman instances can be read."
            raise TsplibError(file.path, file.sections[name].line, f"it has {meaning}", advice)
    return weight_type


def _nodes(file: _File, name: str, dimension: int, count: int) -> tuple[tuple[int, ...], Floats]:
    """Read lines of a node's number and ``count`` coordinates."""
    section = file.section(name)
    ids: list[int] = []
    coordinates: list[list[float]] = []
    for line, words in section.rows():
        if len(ids) == dimension:
            raise TsplibError(
                file.path, line, f"{name} has more than DIMENSION = {dimension} lines"
            )
        if len(words) != count + 1:
            problem = f"{name} wants a city and {count} coordinates, got {len(words)} words"
            raise TsplibError(file.path, line, problem)
        node, *position = (_number(file.path, line, word) for word in words)
        if not node.is_integer():
            raise TsplibError(file.path, line, f"{words[0]!r} is not the number of a city")
        coordinates.append(position)
        ids.append(int(node))
    if len(ids) != dimension:
        problem = f"{name} has {len(ids)} cities, DIMENSION is {dimension}"
        raise TsplibError(file.path, file.lines, problem)
    if len(set(ids)) != dimension:
        twice = next(node for node in ids if ids.count(node) > 1)
        raise TsplibError(file.path, section.line, f"{name} has city {twice} twice")
    return tuple(ids), np.array(coordinates)


def _explicit(file: _File, dimension: int) -> Floats:
    form = file.word("EDGE_WEIGHT_FORMAT")
    if form not in MATRIX_FORMATS:
        got = f"is {form}" if form else "is missing"
        advice = f"supported are {', '.join(MATRIX_FORMATS)}."
        raise file.error(f"EDGE_WEIGHT_FORMAT {got}", advice, key="EDGE_WEIGHT_FORMAT")
    wanted = matrix_size(form, dimension)
    numbers = _weights(file, wanted)
    if len(numbers) != wanted:
        problem = (
            f"EDGE_WEIGHT_SECTION has {len(numbers)} numbers, "
            f"{form} of DIMENSION {dimension} has {wanted}"
        )
        raise TsplibError(file.path, file.lines, problem)
    distances = distances_from_list(form, numbers, dimension)
    if not np.array_equal(distances, distances.T):
        row, column = np.argwhere(distances != distances.T)[0] + 1
        advice = "only symmetric travelling salesman instances can be read."
        raise file.error(f"the distances between cities {row} and {column} differ", advice)
    if (distances < 0).any():
        row, column = np.argwhere(distances < 0)[0] + 1
        advice = "distances must not be negative."
        raise file.error(f"the distance between cities {row} and {column} is negative", advice)
    return distances


def _weights(file: _File, wanted: int) -> Floats:
    """Return the numbers of the EDGE_WEIGHT_SECTION, line by line to spare memory."""
    parts = []
    for line, words in file.section("EDGE_WEIGHT_SECTION").rows():
        try:
            part = np.array(words, dtype=np.float64)
        except ValueError:
            part = np.array([_number(file.path, line, word) for word in words])
        if not np.isfinite(part).all():
            raise TsplibError(file.path, line, "a distance is not a finite number")
        parts.append(part)
    numbers = np.concatenate(parts) if parts else np.empty(0)
    return numbers[:wanted] if len(numbers) == wanted + 1 and numbers[-1] == -1 else numbers


def _number(path: Path, line: int, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise TsplibError(path, line, f"{word[:40]!r} is not a number") from None
    if not np.isfinite(number):
        raise TsplibError(path, line, f"{word[:40]!r} is not a finite number")
    return number


def _starts_like_number(word: str) -> bool:
    return word[0].isdigit() or word[0] in "+-."
