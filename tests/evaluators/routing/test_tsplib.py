"""Tests of the TSPLIB reader against published optima, vrplib and files written here."""

from pathlib import Path

import numpy as np
import pytest

from eurisko.evaluators import InputError
from eurisko.evaluators.routing.tsplib import TsplibError, read_instance, read_tour
from eurisko.evaluators.routing.tsplib_distances import MATRIX_FORMATS

CITIES = 6


def write(folder: Path, text: str, name: str = "case.tsp") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def header(weight_type: str, dimension: int = CITIES, more: str = "") -> str:
    """A plain header."""
    return (
        f"NAME : case\nTYPE : TSP\nDIMENSION : {dimension}\n"
        f"EDGE_WEIGHT_TYPE : {weight_type}\n{more}"
    )


def planar(weight_type: str, points: list[tuple[float, ...]]) -> str:
    """A file of coordinates."""
    lines = [f"{i} {' '.join(map(str, point))}" for i, point in enumerate(points, start=1)]
    return header(weight_type, len(points)) + "\n".join(["NODE_COORD_SECTION", *lines, "EOF\n"])


def test_published_optimal_tours_have_their_published_lengths(tsplib_folder: Path) -> None:
    """gr666 (GEO) and pcb442 (EUC_2D): the optimal tours measure 294358 and 50778."""
    for name, optimum in (("gr666", 294358), ("pcb442", 50778)):
        instance = read_instance(tsplib_folder / f"{name}.tsp")
        tour = read_tour(tsplib_folder / f"{name}.opt.tour").positions(instance)
        assert tour[0] == 0
        assert instance.distances[tour, np.roll(tour, -1)].sum() == optimum


@pytest.mark.parametrize(
    ("name", "optimum", "runs"),
    [("gr17", 2085, 5), pytest.param("att532", 27686, 1, marks=pytest.mark.slow)],
)
def test_lkh_finds_the_published_optimum(tsplib_folder, name, optimum, runs) -> None:
    """LKH on our matrix of gr17 (EXPLICIT) and att532 (ATT) reaches the published optimum.

    Any error in a distance would move the optimum; att532 may end within 0.1 % in a single run.
    """
    elkai = pytest.importorskip("elkai", reason="LKH comes with the package elkai")
    distances = read_instance(tsplib_folder / f"{name}.tsp").distances
    tour = elkai.DistanceMatrix(distances.astype(int).tolist()).solve_tsp(runs=runs)
    length = distances[tour[:-1], tour[1:]].sum()
    assert optimum <= length <= optimum * (1.001 if name == "att532" else 1)


@pytest.mark.parametrize("name", ["xray14012_1", "xray14012_2"])
def test_unsupported_public_files_are_refused(tsplib_folder: Path, name: str) -> None:
    """The crystallography files have distances that need more than coordinates: refused."""
    with pytest.raises(TsplibError, match=r"line 5: EDGE_WEIGHT_TYPE is XRAY\d; supported are ATT"):
        read_instance(tsplib_folder / f"{name}.tsp")


def symmetric(seed: int) -> np.ndarray:
    """A random symmetric integer matrix with zero diagonal."""
    upper = np.triu(np.random.default_rng(seed).integers(1, 99, (CITIES, CITIES)), 1)
    return upper + upper.T


def listed(matrix: np.ndarray, form: str) -> list[int]:
    """The numbers of a format, written from its definition in TSPLIB95, one loop for all."""
    numbers = []
    for major in range(CITIES):
        for minor in range(CITIES):
            row, column = (minor, major) if form.endswith("COL") else (major, minor)
            upper, diagonal = column > row, column == row
            if (
                form == "FULL_MATRIX"
                or (diagonal and "DIAG" in form)
                or (not diagonal and upper == form.startswith("UPPER"))
            ):
                numbers.append(int(matrix[row, column]))
    return numbers


@pytest.mark.parametrize("per_line", [1, 4, 1000])
@pytest.mark.parametrize("form", sorted(MATRIX_FORMATS))
def test_every_matrix_format_gives_the_same_matrix(tmp_path, form, per_line) -> None:
    """One random matrix written in all nine formats reads back equal, however lines are broken."""
    matrix = symmetric(7)
    np.fill_diagonal(matrix, 9999)  # some files have large numbers there: they mean nothing
    words = [str(number) for number in listed(matrix, form)]
    lines = [" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    text = header("EXPLICIT", more=f"EDGE_WEIGHT_FORMAT : {form}\n")
    path = write(tmp_path, text + "EDGE_WEIGHT_SECTION\n" + "\n".join(lines) + "\nEOF\n")
    np.fill_diagonal(matrix, 0)
    np.testing.assert_array_equal(read_instance(path).distances, matrix)


@pytest.mark.parametrize("form", ["FULL_MATRIX", "LOWER_ROW"])
def test_vrplib_reads_the_same_matrix(tmp_path: Path, form: str) -> None:
    """Another project's reader agrees on the formats that it supports."""
    vrplib = pytest.importorskip("vrplib")
    matrix = symmetric(8)
    text = header("EXPLICIT", more=f"EDGE_WEIGHT_FORMAT : {form}\n") + "EDGE_WEIGHT_SECTION\n"
    rows = {
        "FULL_MATRIX": [matrix[i] for i in range(CITIES)],
        "LOWER_ROW": [matrix[i, :i] for i in range(1, CITIES)],
    }[form]
    path = write(tmp_path, text + "\n".join(" ".join(map(str, row)) for row in rows) + "\nEOF\n")
    theirs = vrplib.read_instance(path)["edge_weight"]
    np.testing.assert_array_equal(read_instance(path).distances, theirs)


@pytest.mark.parametrize(
    ("weight_type", "points", "wanted"),
    [
        ("EUC_2D", [(0, 0), (1, 1.2)], 2),  # 1.5620
        ("EUC_2D", [(0, 0), (0, 2.5)], 3),  # half rounds up, not to even
        ("EUC_2D", [(0, 0), (0, 2.4)], 2),
        ("EUC_3D", [(0, 0, 0), (2, 3, 6)], 7),
        ("CEIL_2D", [(0, 0), (1, 1)], 2),  # 1.4142
        ("CEIL_2D", [(0, 0), (3, 4)], 5),
        ("MAN_2D", [(0, 0), (-1.2, 2.4)], 4),  # 3.6
        ("MAN_3D", [(0, 0, 0), (1, 2, -3)], 6),
        ("MAX_2D", [(0, 0), (-3.4, 2)], 3),
        ("MAX_3D", [(0, 0, 0), (1, 2.6, -1)], 3),
        ("ATT", [(0, 0), (10, 0)], 4),  # sqrt(10) = 3.162 rounds down to 3, so one more
        ("ATT", [(0, 0), (0, 9)], 3),  # sqrt(8.1) = 2.846 rounds up to 3
        ("ATT", [(0, 0), (10, 30)], 10),  # sqrt(100) exactly
        ("GEO", [(0, 0), (0, 0)], 1),  # acos(1) = 0 kilometres, and 1 is added
        ("GEO", [(0, 0), (0, 90)], 10020),  # a quarter of the equator: 10018.75 + 1
        ("GEO", [(0.30, 0), (0, 0)], 56),  # half a degree: 55.66 + 1
        ("GEO", [(-0.30, 0), (0.30, 0)], 112),  # minutes count away from zero: 111.32 + 1
    ],
)
def test_distances_by_hand(tmp_path, weight_type, points, wanted) -> None:
    """Distances that can be worked out by hand from the definitions of TSPLIB95."""
    distances = read_instance(write(tmp_path, planar(weight_type, points))).distances
    assert distances[0, 1] == distances[1, 0] == wanted
    assert distances[0, 0] == distances[1, 1] == 0


def test_geographical_distances_use_the_printed_pi(tmp_path: Path) -> None:
    """125 degrees 31 minutes of a meridian are 13973.998 with 3.141592 and 13974.001 with pi."""
    path = write(tmp_path, planar("GEO", [(-63.0, 10.0), (62.31, 10.0)]))
    assert read_instance(path).distances[0, 1] == 13973


def test_blocks_do_not_show(tmp_path: Path) -> None:
    """Instances larger than one block of rows have the distances of a plain formula."""
    points = np.random.default_rng(1).random((600, 2)) * 1000
    path = write(tmp_path, planar("CEIL_2D", [tuple(point) for point in points.tolist()]))
    plain = np.ceil(np.linalg.norm(points[:, None] - points[None], axis=-1))
    np.testing.assert_array_equal(read_instance(path).distances, plain)


COORDINATES = "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n"


@pytest.mark.parametrize(
    "text",
    [
        "NAME:case\nTYPE:TSP\nDIMENSION:3\nEDGE_WEIGHT_TYPE:EUC_2D\n" + COORDINATES,
        "NAME: a: b\nCOMMENT : DIMENSION : 9\nCOMMENT : again\nTYPE : TSP (M. Somebody)\n"
        "DIMENSION :  3 \nEDGE_WEIGHT_TYPE  :  EUC_2D\nBEST_KNOWN : 7\n\n" + COORDINATES + "EOF\nx",
        "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\n" + COORDINATES + "-1\nEOF\n",
        "DIMENSION: 3\r\nEDGE_WEIGHT_TYPE: EUC_2D\r\nNODE_COORD_SECTION\r\n"
        "  1\t0.0e0\t+0\r\n2 3.0 4E0\r\n3 .6e1 80.0e-1\r\nEOF\r\n",
        "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION:\n0 0 0\n7 3 4\n12 6 8\n"
        "DISPLAY_DATA_SECTION\n0 1 1\n7 2 2\n12 3 3\nEOF\n",
        "dimension: 3\nedge_weight_type: euc_2d\n" + COORDINATES,
    ],
    ids=["no spaces, no EOF", "remarks", "-1 at the end", "notation", "other ids", "lower case"],
)
def test_layouts_that_occur_are_read(tmp_path: Path, text: str) -> None:
    """Headers, numbers and endings in the forms that public files have."""
    path = tmp_path / "case.tsp"
    path.write_bytes(text.encode())
    assert read_instance(path).distances.tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]


def test_node_ids_lead_from_tours_to_rows(tmp_path: Path) -> None:
    """A tour names cities as its instance does, wherever the ids start."""
    text = planar("EUC_2D", [(0, 0), (3, 4), (6, 8)])
    text = text.replace("1 0 0", "10 0 0").replace("2 3 4", "30 3 4").replace("3 6 8", "20 6 8")
    instance = read_instance(write(tmp_path, text))
    tour = read_tour(write(tmp_path, "TOUR_SECTION\n20\n30 10\n-1\n-1\nEOF\n", "case.opt.tour"))
    assert instance.node_ids == (10, 30, 20)
    assert tour.positions(instance).tolist() == [0, 2, 1]


def test_only_the_first_tour_is_read(tmp_path: Path) -> None:
    """A file may hold several tours, each ended by -1."""
    path = write(tmp_path, "TYPE : TOUR\nTOUR_SECTION\n1 3 2 -1\n1 2 3\n-1\nEOF\n")
    assert read_tour(path).node_ids == (1, 3, 2)


def explicit(numbers: str, form: str = "FULL_MATRIX", dimension: int = 2) -> str:
    """A file that lists distances."""
    more = f"EDGE_WEIGHT_FORMAT : {form}\n" if form else ""
    return header("EXPLICIT", dimension, more) + f"EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n"


GOOD = header("EUC_2D", 3) + COORDINATES
BAD = {
    "cut between lines": (GOOD.replace("3 6 8\n", ""), "line 7: .* 2 cities, DIMENSION is 3"),
    "cut in a line": (GOOD[:-3], "line 8: NODE_COORD_SECTION wants a city and 2 coordinates"),
    "cut before the section": (GOOD[: GOOD.index("NODE")], "ends without NODE_COORD_SECTION"),
    "cut in the header": ("NAME : case\nTYPE : TSP\nDIM", "line 3: 'DIM' is neither a header"),
    "one city too many": (GOOD + "4 1 1\n", "line 9: .* more than DIMENSION = 3 lines"),
    "a city twice": (GOOD.replace("3 6 8", "2 6 8"), "line 5: NODE_COORD_SECTION has city 2 twice"),
    "half a city": (GOOD.replace("3 6 8", "2.5 6 8"), "line 8: '2.5' is not the number of a city"),
    "no number": (GOOD.replace("3 6 8", "3 6 x8"), "line 8: 'x8' is not a number"),
    "not finite": (GOOD.replace("3 6 8", "3 nan 8"), "line 8: 'nan' is not a finite number"),
    "overflow": (GOOD.replace("3 6 8", "3 1e300 8"), "the distances overflow"),
    "section twice": (GOOD + COORDINATES, "line 9: there is a second NODE_COORD_SECTION"),
    "three coordinates": (GOOD.replace("3 6 8", "3 6 8 9"), "line 8: .* got 4 words"),
    "no dimension": (GOOD.replace("DIMENSION : 3\n", ""), "there is no DIMENSION"),
    "dimension text": (GOOD.replace("DIMENSION : 3", "DIMENSION : three"), "line 3: .*'three'"),
    "dimension zero": (GOOD.replace("DIMENSION : 3", "DIMENSION : 0"), "DIMENSION is '0'"),
    "huge dimension": (GOOD.replace("N : 3", f"N : {'9' * 5000}"), "wanted a positive integer"),
    "hamiltonian": (GOOD.replace("TYPE : TSP", "TYPE : HCP"), "line 2: TYPE is HCP; only symm"),
    "asymmetric": (GOOD.replace("TYPE : TSP", "TYPE : ATSP"), "TYPE is ATSP"),
    "a tour": (GOOD.replace("TYPE : TSP", "TYPE : TOUR"), "TYPE is TOUR"),
    "special": (GOOD.replace("EUC_2D", "SPECIAL"), "line 4: EDGE_WEIGHT_TYPE is SPECIAL; supp"),
    "no weight type": (GOOD.replace("EDGE_WEIGHT_TYPE", "OTHER"), "EDGE_WEIGHT_TYPE is missing"),
    "fixed edges": (GOOD + "FIXED_EDGES_SECTION\n1 2\n-1\n", "line 9: it has fixed edges"),
    "empty": ("", "this is not a TSPLIB file"),
    "prose": ("once upon a time\n", "line 1: 'once upon a time' is neither a header"),
    "matrix cut": (explicit("0 1\n1"), "line 9: .* 3 numbers, FULL_MATRIX of DIMENSION 2 has 4"),
    "matrix too long": (explicit("0 1 1 0 5"), "has 5 numbers"),
    "matrix word": (explicit("0 1\n1 zero"), "line 8: 'zero' is not a number"),
    "matrix not finite": (explicit("0 1\n1 inf"), "line 8: a distance is not a finite number"),
    "asymmetric matrix": (explicit("0 1\n2 0"), "the distances between cities 1 and 2 differ"),
    "negative": (explicit("0 -3\n-3 0"), "the distance between cities 1 and 2 is negative"),
    "function": (explicit("0 1 1 0", "FUNCTION"), "line 5: EDGE_WEIGHT_FORMAT is FUNCTION"),
    "no format": (explicit("0 1 1 0", ""), "EDGE_WEIGHT_FORMAT is missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_give_one_clear_sentence(tmp_path: Path, case: str) -> None:
    """Every broken file gives one error that names the file, the line and what to do."""
    text, complaint = BAD[case]
    path = write(tmp_path, text)
    with pytest.raises(TsplibError, match=complaint) as raised:
        read_instance(path)
    message = str(raised.value)
    assert message.startswith(str(path)) and message.endswith(".") and "\n" not in message
    assert isinstance(raised.value, InputError)


@pytest.mark.parametrize("keep", range(0, 200, 3))
def test_a_file_cut_anywhere_never_reads_as_another_instance(tmp_path: Path, keep: int) -> None:
    """A prefix of a file either is refused or lacks only its EOF or end of the last number."""
    whole = planar("EUC_2D", [(100, 200), (300, 400), (500, 600), (700, 800)])
    path = write(tmp_path, whole[:keep])
    last_number = whole.index("800")
    try:
        instance = read_instance(path)
    except TsplibError:
        assert keep <= len(whole)
    else:
        assert keep > last_number
        assert instance.dimension == 4


def test_missing_and_unreadable_paths(tmp_path: Path) -> None:
    """A path that is not there, or is a folder, gives one sentence with the path."""
    with pytest.raises(TsplibError, match=r"nothing\.tsp: there is no such file; give the path"):
        read_instance(tmp_path / "nothing.tsp")
    with pytest.raises(TsplibError, match="cannot be read"):
        read_instance(tmp_path)


def test_binary_files_are_refused(tmp_path: Path) -> None:
    """Bytes that are no text give the same kind of error."""
    path = tmp_path / "case.tsp"
    path.write_bytes(bytes(range(1, 256)) * 3)
    with pytest.raises(TsplibError):
        read_instance(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("TYPE : TOUR\nDIMENSION : 4\nTOUR_SECTION\n1 2 3 -1\n", "line 2: DIMENSION is 4, but the"),
        ("TYPE : TOUR\nTOUR_SECTION\n1 2 2 -1\n", "visits city 2 twice"),
        ("TYPE : TOUR\nTOUR_SECTION\n1 2 x\n", "line 3: 'x' is not a number"),
        ("TYPE : TOUR\nTOUR_SECTION\n1 -2 3\n", "line 3: '-2' is not the number of a city"),
        ("TYPE : TOUR\n", "ends without TOUR_SECTION"),
        ("TYPE : TSP\nTOUR_SECTION\n1 2 3\n", "TYPE is TSP; a TYPE : TOUR is needed"),
    ],
)
def test_bad_tours_are_named(tmp_path: Path, text: str, complaint: str) -> None:
    """A tour file that is cut or contradictory is refused with its line."""
    with pytest.raises(TsplibError, match=complaint):
        read_tour(write(tmp_path, text, "case.opt.tour"))


def test_a_tour_of_another_instance_is_refused(tmp_path: Path) -> None:
    """A tour must visit exactly the cities of the instance."""
    instance = read_instance(write(tmp_path, GOOD))
    short = read_tour(write(tmp_path, "TOUR_SECTION\n1 2\n-1\n", "a.tour"))
    with pytest.raises(TsplibError, match="has 2 cities, the instance 3; a tour of case is needed"):
        short.positions(instance)
    other = read_tour(write(tmp_path, "TOUR_SECTION\n1 2 9\n-1\n", "b.tour"))
    with pytest.raises(TsplibError, match="visits city 9, which the instance does not have"):
        other.positions(instance)
