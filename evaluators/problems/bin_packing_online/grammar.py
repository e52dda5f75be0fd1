"""The language in which bins can be scored without a language model.

Sizes are shares of the capacity, which an empty bin shows: every expression means the same at any
capacity. The root is a cost; the bin with room of lowest cost gets the item. Every value is finite
for finite shares: nothing divides by something that can vanish.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]

BATCHED = ("batched", "open")
SCALAR = ("scalar", "scalar_open")


ARITHMETIC = Arithmetic(torch=BATCHED, numpy=SCALAR)
_both, _same = ARITHMETIC.both, ARITHMETIC.same


_TORCH = Rendering(
    signature="def score_bins(items, bins):",
    result="cost",
    closing=("return (-cost).expand(bins.shape)",),
    imports=("import torch",),
)
_NUMPY = Rendering(
    signature="def score(item, bins):",
    result="cost",
    closing=("return np.broadcast_to(-cost, bins.shape)",),
    imports=("import numpy as np",),
)

HELPERS = (Helper("full", _both("bins.amax(dim=1, keepdim=True)", "bins.max()")),)

FEATURES = (
    Feature(
        "rest",
        "share",
        "the share of the bin that stays free",
        _both("(bins - items) / full", "(bins - item) / full"),
    ),
    Feature(
        "size",
        "share",
        "the item's share of a bin",
        _both("items / full", "item / full"),
    ),
)

# What a bin is worth after the item depends on how likely its rest will be filled to the brim, and so
# on the sizes to come: rests in certain bands are good or bad. A rational bell is cheaper than exp.
OPERATORS = (
    Operator(
        "peak",
        ("number", "number"),
        "share",
        "a peak where the share that stays free is the square of {0}, wider with {1}",
        _same("1 / (1 + ((rest - {0} ** 2) / (0.01 + 0.3 * {1} ** 2)) ** 2)"),
        frequency=30,
    ),
    ARITHMETIC.add("share"),
    ARITHMETIC.scale("share", "number"),
    Operator(
        "shift",
        ("share", "number"),
        "share",
        "{0} shifted by {1}",
        _same("{0} + {1}"),
        neutral=((1, 0.0),),
    ),
    ARITHMETIC.times("share", "times"),
    Operator(
        "over",
        ("share", "share"),
        "share",
        "{0} divided by 0.01 plus the size of {1}",
        _same("{0} / (0.01 + abs({1}))"),
    ),
    ARITHMETIC.lower("share"),
    ARITHMETIC.upper("share"),
    ARITHMETIC.square("share"),
    ARITHMETIC.root("share"),
    Operator(
        "decay",
        ("share", "number"),
        "share",
        "the decay of {0} at rate {1}",
        _both("torch.exp(-abs({1} * {0}) * 10)", "np.exp(-abs({1} * {0}) * 10)"),
    ),
    Operator(
        "above",
        ("share", "number", "share", "share"),
        "share",
        "{2} where {0} is above the square of {1}, else {3}",
        _both(
            "torch.where({0} > {1} ** 2, {2}, {3})",
            "np.where({0} > {1} ** 2, {2}, {3})",
        ),
    ),
    ARITHMETIC.plus("number", "sum"),
    ARITHMETIC.product("number", "product"),
)

grammar = Grammar(
    name="bin_packing_online",
    root="share",
    sentence="Put the item into the bin with room that has the lowest {0}.",
    renderings=dict.fromkeys(BATCHED, _TORCH) | dict.fromkeys(SCALAR, _NUMPY),
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("number", -1.0, 1.0),),
    helpers=HELPERS,
    seed="rest",
    mixture=Mixture("add", "scale", heights=(1,), terms=(1, 3), faded=True),
)
