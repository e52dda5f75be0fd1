"""The language in which tours can be built without a language model.

Its types are dimensions: a ``length`` (per city) and a dimensionless ``ratio``. Lengths are only
added to lengths, compared with lengths and multiplied by ratios, so every expression scales with
the map: the same tour results in metres and in miles, and nothing depends on the number of cities
unless a ratio says so. The root is a cost; the unvisited city with the lowest cost comes next.

Every value is finite for finite distances: nothing divides by something that can vanish, and
excluded cities are put behind a large finite wall rather than at infinity.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering
from .plan import DETOURS

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


RENDERINGS = {
    "batched": Rendering(
        signature="def score_next(current, start, unvisited, distances):",
        result="cost",
        closing=("return -cost",),
        imports=("import torch",),
    ),
    "scalar": Rendering(
        signature=(
            "def select_next_node(current_node, destination_node, unvisited_nodes, "
            "distance_matrix):"
        ),
        result="cost",
        closing=("return unvisited_nodes[np.argmin(cost)]",),
        imports=("import numpy as np",),
    ),
}

# `wall` and `fence` shut out visited cities and a city itself from a minimum; `pair` holds a city
# itself, at distance 0, and its nearest neighbour.
HELPERS = (
    Helper("rows", {"batched": "torch.arange(len(current), device=current.device)"}),
    Helper("free", {"batched": "unvisited.to(distances.dtype)"}),
    Helper("count", _both("free.sum(1, keepdim=True)", "len(unvisited_nodes)")),
    Helper("others", _both("(count - 1).clamp(min=1)", "max(count - 1, 1)")),
    Helper(
        "among",
        {"scalar": "distance_matrix.take(unvisited_nodes, axis=0).take(unvisited_nodes, axis=1)"},
    ),
    Helper("wall", {"batched": "1e9 * (1 - free)"}),
    Helper("fence", {"batched": "1e9 * torch.eye(distances.shape[1]).to(distances)"}),
    Helper("pair", {"scalar": "np.partition(among, min(1, count - 1), axis=1)[:, :2]"}),
)

FEATURES = (
    Feature(
        "step",
        "length",
        "the distance from the current city",
        _both("distances[rows, current]", "distance_matrix[current_node, unvisited_nodes]"),
    ),
    Feature(
        "home",
        "length",
        "the distance to the start",
        _both("distances[rows, start]", "distance_matrix[destination_node, unvisited_nodes]"),
    ),
    Feature(
        "spread",
        "length",
        "the mean distance to the other unvisited cities",
        _both(
            "(free[:, None] @ distances).squeeze(1) / others",
            "among.sum(axis=0) / others",
        ),
    ),
    Feature(
        "near",
        "length",
        "the distance to its nearest unvisited neighbour",
        _both("(distances + fence + wall[:, None]).amin(-1)", "pair.max(axis=1)"),
    ),
    Feature(
        "detour",
        "length",
        "the detour of visiting it next in a tour planned by farthest insertion",
        _both(
            "plan_detours(current, start, unvisited, distances)",
            "plan_detours(current_node, destination_node, unvisited_nodes, distance_matrix)",
        ),
    ),
    Feature(
        "left",
        "ratio",
        "the fraction of cities left",
        _both("count / distances.shape[1]", "count / len(distance_matrix)"),
    ),
)

OPERATORS = (
    ARITHMETIC.add("length"),
    ARITHMETIC.scale("length", "ratio"),
    Operator(
        "fade",
        ("length", "ratio", "ratio"),
        "length",
        "{0} weighted {1} at first and {2} at last",
        _same("({1} * left + {2} * (1 - left)) * {0}"),
        convex=True,
    ),
    ARITHMETIC.lower("length"),
    ARITHMETIC.upper("length"),
    Operator(
        "until",
        ("ratio", "length", "length"),
        "length",
        "{1} while the fraction of cities left exceeds {0} and {2} afterwards",
        _both("torch.where(left > {0}, {1}, {2})", "np.where(left > {0}, {1}, {2})"),
    ),
    ARITHMETIC.part("length", "ratio", "share"),
    ARITHMETIC.plus("ratio", "plus"),
    ARITHMETIC.product("ratio", "times"),
    ARITHMETIC.square("ratio", constants=True),
    ARITHMETIC.root("ratio", constants=True),
)

grammar = Grammar(
    name="tsp_construct",
    root="length",
    sentence="Visit next the unvisited city that minimises {0}.",
    renderings=RENDERINGS,
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("ratio", -1.0, 1.0),),
    helpers=HELPERS,
    routines=(DETOURS,),
    seed="step",
    mixture=Mixture(add="add", weigh="scale"),
)
