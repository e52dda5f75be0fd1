"""The language in which perturbations can be made without a language model.

An expression is the share by which the time of each job on each machine rises. The five jobs whose
totals rise by the largest shares are moved. Every feature is a ratio, so units do not matter.
"""

from ...arithmetic import Arithmetic
from ...grammar import Constant, Feature, Grammar, Helper, Mixture, Rendering

__all__ = ["grammar"]


ARITHMETIC = Arithmetic()
_both, _same = ARITHMETIC.both, ARITHMETIC.same


RENDERINGS = {
    "batched": Rendering(
        signature="def perturb(sequences, times):",
        result="share",
        closing=(
            "rise = times * share",
            "shares = rise.sum(2) / (times.sum(2) + 1e-12)",
            "jobs = shares.argsort(dim=1, descending=True, stable=True)[:, :5]",
            "return times + rise, jobs",
        ),
        imports=("import numpy as np", "import torch"),
    ),
    "scalar": Rendering(
        signature="def get_matrix_and_jobs(current_sequence, time_matrix, m, n):",
        result="share",
        closing=(
            "rise = time_matrix * share",
            "shares = rise.sum(1) / (time_matrix.sum(1) + 1e-12)",
            'return time_matrix + rise, np.argsort(-shares, kind="stable")[:5]',
        ),
        imports=("import numpy as np",),
    ),
}

# Features are [B, N, 1] or [B, N, M]; without B in the scalar interface.
HELPERS = (
    Helper("base", _both("times", "time_matrix")),
    Helper("total", _same("base.sum(-1) + 1e-12")),
    Helper("count", _same("base.shape[-1]")),
    # One draw for all features, instance by instance: both interfaces see the same numbers.
    Helper(
        "drawn",
        _both(
            "torch.from_numpy(np.random.rand(*base.shape)).to(base)",
            "np.random.rand(n, m)",
        ),
    ),
    Helper(
        "place",
        _both(
            "sequences.argsort(1).to(base)[:, :, None]",
            "np.argsort(current_sequence).astype(float)[:, None]",
        ),
    ),
    Helper("load", _both("base.sum(1, keepdim=True)", "base.sum(0)")),
    Helper(
        "ramp",
        _both("torch.arange(count).to(base) / count", "np.arange(count) / count"),
    ),
)

FEATURES = (
    Feature(
        "noise",
        "share",
        "a random number from 0 to 1 for each job and machine",
        _same("drawn"),
    ),
    Feature(
        "chance",
        "share",
        "a random number from 0 to 1 for each job",
        _same("drawn[..., :1]"),
    ),
    Feature(
        "work",
        "share",
        "the job's total time over the mean of all jobs",
        _both(
            "(total / total.mean(1, keepdim=True))[:, :, None]", "(total / total.mean())[:, None]"
        ),
    ),
    Feature(
        "part",
        "share",
        "the time over the job's mean time",
        _same("base * count / total[..., None]"),
    ),
    Feature(
        "busy",
        "share",
        "the load of the machine over the largest load",
        _both("load / (load.amax(2, keepdim=True) + 1e-12)", "load / (load.max() + 1e-12)"),
    ),
    Feature(
        "late",
        "share",
        "the job's position in the order, from 0 to 1",
        _same("place / base.shape[-2]"),
    ),
    Feature(
        "odd", "share", "1 for every second position in the order, 0 for others", _same("place % 2")
    ),
    Feature("down", "share", "the machine's place in the shop, from 0 to 1", _same("ramp")),
)

OPERATORS = (
    ARITHMETIC.add("share"),
    ARITHMETIC.scale("share", "number"),
    ARITHMETIC.times("share", "product"),
    ARITHMETIC.lower("share"),
    ARITHMETIC.upper("share"),
    ARITHMETIC.square("share"),
    ARITHMETIC.root("share"),
    ARITHMETIC.plus("number", "sum"),
)

grammar = Grammar(
    name="flow_shop_gls",
    root="share",
    sentence="Raise each time by the share {0}, and move the jobs that rise most.",
    renderings=RENDERINGS,
    features=FEATURES,
    operators=OPERATORS,
    constants=(Constant("number", -2.0, 4.0),),
    helpers=HELPERS,
    seed="noise",
    mixture=Mixture(add="add", weigh="scale"),
)
