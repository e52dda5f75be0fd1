"""The language in which dispatching rules can be written without a language model.

Times are shares of the mean time of an operation left in the waiting jobs, so no score depends on
the unit of time. The root is the score; the waiting job of highest score is dispatched.
"""

import operator
from collections.abc import Mapping

from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]


def _both(batched: str, scalar: str) -> Mapping[str, str]:
    return {"batched": batched, "scalar": scalar}


def _same(source: str) -> Mapping[str, str]:
    return _both(source, source)


# `unit` is the mean time of an operation that is left, over the waiting jobs.
HELPERS = (
    Helper("here", {"batched": "waiting.to(time)"}),
    Helper(
        "unit",
        _both(
            "(work * here).sum(1, keepdim=True) / (steps * here).sum(1, keepdim=True) + 1e-12",
            "work.sum() / steps.sum() + 1e-12",
        ),
    ),
    Helper(
        "soonest",
        _both("start.masked_fill(~waiting, 1e18).amin(1, keepdim=True)", "start.min()"),
    ),
)

FEATURES = (
    Feature("next", "share", "the time of its next operation", _same("time / unit")),
    Feature("rest", "share", "its work left", _same("work / unit")),
    Feature("after", "share", "its work after the next operation", _same("(work - time) / unit")),
    Feature("delay", "share", "the wait until it can start", _same("(start - soonest) / unit")),
    Feature("ops", "share", "its number of operations left", _same("steps * 1.0")),
    Feature("queue", "share", "the work left on the machine", _same("load / unit")),
)

OPERATORS = (
    Operator(
        "add",
        ("share", "share"),
        "share",
        "{0} plus {1}",
        _same("{0} + {1}"),
        commutative=True,
    ),
    Operator(
        "scale",
        ("share", "number"),
        "share",
        "{1} times {0}",
        _same("{1} * {0}"),
        neutral=((1, 1.0),),
    ),
    Operator(
        "mul",
        ("share", "share"),
        "share",
        "{0} times {1}",
        _same("{0} * {1}"),
        commutative=True,
    ),
    Operator(
        "over",
        ("share", "share"),
        "share",
        "{0} divided by 1 plus the size of {1}",
        _same("{0} / (1 + abs({1}))"),
    ),
    Operator(
        "lower",
        ("share", "share"),
        "share",
        "the smaller of {0} and {1}",
        _both("torch.minimum({0}, {1})", "np.minimum({0}, {1})"),
        commutative=True,
        idempotent=True,
    ),
    Operator(
        "upper",
        ("share", "share"),
        "share",
        "the larger of {0} and {1}",
        _both("torch.maximum({0}, {1})", "np.maximum({0}, {1})"),
        commutative=True,
        idempotent=True,
    ),
    Operator("root", ("share",), "share", "the square root of {0}", _same("abs({0}) ** 0.5")),
    Operator(
        "sum",
        ("number", "number"),
        "number",
        "{0} plus {1}",
        _same("{0} + {1}"),
        commutative=True,
        neutral=((0, 0.0), (1, 0.0)),
        fold=operator.add,
    ),
)

grammar = Grammar(
    name="job_shop",
    root="share",
    sentence="Dispatch first the waiting job of highest {0}.",
    renderings={
        "batched": Rendering(
            "def score_jobs(time, start, work, steps, load, waiting):",
            "score",
            ("return score",),
            ("import torch",),
        ),
        "scalar": Rendering(
            "def priority(time, start, work, steps, load):",
            "score",
            ("return score",),
            ("import numpy as np",),
        ),
    },
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("number", -1.0, 1.0),),
    helpers=HELPERS,
    seed="rest",
    mixture=Mixture(add="add", weigh="scale"),
)
