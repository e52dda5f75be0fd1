"""The problem object of tsp_construct."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...decisions import edge_traits
from ...errors import UnknownDataset, did_you_mean
from ...generated import Recipe
from ...problem import Array, Dataset, OneShotProblem, OnlineProblem, ProblemSpec, Scores
from . import data as instances
from .data import FAMILY
from .scoring import check_tours, tour_lengths
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class TspConstruct:
    """Build travelling-salesman tours step by step; see `eurisko.evaluators.Problem`."""

    @property
    def spec(self) -> ProblemSpec:
        """Names, texts for prompts, interfaces with seeds and drivers, splits."""
        return SPEC

    @property
    def grammar(self) -> "Grammar | None":
        """Features and operators for the offline proposer, loaded on first use."""
        from .grammar import grammar

        return grammar

    @property
    def lockstep(self) -> OnlineProblem:
        """The same construction played step by step, for re-running champions."""
        from .lockstep import TspLockstep

        return TspLockstep(self)

    def dataset(self, name: str) -> Dataset:
        """Return a uniform data set: ``distances`` ``[B, N, N]`` float64 and references.

        Raises:
            UnknownDataset: there is none of this name.
        """
        recipe = FAMILY.read(name)
        if recipe is not None:
            return _of_any_size(recipe)
        if name not in instances.UNIFORM:
            raise UnknownDataset(
                f"tsp_construct has no data set {name!r}: {did_you_mean(name, instances.UNIFORM)}"
            )
        return _generated(name)

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set of any size (see `eurisko.evaluators.GeneratingProblem`).

        It holds cities in the unit square, without references.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        return self.dataset(FAMILY.name(size, instances, seed))

    def load(self, path: str | Path) -> Dataset:
        """Read a TSPLIB file; the reference is its ``.opt.tour`` where that lies beside it.

        Raises:
            InputError: the file is missing, broken, too large or of an unsupported type.
        """
        return instances.load_tsplib(path)

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of either driver: ``tours`` ``[B, N]`` int64."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        return {"tours": ArraySpec("<i8", data.arrays["distances"].shape[:2])}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the tours and return lengths and gaps.

        Raises:
            Infeasible: a row is not a permutation of all cities that starts with city 0.
        """
        distances, tours = data.arrays["distances"], decisions["tours"]
        check_tours(tours, *distances.shape[:2])
        edges = edge_traits(tours, distances.shape[1], closed=True)
        return Scores.minimised(tour_lengths(distances, tours), data.reference, edges)


@cache
def _generated(name: str) -> Dataset:
    return instances.uniform_dataset(name, instances.UNIFORM[name])


problem: OneShotProblem = TspConstruct()


@lru_cache(maxsize=4)
def _of_any_size(recipe: Recipe) -> Dataset:
    return instances.generated_dataset(recipe)
