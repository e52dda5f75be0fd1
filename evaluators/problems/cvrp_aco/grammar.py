"""The language in which edges can be weighed without a language model.

Every value is a merit: positive, and only its ratios matter. Merits are multiplied and raised to
powers, as visibility and pheromone are in ant systems. The root is the desirability of an edge.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


HELPERS = (
    Helper("nodes", _both("len(demands[0])", "len(demands)")),
    Helper(
        "home",
        _both(
            "distances[:, 0] * (torch.arange(nodes, device=demands.device) > 0)",
            "distance_matrix[0] * (np.arange(nodes) > 0)",
        ),
    ),
    Helper("mean", _both("home.mean(dim=1)[:, None, None]", "home.mean()")),
    Helper("filled", _both("demands / capacity[:, None]", "demands / capacity")),
    Helper("spoke", _both("coordinates - coordinates[:, :1]", "coordinates - coordinates[:1]")),
    Helper("ray", _both("spoke / (home[:, :, None] + 1e-9)", "spoke / (home[:, None] + 1e-9)")),
)

FEATURES = (
    Feature(
        "near",
        "merit",
        "the nearness of the two nodes",
        _both("1 / distances.clamp(min=1e-9)", "1 / np.maximum(distance_matrix, 1e-9)"),
    ),
    Feature(
        "rank",
        "merit",
        "how early the node comes among the neighbours by distance",
        _both(
            "1 / (1.0 + distances.argsort(dim=2, stable=True).argsort(dim=2))",
            "1 / (1.0 + distance_matrix.argsort(axis=1, kind='stable').argsort(axis=1))",
        ),
    ),
    Feature(
        "saving",
        "merit",
        "one plus what joining the two saves over going home between them",
        _both(
            "1 + (home[:, :, None] + home[:, None] - distances).clamp(min=0) / mean",
            "1 + np.maximum(home[:, None] + home - distance_matrix, 0) / mean",
        ),
    ),
    Feature(
        "far",
        "merit",
        "one plus the node's distance from the depot",
        _both("1 + home[:, None] / mean + 0 * distances", "1 + home / mean + 0 * distance_matrix"),
    ),
    Feature(
        "weight",
        "merit",
        "one plus the share of the capacity that the node needs",
        _both("1 + filled[:, None] + 0 * distances", "1 + filled + 0 * distance_matrix"),
    ),
    Feature(
        "aligned",
        "merit",
        "how alike the directions of the two are as seen from the depot",
        _both(
            "1.01 + (ray @ ray.transpose(1, 2)).clamp(-1, 1)", "1.01 + np.clip(ray @ ray.T, -1, 1)"
        ),
    ),
)

OPERATORS = (
    ARITHMETIC.times("merit", "times"),
    Operator(
        "power",
        ("merit", "number"),
        "merit",
        "{0} to the power of {1}",
        _both("({0}).pow({1}).clamp(1e-9, 1e9)", "np.clip(({0}) ** ({1}), 1e-9, 1e9)"),
    ),
    ARITHMETIC.add("merit"),
    ARITHMETIC.lower("merit"),
    ARITHMETIC.plus("number", "plus"),
)

grammar = Grammar(
    name="cvrp_aco",
    root="merit",
    sentence="An edge is as desirable as {0}.",
    renderings={
        "batched": Rendering(
            "def score_edges(distances, coordinates, demands, capacity):",
            "merit",
            ("return merit",),
            ("import torch",),
        ),
        "scalar": Rendering(
            "def heuristics(distance_matrix, coordinates, demands, capacity):",
            "merit",
            ("return merit",),
            ("import numpy as np",),
        ),
    },
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("number", -2.0, 4.0),),
    helpers=HELPERS,
    seed="near",
    mixture=Mixture(add="times", weigh="power"),
)
