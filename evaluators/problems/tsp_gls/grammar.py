"""The language in which guide matrices can be made without a language model.

An expression is the increase of the distance of an edge of the tour; all other distances stay as
they are. Its types are dimensions, a ``length`` and a ``ratio``, so that the search does the same
in metres and in miles. Everything is computed for the N edges of a tour, not for all N x N.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


RENDERINGS = {
    "batched": Rendering(
        signature="def update_guide(distances, tours, penalties):",
        result="increase",
        closing=(
            "guide = distances.clone()",
            "guide[rows, one, other] += increase",
            "guide[rows, other, one] += increase",
            "return guide",
        ),
        imports=("import torch",),
    ),
    "scalar": Rendering(
        signature="def update_edge_distance(edge_distance, local_opt_tour, edge_n_used):",
        result="increase",
        closing=(
            "guide = edge_distance.copy()",
            "guide[one, other] += increase",
            "guide[other, one] += increase",
            "return guide",
        ),
        imports=("import numpy as np",),
    ),
}

# The closing lines use rows, one and other: every length is built on them.
HELPERS = (
    Helper("rows", {"batched": "torch.arange(len(tours), device=tours.device)[:, None]"}),
    Helper("one", _both("tours", "local_opt_tour")),
    Helper("other", _both("one.roll(-1, 1)", "np.roll(one, -1)")),
    Helper("lengths", _both("distances[rows, one, other]", "edge_distance[one, other]")),
    Helper("counts", _both("penalties[rows, one, other]", "edge_n_used[one, other]")),
    Helper("ends", _both("distances[rows, one]", "edge_distance[one]")),
    # The smallest distance of a row is 0, to the city itself; the next one is its neighbour's.
    Helper(
        "gaps",
        _both(
            "ends.topk(2, 2, largest=False).values[..., 1]", "np.partition(ends, 1, axis=1)[:, 1]"
        ),
    ),
    Helper(
        "places",
        _both(
            "(ends < lengths[..., None]).sum(2).to(lengths)",
            "(ends < lengths[:, None]).sum(1).astype(float)",
        ),
    ),
)

FEATURES = (
    Feature("edge", "length", "its distance", _same("lengths")),
    Feature(
        "beside",
        "length",
        "the mean distance of the edges before and after it",
        _both(
            "(lengths.roll(1, 1) + lengths.roll(-1, 1)) / 2",
            "(np.roll(lengths, 1) + np.roll(lengths, -1)) / 2",
        ),
    ),
    Feature(
        "average",
        "length",
        "the mean distance of the tour's edges",
        _both("lengths.mean(1, keepdim=True) + 0 * lengths", "lengths.mean() + 0 * lengths"),
    ),
    Feature(
        "nearest",
        "length",
        "the mean distance of its ends to their nearest cities",
        _both(
            "(gaps + gaps.roll(-1, 1)) / 2 + 0 * lengths",
            "(gaps + np.roll(gaps, -1)) / 2 + 0 * lengths",
        ),
    ),
    Feature("used", "ratio", "how often it was penalised", _same("counts")),
    Feature(
        "worn",
        "ratio",
        "how often the edges before and after it were penalised, in the mean",
        _both(
            "(counts.roll(1, 1) + counts.roll(-1, 1)) / 2",
            "(np.roll(counts, 1) + np.roll(counts, -1)) / 2",
        ),
    ),
    Feature(
        "usual",
        "ratio",
        "how often edges of the tour were penalised, in the mean",
        _both("counts.mean(1, keepdim=True) + 0 * counts", "counts.mean() + 0 * counts"),
    ),
    Feature(
        "rank",
        "ratio",
        "the number of cities that are nearer to its first end",
        _same("places"),
    ),
)

OPERATORS = (
    ARITHMETIC.add("length"),
    ARITHMETIC.scale("length", "ratio"),
    Operator(
        "over",
        ("length", "ratio"),
        "length",
        "{0} divided by 1 plus {1}",
        _same("{0} / (1 + abs({1}))"),
        neutral=((1, 0.0),),
    ),
    ARITHMETIC.lower("length"),
    ARITHMETIC.upper("length"),
    ARITHMETIC.part("length", "ratio", "part"),
    ARITHMETIC.plus("ratio", "plus"),
    ARITHMETIC.product("ratio", "times"),
    ARITHMETIC.root("ratio", constants=True),
)

grammar = Grammar(
    name="tsp_gls",
    root="length",
    sentence="Raise the distance of each edge of the tour by {0}.",
    renderings=RENDERINGS,
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("ratio", -2.0, 8.0),),
    helpers=HELPERS,
    seed="over(edge, used)",
    mixture=Mixture(add="add", weigh="scale"),
)
