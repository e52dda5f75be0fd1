"""The problem object of flow_shop_gls."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UnknownDataset, did_you_mean
from ...generated import Recipe
from ...problem import Array, Dataset, OneShotProblem, ProblemSpec, Scores
from ..flow_shop.data import FAMILY, generated_dataset, load_taillard
from ..flow_shop.scoring import makespans
from . import data as instances
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class FlowShopGls:
    """Guide a local search on orders of jobs; see `eurisko.evaluators.OneShotProblem`."""

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
        """Return a data set: ``times`` ``[B, N, M]`` int64, jobs by machines.

        Raises:
            UnknownDataset: there is none of this name.
        """
        recipe = FAMILY.read(name)
        if recipe is not None:
            return _of_any_size(recipe)
        if name not in instances.PARTS:
            hint = did_you_mean(name, instances.PARTS)
            raise UnknownDataset(f"flow_shop_gls has no data set {name!r}: {hint}")
        return _generated(name)

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set of any size (see `eurisko.evaluators.GeneratingProblem`).

        It holds jobs x machines, with lower bounds as references.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        return self.dataset(FAMILY.name(size, instances, seed))

    def load(self, path: str | Path) -> Dataset:
        """Read the first instance of a file in Taillard's format.

        Raises:
            InputError: the file is missing or broken.
        """
        return load_taillard(path)

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of either driver: ``orders`` ``[B, N]`` int64."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        return {"orders": ArraySpec("<i8", data.arrays["times"].shape[:2])}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the permutations and return makespans and gaps.

        Raises:
            Infeasible: a row is not a permutation of all jobs.
        """
        return Scores.minimised(
            makespans(data.arrays["times"], decisions["orders"]), data.reference
        )


@cache
def _generated(name: str) -> Dataset:
    return instances.part_dataset(name)


problem: OneShotProblem = FlowShopGls()


@lru_cache(maxsize=4)
def _of_any_size(recipe: Recipe) -> Dataset:
    return generated_dataset(recipe)
