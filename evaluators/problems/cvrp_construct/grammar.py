"""The language in which routes can be built without a language model.

Costs are lengths: they are added, compared and multiplied by ratios, so routes do not depend on the
unit. The allowed node of lowest cost is next; the depot is left to the end of a route.
"""

import operator
from collections.abc import Mapping

from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]


def _both(batched: str, scalar: str) -> Mapping[str, str]:
    return {"batched": batched, "scalar": scalar}


def _same(source: str) -> Mapping[str, str]:
    return _both(source, source)


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
    Operator(
        "add",
        ("length", "length"),
        "length",
        "{0} plus {1}",
        _same("{0} + {1}"),
        commutative=True,
    ),
    Operator(
        "scale",
        ("length", "ratio"),
        "length",
        "{1} times {0}",
        _same("{1} * {0}"),
        neutral=((1, 1.0),),
    ),
    Operator(
        "lower",
        ("length", "length"),
        "length",
        "the smaller of {0} and {1}",
        _both("torch.minimum({0}, {1})", "np.minimum({0}, {1})"),
        commutative=True,
        idempotent=True,
    ),
    Operator("size", ("length",), "length", "the size of {0}", _same("abs({0})")),
    Operator(
        "part",
        ("length", "length"),
        "ratio",
        "the share of {0} in its sum with {1}",
        _same("{0} / (abs({0}) + abs({1}) + 1e-12)"),
    ),
    Operator(
        "plus",
        ("ratio", "ratio"),
        "ratio",
        "{0} plus {1}",
        _same("{0} + {1}"),
        commutative=True,
        neutral=((0, 0.0), (1, 0.0)),
        fold=operator.add,
    ),
    Operator(
        "times",
        ("ratio", "ratio"),
        "ratio",
        "{0} times {1}",
        _same("{0} * {1}"),
        commutative=True,
        neutral=((0, 1.0), (1, 1.0)),
        fold=operator.mul,
    ),
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
