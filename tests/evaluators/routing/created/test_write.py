"""Writers: what they write reads as the same instance, with the same fields."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.afl.instances import VARIANTS
from eurisko.evaluators.routing import Reading, RoutingError, parse_routing, read_routing
from eurisko.evaluators.routing.created import portable, write_like
from eurisko.evaluators.routing.created.write import differences, read_like

Made = Callable[..., tuple[str, Reading]]


def check_round_trip(reading: Reading) -> None:
    again = read_like(reading, write_like(reading, reading.instance))
    assert list(differences(reading.instance, again.instance)) == []
    assert set(again.facts.fields) == set(reading.facts.fields)
    assert again.facts.type_name == reading.facts.type_name


@pytest.mark.parametrize("variant", VARIANTS)
def test_made_instances(made: Made, variant: str) -> None:
    """Each of the 20 variants survives writing and reading, field by field."""
    check_round_trip(made(variant)[1])


def test_public_files(routing_files: Path) -> None:
    """Every public file below 15 kB survives, whatever its sections are."""
    seen = set()
    for path in sorted(routing_files.rglob("*")):
        if path.suffix in (".vrp", ".sop", ".txt", ".tsp") and path.stat().st_size < 15_000:
            reading = read_routing(path)
            check_round_trip(reading)
            seen.add(reading.facts.format)
    assert seen == {"vrplib", "sop", "solomon", "tsplib", "electric"}


@pytest.mark.parametrize(
    "form",
    ["FULL_MATRIX", "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW", "LOWER_COL"],
)
def test_explicit_layouts(form: str) -> None:
    """A symmetric matrix is written in every layout of TSPLIB."""
    head = "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : "
    body = {"FULL_MATRIX": "0 1 2 1 0 3 2 3 0", "UPPER_ROW": "1 2 3", "LOWER_ROW": "1 2 3"}
    body |= {"UPPER_DIAG_ROW": "0 1 2 0 3 0", "LOWER_DIAG_ROW": "0 1 0 2 3 0", "LOWER_COL": "1 2 3"}
    reading = parse_routing(f"{head}{form}\nEDGE_WEIGHT_SECTION\n{body[form]}\nEOF\n")
    check_round_trip(reading)


def test_asymmetric_matrix_does_not_fit_a_triangle() -> None:
    """Distances that depend on the direction are refused where the file's layout is a triangle."""
    head = (
        "TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\n"
    )
    reading = parse_routing(f"{head}EDGE_WEIGHT_SECTION\n1 2 3\nEOF\n")
    reading.instance.distances[0, 1] = 5.0
    with pytest.raises(RoutingError, match="depend on the direction"):
        write_like(reading, reading.instance)


def test_json_with_everything() -> None:
    """The JSON format keeps windows, skills, goods, pairs, fleets, batteries and missing ways."""
    nodes = [
        {"id": "d", "kind": "depot", "windows": [[0, 90]]},
        {"id": "a", "delivery": [1, 2], "windows": [[1, 5], [8, 9]], "skills": ["ice"], "prize": 4},
        {"id": "b", "pickup": [2, 0], "goods": ["wolves"], "service": 2.5, "release": 3},
        {"id": "c", "goods": ["sheep"], "required": False},
        {"id": "s", "kind": "station"},
    ]
    vehicles = [
        {"count": 2, "capacity": [9, 9], "start": "d", "skills": ["ice"], "max_duration": 50},
        {"capacity": [4, 4], "forbidden": ["a"], "fixed_cost": 7, "shift": [2, 80]},
    ]
    matrix = [[0.0 if i == j else float(3 + i + 2 * j) for j in range(5)] for i in range(5)]
    matrix[1][2] = None
    content = {
        "nodes": nodes, "vehicles": vehicles, "distances": matrix, "pairs": [["b", "a"]],
        "incompatible_goods": [["wolves", "sheep"]], "groups": [["a", "c"]], "lifo": True,
        "battery": {"capacity": 40, "consumption": 2}, "open_routes": True, "precedence": [["a", "c"]],
    }  # fmt: skip
    reading = parse_routing(json.dumps(content))
    check_round_trip(reading)
    again = read_like(reading, write_like(reading, reading.instance)).instance
    assert np.isinf(again.distances[1, 2])
    assert again.fleet.skills.tolist() == [[True], [False]]


def test_solomon() -> None:
    """Solomon's tables keep ids from 0, windows and the fleet."""
    text = """R1\n\nVEHICLE\nNUMBER CAPACITY\n 3 20\n\nCUSTOMER
CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n
0 5 5 0 0 90 0\n1 8.5 9 4 10 20 5\n2 1 1 7 0 60 5\n"""
    check_round_trip(parse_routing(text))


def test_tables_are_refused_and_have_a_portable_form() -> None:
    """CSV is not written, as the columns' names are not kept; as JSON it is whole and readable."""
    problem = {"vehicles": [{"capacity": 5, "count": 2}], "open_routes": True}
    text = "id,x,y,demand,ready,due\nd,0,0,0,0,9\na,3,4,2,1,8\n"
    reading = parse_routing(text, "t.csv", problem=problem)
    with pytest.raises(RoutingError, match="portable"):
        write_like(reading, reading.instance)
    written, again = portable(reading)
    assert list(differences(reading.instance, again.instance)) == []
    assert again.facts.headers["open_routes"] == "True"
    node = json.loads(written)["nodes"][1]
    assert node == {"id": "a", "x": 3.0, "y": 4.0, "delivery": 2.0, "windows": [[1.0, 8.0]]}
    check_round_trip(again)
