"""The language in which jobs can be ranked without a language model.

Every feature of a job is a share of the mean total time of its instance, so ranks do not depend on
the unit of time. The root is the index; jobs of high index are inserted first.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


HELPERS = (
    Helper("total", _same("times.sum(-1)")),
    Helper("unit", _both("total.mean(1, keepdim=True) + 1e-12", "total.mean() + 1e-12")),
    Helper("count", _same("times.shape[-1]")),
    Helper(
        "ramp",
        _both(
            "(torch.arange(count) * 2.0 - (count - 1)).to(times) / count",
            "(np.arange(count) * 2.0 - (count - 1)) / count",
        ),
    ),
    Helper("load", _both("times.sum(1, keepdim=True)", "times.sum(0)")),
    Helper("peak", _both("load.amax(-1, keepdim=True) + 1e-12", "load.max() + 1e-12")),
)

FEATURES = (
    Feature("work", "share", "the job's total time", _same("total / unit")),
    Feature("first", "share", "its time on the first machine", _same("times[..., 0] / unit")),
    Feature("last", "share", "its time on the last machine", _same("times[..., -1] / unit")),
    Feature(
        "longest",
        "share",
        "its longest time",
        _both("times.amax(-1) / unit", "times.max(-1) / unit"),
    ),
    Feature(
        "shortest",
        "share",
        "its shortest time",
        _both("times.amin(-1) / unit", "times.min(-1) / unit"),
    ),
    Feature(
        "spread",
        "share",
        "the standard deviation of its times",
        _both("times.std(-1, correction=0) / unit", "times.std(-1) / unit"),
    ),
    Feature(
        "slope",
        "share",
        "the excess of late over early machines in its times",
        _same("(times * ramp).sum(-1) / unit"),
    ),
    Feature(
        "busy",
        "share",
        "its time weighted by the load of the machines",
        _same("(times * (load / peak) ** 4).sum(-1) / unit"),
    ),
)

OPERATORS = (
    ARITHMETIC.add("share"),
    ARITHMETIC.scale("share", "number"),
    ARITHMETIC.times("share", "times_"),
    ARITHMETIC.lower("share"),
    ARITHMETIC.upper("share"),
    ARITHMETIC.size("share"),
    ARITHMETIC.square("share"),
    ARITHMETIC.root("share"),
    ARITHMETIC.plus("number", "sum"),
)

grammar = Grammar(
    name="flow_shop",
    root="share",
    sentence="Insert first the job of highest {0}.",
    renderings={
        "batched": Rendering(
            "def rank_jobs(times):", "index", ("return index",), ("import torch",)
        ),
        "scalar": Rendering(
            "def rank_jobs(times):", "index", ("return index",), ("import numpy as np",)
        ),
    },
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("number", -1.0, 1.0),),
    helpers=HELPERS,
    seed="work",
    mixture=Mixture(add="add", weigh="scale"),
)
