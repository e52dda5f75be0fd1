"""Online bin packing on short sequences: bin_packing_online with data that take a tenth of its time.

The ablation needs many runs, not long ones. Recipe, interfaces, grammar and scoring are those of
bin_packing_online; only the data sets differ, and no score is comparable with published ones.
"""

from dataclasses import replace
from functools import cache

from eurisko.evaluators import Dataset, OnlineProblem, ProblemSpec
from eurisko.evaluators.problems.bin_packing_online import BinPackingOnline
from eurisko.evaluators.problems.bin_packing_online.data import Weibull, weibull_dataset

SETS = {
    "weibull-500-c100-search": Weibull(10, 500, 100, seed=460_100),
    "weibull-500-c100-validation": Weibull(10, 500, 100, seed=461_100),
    "weibull-500-c100-test": Weibull(20, 500, 100, seed=462_100),
}


class ShortPacking(BinPackingOnline):
    """bin_packing_online on sequences of 500 items."""

    @property
    def spec(self) -> ProblemSpec:
        """The same texts under another name, with other splits."""
        splits = {name.rsplit("-", 1)[1]: (name,) for name in SETS}
        return replace(super().spec, name="bin_packing_short", splits=splits)

    def dataset(self, name: str) -> Dataset:
        """Return one of the short data sets; KeyError for another name."""
        return _generated(name)


@cache
def _generated(name: str) -> Dataset:
    return weibull_dataset(name, SETS[name])


problem: OnlineProblem = ShortPacking()
