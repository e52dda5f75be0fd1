"""What cvrp_construct is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Find short routes for vehicles of equal capacity that start and end at a depot and together "
    "visit every customer once; the demands of a route must not exceed the capacity. The routes "
    "are built one after the other, stop by stop: the heuristic chooses the next customer that "
    "still fits, or returns to the depot, where the next vehicle starts. Each choice is final. The "
    "aim is a small mean gap between total lengths and the best known ones, on instances that the "
    "heuristic has not seen."
)
_SEED = "Nearest neighbour: visit the nearest customer that fits; go to the depot when none does."

SPEC = ProblemSpec(
    name="cvrp_construct",
    version="1",
    title="Capacitated vehicle routing, routes built stop by stop",
    description=_DESCRIPTION,
    measure="total length",
    default_interface="batched",
    seconds_per_instance=0.6,
    interfaces={
        "batched": Interface(
            name="batched",
            function="score_next",
            parameters=("current", "room", "allowed", "demands", "distances"),
            signature="def score_next(current, room, allowed, demands, distances):",
            inputs=(
                "All inputs are torch tensors on one device; B instances of N nodes advance "
                "together, node 0 is the depot.\n"
                "current: int64 [B], the node where each vehicle stands.\n"
                "room: float64 [B], the capacity that is left.\n"
                "allowed: bool [B, N], True for the nodes that can be visited next: unvisited "
                "customers that fit, and the depot unless the vehicle stands there.\n"
                "demands: float64 [B, N], 0 for the depot.\n"
                "distances: float64 [B, N, N], symmetric, zero diagonal."
            ),
            outputs=(
                "A float64 tensor [B, N] of scores. In each instance the allowed node of highest "
                "score is visited next; other scores are ignored, equal ones go to the lowest index."
            ),
            notes=(
                "Do not loop over instances in Python: use tensor operations. Scores of allowed "
                "nodes must not be NaN. Give the depot a score too: a low one to return only when "
                "nothing fits. Distances are not scaled. Only torch, numpy and the standard library "
                "are available."
            ),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_text("batched_driver.py"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="select_next_node",
            parameters=(
                "current_node",
                "depot",
                "unvisited_nodes",
                "rest_capacity",
                "demands",
                "distance_matrix",
            ),
            signature=(
                "def select_next_node(current_node, depot, unvisited_nodes, rest_capacity, "
                "demands, distance_matrix):"
            ),
            inputs=(
                "current_node: int, the node where the vehicle stands.\n"
                "depot: int, node 0.\n"
                "unvisited_nodes: numpy int64 array of the unvisited customers that fit, by index; "
                "at least one.\n"
                "rest_capacity: int, the capacity that is left.\n"
                "demands: numpy int64 array [N].\n"
                "distance_matrix: numpy float64 array [N, N], symmetric, zero diagonal."
            ),
            outputs=(
                "One element of unvisited_nodes as an integer, or the depot unless the vehicle "
                "stands there."
            ),
            notes=(
                "The vehicle returns by itself when nothing fits. Distances are not scaled. Only "
                "numpy, torch and the standard library are available."
            ),
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_text("scalar_driver.py"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("uniform-50-search",),
        "validation": ("uniform-50-validation",),
        "test": ("uniform-50-test", "uniform-100-test"),
    },
)
