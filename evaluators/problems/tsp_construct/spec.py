"""What tsp_construct is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec


def text(name: str) -> str:
    """Return a file of this folder as text."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Find a short closed tour through all cities of a symmetric travelling salesman problem by "
    "building it step by step: start at city 0, choose the next unvisited city again and again, "
    "and return to city 0 after the last one. Each choice is final. The heuristic makes the "
    "choices; the aim is a small mean gap between the lengths of its tours and the shortest known "
    "tours, on instances that it has not seen. Only distances are known, no coordinates."
)

_BATCHED = Interface(
    name="batched",
    function="score_next",
    parameters=("current", "start", "unvisited", "distances"),
    signature="def score_next(current, start, unvisited, distances):",
    inputs=(
        "All inputs are torch tensors on one device; B instances of N cities advance together.\n"
        "current: int64 [B], the city where each tour stands.\n"
        "start: int64 [B], the city to return to at the end (city 0).\n"
        "unvisited: bool [B, N], True for the cities that can be visited next.\n"
        "distances: float64 [B, N, N], symmetric, zero diagonal."
    ),
    outputs=(
        "A float64 tensor [B, N] of scores. In each instance the unvisited city of highest score "
        "is visited next; scores of visited cities are ignored, and equal scores go to the lowest "
        "index."
    ),
    notes=(
        "The function is called N - 2 times per run, since the last city is forced. It must not "
        "loop over instances in Python: use tensor operations over the leading dimension. "
        "Scores of unvisited cities must not be NaN. Only torch, numpy and the standard library "
        "are available. Distances are not scaled: let scores depend on ratios of distances."
    ),
    seed=text("batched_seed.py"),
    seed_thought="Nearest neighbour: always visit the unvisited city closest to the current one.",
    driver=text("batched_driver.py"),
    demo=text("batched_demo.py.txt"),
)

_SCALAR = Interface(
    name="scalar",
    function="select_next_node",
    parameters=("current_node", "destination_node", "unvisited_nodes", "distance_matrix"),
    signature=(
        "def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):"
    ),
    inputs=(
        "current_node: int, the node where the tour stands.\n"
        "destination_node: int, the node to return to at the end (node 0).\n"
        "unvisited_nodes: numpy int64 array of the nodes that can be visited next, sorted by "
        "distance from current_node, nearest first.\n"
        "distance_matrix: numpy float64 array [N, N], symmetric, zero diagonal."
    ),
    outputs="One element of unvisited_nodes, as an integer: the node to visit next.",
    notes=(
        "The function is called N - 2 times per instance, since the last node is forced; "
        "unvisited_nodes has at least 2 elements. Only numpy, torch and the standard library are "
        "available. Distances are not scaled: let choices depend on ratios of distances."
    ),
    seed=text("scalar_seed.py"),
    seed_thought="Nearest neighbour: always visit the unvisited node closest to the current one.",
    driver=text("scalar_driver.py"),
    demo=text("scalar_demo.py.txt"),
)

SPEC = ProblemSpec(
    name="tsp_construct",
    version="1",
    title="Travelling salesman problem, tour built step by step",
    description=_DESCRIPTION,
    measure="tour length",
    default_interface="batched",
    seconds_per_instance=0.15,
    interfaces={"batched": _BATCHED, "scalar": _SCALAR},
    splits={
        "search": ("uniform-50-search",),
        "validation": ("uniform-100-validation",),
        "test": ("uniform-50-test", "uniform-100-test", "uniform-200-test"),
    },
)
