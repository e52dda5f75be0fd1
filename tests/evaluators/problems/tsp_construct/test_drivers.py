"""Tests of the two drivers: same rule, same tours; faults of a heuristic are named."""

import numpy as np
import pytest

from eurisko.evaluators import Dataset, get_problem
from eurisko.evaluators.problems.tsp_construct.data import tsp_dataset

TSP = get_problem("tsp_construct")
BATCHED, SCALAR = TSP.spec.interfaces["batched"], TSP.spec.interfaces["scalar"]

# Nearest neighbour as LLM4AD's template writes it: relies on the order of unvisited_nodes.
PUBLISHED = """
import numpy as np
def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    return unvisited_nodes[0]
"""
FARTHEST_SCALAR = """
import numpy as np
def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    score = distance_matrix[current_node][unvisited_nodes]
    score = score - 0.5 * distance_matrix[destination_node][unvisited_nodes]
    best = np.flatnonzero(score == score.max())
    return np.sort(unvisited_nodes[best])[0]
"""
FARTHEST_BATCHED = """
import torch
def score_next(current, start, unvisited, distances):
    rows = torch.arange(len(current))
    return distances[rows, current] - 0.5 * distances[rows, start]
"""


def uniform(instances: int, cities: int, seed: int) -> Dataset:
    """Random instances in the plane."""
    points = np.random.default_rng(seed).random((instances, cities, 2))
    distances = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    return tsp_dataset("random", distances, None, "made here")


def integers(instances: int, cities: int, seed: int, high: int = 4) -> Dataset:
    """Symmetric matrices of few different integers: full of ties."""
    upper = np.triu(np.random.default_rng(seed).integers(1, high, (instances, cities, cities)), 1)
    distances = (upper + upper.transpose(0, 2, 1)).astype(np.float64)
    return tsp_dataset("ties", distances, None, "made here")


def nearest_neighbour(distances: np.ndarray) -> list[int]:
    """Plain nearest neighbour from city 0, ties to the lowest index: an independent statement."""
    tour = [0]
    while len(tour) < len(distances):
        left = [city for city in range(len(distances)) if city not in tour]
        tour.append(min(left, key=lambda city: (distances[tour[-1], city], city)))
    return tour


@pytest.mark.parametrize(
    "data", [uniform(5, 23, 1), integers(8, 17, 2), integers(3, 60, 14), uniform(2, 3, 3)]
)
def test_both_seeds_are_nearest_neighbour(data: Dataset, drive) -> None:
    """Both seeds and the published form give the tours of a plain loop, also with ties."""
    wanted = [nearest_neighbour(matrix) for matrix in data.arrays["distances"]]
    for interface, code in ((BATCHED, BATCHED.seed), (SCALAR, SCALAR.seed), (SCALAR, PUBLISHED)):
        tours = drive(interface, code, data)["tours"]
        assert tours.dtype == np.int64
        np.testing.assert_array_equal(tours, wanted)


@pytest.mark.parametrize("data", [uniform(6, 19, 4), integers(6, 19, 5)])
def test_interfaces_agree_on_another_rule(data: Dataset, drive) -> None:
    """One rule that uses the destination gives the same tours through both interfaces."""
    batched = drive(BATCHED, FARTHEST_BATCHED, data)["tours"]
    scalar = drive(SCALAR, FARTHEST_SCALAR, data)["tours"]
    np.testing.assert_array_equal(batched, scalar)
    assert not np.array_equal(batched, drive(BATCHED, BATCHED.seed, data)["tours"])


def test_scalar_heuristic_sees_what_is_promised(drive) -> None:
    """Each call gets the unvisited nodes nearest first, destination 0; N - 2 calls per instance."""
    data = integers(3, 9, 6)
    code = (
        "import numpy as np\ncalls = []\n"
        "def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):\n"
        "    d = [(distance_matrix[current_node, n], n) for n in unvisited_nodes]\n"
        "    assert d == sorted(d) and destination_node == 0 and type(current_node) is int\n"
        "    assert unvisited_nodes.dtype == np.int64 and current_node not in unvisited_nodes\n"
        "    calls.append(len(unvisited_nodes))\n"
        "    assert calls[-1] == 8 - (len(calls) - 1) % 7, calls\n"
        "    return unvisited_nodes[-1]\n"
    )
    tours = drive(SCALAR, code, data)["tours"]
    assert (np.sort(tours, axis=1) == np.arange(9)).all()


def test_batched_heuristic_sees_what_is_promised(drive) -> None:
    """Shapes, types, the current city off the unvisited ones, and N - 2 calls."""
    code = (
        "import torch\ncalls = []\n"
        "def score_next(current, start, unvisited, distances):\n"
        "    assert current.shape == start.shape == (3,) and current.dtype == torch.int64\n"
        "    assert unvisited.shape == (3, 9) and unvisited.dtype == torch.bool\n"
        "    assert distances.shape == (3, 9, 9) and distances.dtype == torch.float64\n"
        "    assert not unvisited[torch.arange(3), current].any() and not start.any()\n"
        "    calls.append(int(unvisited.sum()))\n"
        "    assert calls[-1] == 3 * (9 - len(calls)) and len(calls) <= 7\n"
        "    return torch.zeros(3, 9, dtype=torch.float64)\n"
    )
    tours = drive(BATCHED, code, uniform(3, 9, 7))["tours"]
    np.testing.assert_array_equal(tours, np.tile(np.arange(9), (3, 1)))  # ties: lowest index


@pytest.mark.parametrize("infinity", ["-float('inf')", "float('inf')"])
def test_infinite_scores_are_scores(infinity: str, drive) -> None:
    """Scores that are infinite everywhere tie: the lowest unvisited city, never a visited one."""
    code = (
        "import torch\ndef score_next(current, start, unvisited, distances):\n"
        f"    return torch.full(unvisited.shape, {infinity}, dtype=torch.float64)\n"
    )
    tours = drive(BATCHED, code, uniform(2, 6, 8))["tours"]
    np.testing.assert_array_equal(tours, np.tile(np.arange(6), (2, 1)))


def test_heuristics_cannot_corrupt_the_construction(drive) -> None:
    """Scribbling over every argument still yields permutations that start with city 0."""
    data = uniform(4, 12, 9)
    batched = (
        "import torch\ndef score_next(current, start, unvisited, distances):\n"
        "    scores = torch.rand(unvisited.shape, dtype=torch.float64)\n"
        "    current.fill_(3); start.fill_(5); unvisited.fill_(True); distances.fill_(0.0)\n"
        "    return scores\n"
    )
    scalar = (
        "def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):\n"
        "    node = int(unvisited_nodes[-1])\n"
        "    unvisited_nodes[:] = 1\n    distance_matrix[:] = 0.0\n    return node\n"
    )
    before = data.arrays["distances"].copy()
    for interface, code in ((BATCHED, batched), (SCALAR, scalar)):
        tours = drive(interface, code, data)["tours"]
        assert TSP.score(data, {"tours": tours}).objective > 0
        np.testing.assert_array_equal(data.arrays["distances"], before)


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("None", "step 1: the heuristic returned NoneType"),
        ("good.numpy()", "step 1: the heuristic returned ndarray"),
        ("good.float()", r"dtype torch.float32, wanted shape \[4, 7\] and dtype torch.float64"),
        ("good[:, :5]", r"shape \[4, 5\] and dtype torch.float64, wanted shape \[4, 7\]"),
        ("good[0]", r"shape \[7\]"),
        ("nan", "step 1: the score of unvisited city 3 in instance 2 is NaN"),
    ],
)
def test_batched_bad_results_are_named(expression: str, complaint: str, drive) -> None:
    """A result of wrong type, shape or with NaN is a bad result that says where and what."""
    code = (
        "import torch\ndef score_next(current, start, unvisited, distances):\n"
        "    good = torch.zeros(unvisited.shape, dtype=torch.float64)\n"
        "    nan = good.clone()\n    nan[2, 3] = float('nan')\n    nan[0, 0] = float('nan')\n"
        f"    return {expression}\n"
    )
    with pytest.raises(Exception, match=complaint) as raised:
        drive(BATCHED, code, uniform(4, 7, 10))
    assert raised.value.outcome == "bad_result"


def test_nan_of_visited_cities_does_not_matter(drive) -> None:
    """Published formulas divide by the zero distance to the current city; that score is unused."""
    code = (
        "import torch\ndef score_next(current, start, unvisited, distances):\n"
        "    scores = -distances[torch.arange(len(current)), current]\n"
        "    return torch.where(unvisited, scores, torch.nan)\n"
    )
    data = uniform(4, 9, 11)
    np.testing.assert_array_equal(
        drive(BATCHED, code, data)["tours"], drive(BATCHED, BATCHED.seed, data)["tours"]
    )


SCALAR_HEAD = (
    "import numpy as np\n"
    "def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):\n"
    "    first = unvisited_nodes[0]\n"
)


@pytest.mark.parametrize(
    "expression",
    [
        "first",
        "int(first)",
        "np.int32(first)",
        "float(first)",
        "np.float64(first)",
        "np.array(first)",
        "unvisited_nodes[:1]",
        "np.uint8(first)",
    ],
)
def test_scalar_answers_of_every_integral_kind_count(expression: str, drive) -> None:
    """What published evaluators turn into a node with int() is accepted when nothing is lost."""
    data = uniform(2, 8, 12)
    tours = drive(SCALAR, f"{SCALAR_HEAD}    return {expression}\n", data)["tours"]
    np.testing.assert_array_equal(tours, drive(SCALAR, SCALAR.seed, data)["tours"])


@pytest.mark.parametrize(
    ("expression", "outcome", "complaint"),
    [
        ("current_node", "infeasible", "instance 0, step 1: node 0 has been visited already"),
        ("99", "infeasible", "node 99 does not exist, nodes are 0 to 7"),
        ("-1", "infeasible", "node -1 does not exist"),
        ("2**70", "infeasible", "does not exist"),
        ("None", "bad_result", "step 1: the heuristic returned NoneType"),
        ("first + 0.5", "bad_result", "float64"),
        ("float('nan')", "bad_result", r"float \(nan\)"),
        ("float('inf')", "bad_result", r"float \(inf\)"),
        ("True", "bad_result", r"bool \(True\)"),
        ("np.bool_(True)", "bad_result", "bool"),
        ("unvisited_nodes", "bad_result", r"ndarray \(shape \[7\]\)"),
        ("str(first)", "bad_result", "str"),
    ],
)
def test_scalar_bad_answers_are_named(expression, outcome, complaint, drive) -> None:
    """A node that cannot be visited is infeasible, anything else that is no node a bad result."""
    code = f"{SCALAR_HEAD}    return {expression}\n"
    with pytest.raises(Exception, match=complaint) as raised:
        drive(SCALAR, code, uniform(2, 8, 13))
    assert raised.value.outcome == outcome


def test_drivers_are_self_contained() -> None:
    """The drivers import numpy, torch and the standard library only, and nothing relatively."""
    for interface in (BATCHED, SCALAR):
        lines = [line.split() for line in interface.driver.splitlines()]
        roots = {words[1].split(".")[0] for words in lines if words[:1] in (["import"], ["from"])}
        assert roots <= {"math", "operator", "collections", "typing", "numpy", "torch"}
