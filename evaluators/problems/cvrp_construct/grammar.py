"""The language in which routes can be built without a language model.

Costs are lengths: they are added, compared and multiplied by ratios, so routes do not depend on the
unit. The allowed node of lowest cost is next; the depot is left to the end of a route.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


HELPERS = (
    Helper("rows", {"batched": "torch.arange(len(current), device=current.device)"}),
    Helper("need", _both("demands", "demands[unvisited_nodes]")),
    Helper("rest", _both("room[:, None].clamp(min=1)", "rest_capacity")),
)

FEATURES = (
    Feature(
        "step",
        "length",
        "the distance from the current node",
        _both("distances[rows, current]", "distance_matrix[current_node, unvisited_nodes]"),
    ),
    Feature(
        "home",
        "length",
        "the distance to the depot",
        _both("distances[:, 0]", "distance_matrix[depot, unvisited_nodes]"),
    ),
    Feature(
        "back",
        "length",
        "the way home from the current node",
        _both(
            "distances[rows, current, 0][:, None] + 0 * demands",
            "distance_matrix[current_node, depot] + 0.0 * need",
        ),
    ),
    Feature("share", "ratio", "the share of the rest capacity it takes", _same("need / rest")),
)

OPERATORS = (
    ARITHMETIC.add("length"),
    ARITHMETIC.scale("length", "ratio"),
    ARITHMETIC.lower("length"),
    ARITHMETIC.size("length"),
    ARITHMETIC.part("length", "ratio", "part"),
    ARITHMETIC.plus("ratio", "plus"),
    ARITHMETIC.product("ratio", "times"),
)

grammar = Grammar(
    name="cvrp_construct",
    root="length",
    sentence="Visit next the customer that fits and has the lowest {0}.",
    renderings={
        "batched": Rendering(
            "def score_next(current, room, allowed, demands, distances):",
            "cost",
            ("scores = -cost", "scores[:, 0] = -torch.inf", "return scores"),
            ("import torch",),
        ),
        "scalar": Rendering(
            "def select_next_node(current_node, depot, unvisited_nodes, rest_capacity, demands, "
            "distance_matrix):",
            "cost",
            ("return unvisited_nodes[np.argmin(cost)]",),
            ("import numpy as np",),
        ),
    },
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("ratio", -1.0, 1.0),),
    helpers=HELPERS,
    seed="step",
    mixture=Mixture(add="add", weigh="scale"),
)
