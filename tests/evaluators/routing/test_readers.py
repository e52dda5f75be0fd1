"""Readers of routing files: against vrplib and TSPLIB's reader, and against files broken by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eurisko.evaluators.routing import (
    Kind,
    RoutingError,
    parse_routing,
    read_instance,
    read_routing,
)
from eurisko.evaluators.routing.read import guess_format
from eurisko.evaluators.routing.rounding import euclidean


def vrplib() -> Any:
    """Return the vrplib package; skips where it is not installed."""
    return pytest.importorskip("vrplib", reason="vrplib is in the extra `routing`")


SMALL = """NAME : small
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
2 3 4
3 6 8
4 0 5
DEMAND_SECTION
1 0
2 4
3 5
4 6
DEPOT_SECTION
1
-1
EOF
"""


def test_all_public_files_are_read(routing_files: Path) -> None:
    """Every multi-task, electric, SOP and classic file gives nodes, a depot and a square matrix."""
    found = [
        path
        for folder in ("mtvrp", "evrptw", "sop", "cvrplib", "tsplib")
        for path in sorted((routing_files / folder).iterdir())
        if path.suffix in (".vrp", ".sop", ".txt", ".tsp") and "xray" not in path.name
    ]
    assert len(found) == 48 + 16 + 7 + 19 + 4
    for path in found:
        instance = read_routing(path).instance
        assert len(instance.depots) >= 1, path
        assert instance.distances.shape == (instance.size, instance.size), path
        assert len(instance.customers) > 0, path


def test_agrees_with_vrplib(routing_files: Path) -> None:
    """Coordinates, demands, capacity and windows are those that the vrplib package reads."""
    for name in ("cvrplib/A-n32-k5.vrp", "cvrplib/X-n101-k25.vrp", "mtvrp/mdovrpltw-1.vrp"):
        other = vrplib().read_instance(routing_files / name)
        instance = read_routing(routing_files / name).instance
        assert instance.coordinates is not None
        np.testing.assert_array_equal(instance.coordinates, other["node_coord"])
        np.testing.assert_array_equal(instance.deliveries[:, 0], other["demand"])
        assert instance.fleet.capacity[0, 0] == other["capacity"]
        rounded = read_routing(routing_files / name, rounding="none").instance
        np.testing.assert_allclose(rounded.distances, other["edge_weight"], atol=1e-12)
        if "time_window" in other:
            windows = [row for row in other["time_window"] if len(row) == 2]  # its rows are ragged
            np.testing.assert_array_equal(instance.windows[:, 0], windows)


def test_solomon_agrees_with_vrplib(routing_files: Path) -> None:
    """A Solomon file gives the fleet, windows and service times that vrplib reads."""
    path = routing_files / "cvrplib" / "RC208.txt"
    other = vrplib().read_instance(path, instance_format="solomon")
    instance = read_routing(path).instance
    np.testing.assert_array_equal(instance.windows[:, 0], other["time_window"])
    np.testing.assert_array_equal(instance.service, other["service_time"])
    np.testing.assert_allclose(instance.distances, other["edge_weight"], atol=1e-12)
    assert instance.fleet.available[0] == other["vehicles"]


@pytest.mark.parametrize("name", ["att532", "gr17", "gr666", "pcb442"])
def test_agrees_with_the_tour_reader(routing_files: Path, name: str) -> None:
    """ATT, GEO, EUC_2D and explicit distances equal those of the reader tested on optimal tours."""
    path = routing_files / "tsplib" / f"{name}.tsp"
    np.testing.assert_array_equal(
        read_routing(path).instance.distances, read_instance(path).distances
    )


def test_sop_entries(routing_files: Path) -> None:
    """In ESC07, -1 from 5 to 2 puts node 2 before node 5, and the start does not lead to the end."""
    instance = read_routing(routing_files / "sop" / "ESC07.sop").instance
    assert instance.size == 9
    assert [1, 4] in instance.precedence.tolist()  # row 5 of the file: -1 -1 250 …
    assert np.isinf(instance.distances[4, 1])
    assert np.isinf(instance.distances[0, 8])
    assert instance.distances[1, 2] == 100


def test_electric_fields(routing_files: Path) -> None:
    """Stations, the battery and the names of the map section are read."""
    reading = read_routing(routing_files / "evrptw" / "evrptw-c101C10.vrp")
    instance = reading.instance
    assert reading.facts.format == "electric"
    assert instance.node_ids[:3] == ("D0", "S0", "S1")
    assert instance.stations.tolist() == [1, 2, 3, 4, 5]
    assert instance.battery is not None
    assert (instance.battery.capacity, instance.battery.recharge_time) == (77.75, 3.47)


def test_several_depots_with_endings(routing_files: Path) -> None:
    """Three depots and sections closed by -1 are read; vrplib returns ragged lists there."""
    instance = read_routing(routing_files / "mtvrp" / "mdvrptw-1.vrp").instance
    assert instance.depots.tolist() == [0, 1, 2]
    assert instance.windows.shape == (53, 1, 2)


def test_fleet_sections(routing_files: Path) -> None:
    """Vehicles of their own costs, depots and customers become types of one vehicle."""
    folder = routing_files / "pyvrp_instances"
    fleet = read_routing(folder / "HFVRP" / "X115-HVRP.vrp").instance.fleet
    assert (fleet.types, fleet.capacity[0, 0], fleet.fixed_cost[0]) == (19, 54, 14600)
    fleet = read_routing(folder / "MDVRPTW" / "PR11A.vrp").instance.fleet
    assert sorted(set(fleet.start_depot.tolist())) == [0, 1, 2, 3]
    instance = read_routing(folder / "SDVRPTW" / "PR01.vrp").instance
    assert not instance.fleet.allowed[0, 15]
    assert instance.fleet.allowed[0, 14]


def test_messy_headers() -> None:
    """No colon, headers after data, a section with a colon, two headers on one line."""
    messy = SMALL.replace("CAPACITY : 10\n", "").replace("EOF", "CAPACITY 10\nEOF")
    messy = messy.replace("DEMAND_SECTION", "DEMAND_SECTION:")
    messy = messy.replace("DIMENSION : 4\nEDGE", "DIMENSION: 4EDGE")
    reading = parse_routing(messy)
    assert reading.instance.fleet.capacity[0, 0] == 10
    assert reading.instance.deliveries[:, 0].tolist() == [0, 4, 5, 6]
    assert reading.instance.distances[0, 1] == 5
    assert any("shares its line" in text for text in reading.facts.mismatches)


def test_unknown_keys_are_kept() -> None:
    """A misspelt header and a misspelt section are reported with what they may have meant."""
    text = SMALL.replace("CAPACITY", "CAPACTIY").replace("EOF", "TIME_WINDOWS_SECTION\n1 0 1\nEOF")
    unknown = {one.key: one.guesses for one in parse_routing(text).facts.unknown}
    assert unknown["CAPACTIY"][0] == "CAPACITY"
    assert unknown["TIME_WINDOWS_SECTION"][0] == "TIME_WINDOW_SECTION"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 4\n", "", "DEMAND_SECTION lacks node 2"),
        ("2 4\n", "2 four\n", "'four' is not a number"),
        ("2 4\n", "2 nan\n", "not a finite number"),
        ("2 4\n", "9 4\n", "node 9, which has no coordinates"),
        ("2 4\n", "2 4\n2 4\n", "node 2 twice"),
        ("EUC_2D", "EUC_9D", "EUC_9D is not known"),
        ("EUC_2D", "EXPLICIT", "no EDGE_WEIGHT_SECTION"),
        ("DEMAND_SECTION", "DEMAND_SECTION\n1 0\nDEMAND_SECTION", "a second DEMAND_SECTION"),
    ],
)
def test_broken_files(old: str, new: str, message: str) -> None:
    """What cannot be read right is refused with the reason."""
    with pytest.raises(RoutingError, match=message):
        parse_routing(SMALL.replace(old, new, 1))


def test_asymmetric_matrix() -> None:
    """A full matrix keeps its directions."""
    text = """NAME: a\nTYPE: ACVRP\nDIMENSION: 3\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n3 0 4\n5 6 0
DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\nEOF\n"""
    distances = parse_routing(text).instance.distances
    assert distances.tolist() == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def test_dimension_is_not_believed() -> None:
    """Where DIMENSION contradicts the coordinates, the coordinates are right and it is said."""
    reading = parse_routing(SMALL.replace("DIMENSION : 4", "DIMENSION : 7"))
    assert reading.instance.size == 4
    assert "DIMENSION is 7" in reading.facts.mismatches[0]


def test_roundings() -> None:
    """Halves go up, DIMACS cuts, `exact` keeps three decimals."""
    points = np.array([[0.0, 0.0], [1.5, 2.0], [1.0, 1.0]])
    assert euclidean(points, "nearest")[0, 1] == 3.0
    assert euclidean(points, "dimacs")[0, 2] == 1.4
    assert euclidean(points, "exact")[0, 2] == 1.414
    assert euclidean(points, "floor")[0, 1] == 2.0


JSON = """{"name": "j", "nodes": [
 {"id": "d", "kind": "depot", "x": 0, "y": 0},
 {"id": "a", "x": 3, "y": 4, "delivery": 2, "windows": [[0, 5], [9, 12]], "skills": ["crane"]},
 {"id": "b", "x": 0, "y": 2, "delivery": 1, "goods": ["acid"]},
 {"id": "c", "x": 0, "y": 1, "goods": ["food"]}],
 "incompatible_goods": [["acid", "food"]],
 "vehicles": [{"count": 2, "capacity": 3, "skills": ["crane"], "shift": [0, 50]}]}"""


def test_json() -> None:
    """Names, several windows, skills, goods and vehicles become arrays."""
    instance = parse_routing(JSON).instance
    assert instance.windows[1].tolist() == [[0, 5], [9, 12]]
    assert instance.incompatible.tolist() == [[2, 3]]
    assert instance.skills[:, 0].tolist() == [False, True, False, False]
    assert instance.fleet.shift.tolist() == [[0, 50]]
    assert instance.distances[0, 1] == 5


def test_misspelt_json_key_is_refused() -> None:
    """A misspelt key of a vehicle is never ignored (VROOM issue 896)."""
    with pytest.raises(RoutingError, match=r"vehicles\.0\.shfit.*did you mean shift"):
        parse_routing(JSON.replace('"shift"', '"shfit"'))


CSV = "stop;lng;lat;demand;ready;due;colour\nD;0;0;0;0;50;-\nA;3;4;2;0;9;red\nB;0;2;1;5;20;red\n"


def test_csv_with_mapping() -> None:
    """Usual names are found, others mapped, and a column that means nothing is reported."""
    reading = parse_routing(CSV, problem={"vehicles": [{"capacity": 3}]})
    assert reading.instance.kinds.tolist() == [Kind.DEPOT, Kind.CUSTOMER, Kind.CUSTOMER]
    assert reading.instance.windows[2].tolist() == [[5, 20]]
    assert [one.key for one in reading.facts.unknown] == ["colour"]
    mapped = parse_routing(CSV.replace("demand", "kisten"), columns={"delivery": "kisten"})
    assert mapped.instance.deliveries[:, 0].tolist() == [0, 2, 1]
    with pytest.raises(RoutingError, match="there is no column 'boxes'"):
        parse_routing(CSV, columns={"delivery": "boxes"})


def test_formats_are_told_apart() -> None:
    """The text decides the format."""
    assert [guess_format(text) for text in (SMALL, JSON, CSV)] == ["vrplib", "json", "csv"]


def test_too_large(routing_files: Path) -> None:
    """A matrix that does not fit is refused before it is made."""
    with pytest.raises(RoutingError, match="14012 nodes"):
        read_routing(routing_files / "tsplib" / "xray14012_1.tsp")
