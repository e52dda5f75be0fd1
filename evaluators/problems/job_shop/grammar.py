"""The language in which dispatching rules can be written without a language model.

Times are shares of the mean time of an operation left in the waiting jobs, so no score depends on
the unit of time. The root is the score; the waiting job of highest score is dispatched.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Operator, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


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
    ARITHMETIC.add("share"),
    ARITHMETIC.scale("share", "number"),
    ARITHMETIC.times("share", "mul"),
    Operator(
        "over",
        ("share", "share"),
        "share",
        "{0} divided by 1 plus the size of {1}",
        _same("{0} / (1 + abs({1}))"),
    ),
    ARITHMETIC.lower("share"),
    ARITHMETIC.upper("share"),
    ARITHMETIC.root("share"),
    ARITHMETIC.plus("number", "sum"),
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
