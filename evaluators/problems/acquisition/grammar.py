"""The language in which acquisition functions can be made without a language model.

An expression is the score of a candidate. Its types are a ``level``, in units of the standardised
values (gains, deviations), and a dimensionless ``ratio``. Everything is finite: z-scores are cut at
30, and nothing divides by something that can vanish.
"""

from ...arithmetic import Arithmetic
from ...grammar import (
    Constant,
    Feature,
    Grammar,
    Helper,
    Mixture,
    Operator,
    Rendering,
    Routine,
)

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same
_SIGNATURE = "def utility(mean, std, best, remaining, dimension, count):"


RENDERINGS = {
    "batched": Rendering(
        signature=_SIGNATURE, result="score", closing=("return score",), imports=("import torch",)
    ),
    "scalar": Rendering(
        signature=_SIGNATURE,
        result="score",
        closing=("return score",),
        imports=("import math", "import numpy as np"),
    ),
}

NORMAL = Routine(
    "normal",
    {
        "batched": (
            "def normal(z):\n"
            '    """Distribution and density of the standard normal."""\n'
            "    return torch.special.ndtr(z), torch.exp(-0.5 * z**2) / (2 * torch.pi) ** 0.5"
        ),
        "scalar": (
            "def normal(z):\n"
            '    """Distribution and density of the standard normal."""\n'
            "    below = np.array([0.5 * math.erfc(-one / 2**0.5) for one in z])\n"
            "    return below, np.exp(-0.5 * z**2) / (2 * np.pi) ** 0.5"
        ),
    },
)

HELPERS = (
    Helper(
        "z", _both("((best - mean) / std).clamp(-30, 30)", "np.clip((best - mean) / std, -30, 30)")
    ),
    Helper("tails", _same("normal(z)")),
)

FEATURES = (
    Feature("gain", "level", "the best value minus the mean", _same("best - mean")),
    Feature("doubt", "level", "the standard deviation", _same("std")),
    Feature(
        "improvement", "level", "the expected improvement", _same("std * (z * tails[0] + tails[1])")
    ),
    Feature(
        "lead",
        "level",
        "the lowest mean of all candidates minus the mean",
        _both("mean.amin(1, keepdim=True) - mean", "mean.min() - mean"),
    ),
    Feature("chance", "ratio", "the probability of improvement", _same("tails[0]")),
    Feature("odds", "ratio", "the gain in standard deviations", _same("z")),
    Feature(
        "novelty",
        "ratio",
        "the standard deviation relative to the largest of all candidates",
        _both("std / std.amax(1, keepdim=True)", "std / std.max()"),
    ),
    Feature("left", "ratio", "the share of evaluations left", _same("remaining + 0 * mean")),
    Feature("axes", "ratio", "the dimension", _same("dimension + 0 * mean")),
    Feature(
        "age",
        "ratio",
        "the logarithm of the number of values",
        _both("torch.log(count) + 0 * mean", "math.log(count) + 0 * mean"),
    ),
)

OPERATORS = (
    ARITHMETIC.add("level"),
    ARITHMETIC.scale("level", "ratio"),
    Operator(
        "fade",
        ("level", "ratio", "ratio"),
        "level",
        "{0} weighted {1} at first and {2} at last",
        _same("({1} * remaining + {2} * (1 - remaining)) * {0}"),
        convex=True,
    ),
    Operator(
        "until",
        ("ratio", "level", "level"),
        "level",
        "{1} while the share of evaluations left exceeds {0} and {2} afterwards",
        _both("torch.where(remaining > {0}, {1}, {2})", "np.where(remaining > {0}, {1}, {2})"),
    ),
    ARITHMETIC.lower("level"),
    ARITHMETIC.upper("level"),
    ARITHMETIC.part("level", "ratio", "share"),
    ARITHMETIC.plus("ratio", "plus"),
    ARITHMETIC.product("ratio", "times"),
    ARITHMETIC.square("ratio", constants=True),
    ARITHMETIC.root("ratio", constants=True),
)

grammar = Grammar(
    name="acquisition",
    root="level",
    sentence="Evaluate next the candidate that maximises {0}.",
    renderings=RENDERINGS,
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("ratio", -1.0, 3.0),),
    helpers=HELPERS,
    routines=(NORMAL,),
    seed="improvement",
    mixture=Mixture(add="add", weigh="scale"),
)
