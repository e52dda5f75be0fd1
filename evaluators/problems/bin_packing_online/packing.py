"""The problem object of bin_packing_online: the world in which bins fill up, outside the sandbox."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...decisions import partner_traits
from ...errors import UnknownDataset, did_you_mean
from ...generated import Recipe
from ...problem import Array, Dataset, OnlineProblem, ProblemSpec, Scores
from . import data as instances
from .data import FAMILY
from .spec import OPEN, SPEC
from .state import Play, bins_used

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class BinPackingOnline:
    """Pack items one by one into few bins; see `eurisko.evaluators.OnlineProblem`."""

    @property
    def spec(self) -> ProblemSpec:
        """Names, texts for prompts, interfaces with seeds and drivers, splits."""
        return SPEC

    @property
    def grammar(self) -> "Grammar | None":
        """Features and operators for the offline proposer, loaded on first use."""
        from .grammar import grammar

        return grammar

    def dataset(self, name: str) -> Dataset:
        """Return a data set: ``items`` ``[B, n]`` and ``capacity`` ``[B]``, int64.

        Raises:
            UnknownDataset: there is none of this name.
        """
        recipe = FAMILY.read(name)
        if recipe is not None:
            return _of_any_size(recipe)
        if name not in instances.WEIBULL:
            known = did_you_mean(name, instances.WEIBULL)
            raise UnknownDataset(f"bin_packing_online has no data set {name!r}: {known}")
        return _generated(name)

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set of any size (see `eurisko.evaluators.GeneratingProblem`).

        It holds items from Weibull(3, 45), capacity 100, with lower bounds as references.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        return self.dataset(FAMILY.name(size, instances, seed))

    def load(self, path: str | Path) -> Dataset:
        """Read a file of BPPLIB; its items arrive in the order of the file.

        Raises:
            InputError: the file is missing, broken or has an item that fits into no bin.
        """
        return instances.load_bpplib(path)

    def known(self, data: Dataset, interface: str) -> Mapping[str, Array]:
        """Return ``capacity`` ``[B]`` and ``bins`` ``[1]``: how many are there from the start.

        0 bins stand for "the open bins and an empty one". Published evaluators offer as many
        empty bins as there are items, so that number of items is known there, and nothing else.
        """
        bins = 0 if interface in OPEN else data.arrays["items"].shape[1]
        return {"capacity": data.arrays["capacity"], "bins": np.array([bins])}

    def messages(
        self, data: Dataset, interface: str
    ) -> tuple[dict[str, "ArraySpec"], dict[str, "ArraySpec"]]:
        """Return one size per instance, and one bin per instance as the answer."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        one = ArraySpec("<i8", (data.instances,))
        return {"item": one}, {"bin": one}

    def begin(self, data: Dataset, interface: str) -> Play:
        """Return empty bins and the first item not yet seen."""
        return Play.new(data, all_bins=interface not in OPEN)

    def observe(self, data: Dataset, state: Play) -> Mapping[str, Array] | None:
        """Return the sizes of the next items, one per instance."""
        return state.next_items()

    def act(self, data: Dataset, state: Play, decisions: Mapping[str, Array]) -> Play:
        """Pack the items.

        Raises:
            Infeasible: a bin does not exist or is too full.
        """
        state.pack(decisions["bin"])
        return state

    def score(self, data: Dataset, state: Play) -> Scores:
        """Return bins used and gaps to L1; the objective is that of published tables.

        It is ``(mean bins - mean L1) / mean L1``, in %, which differs slightly from the mean of the
        gaps.

        Raises:
            Infeasible: the recorded decisions break a constraint.
        """
        decisions = state.decisions()
        raw = bins_used(data, decisions)
        assert data.reference is not None
        objective = 100.0 * float(raw.mean() / data.reference.mean() - 1.0)
        gaps = 100.0 * (raw / data.reference - 1.0)
        return Scores(raw, gaps, objective, traits=partner_traits(decisions))


@cache
def _generated(name: str) -> Dataset:
    return instances.weibull_dataset(name, instances.WEIBULL[name])


problem: OnlineProblem = BinPackingOnline()


@lru_cache(maxsize=4)
def _of_any_size(recipe: Recipe) -> Dataset:
    return instances.generated_dataset(recipe)
