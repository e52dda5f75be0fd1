"""The problem object of cvrp_construct."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...decisions import edge_traits
from ...errors import InputError, UnknownDataset, did_you_mean
from ...problem import Array, Dataset, OneShotProblem, ProblemSpec, Scores
from . import data as instances
from .data import FAMILY
from .scoring import route_lengths
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class CvrpConstruct:
    """Build vehicle routes step by step; see `eurisko.evaluators.OneShotProblem`."""

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
        """Return a uniform data set: ``distances``, ``demands``, ``capacity``, references.

        Raises:
            UnknownDataset: there is none of this name.
        """
        if name not in instances.UNIFORM and FAMILY.read(name) is None:
            known = did_you_mean(name, instances.UNIFORM)
            raise UnknownDataset(f"{self.spec.name} has no data set {name!r}: {known}")
        return self.generated(name)

    @staticmethod
    def generated(name: str) -> Dataset:
        """Return a data set that is known to exist."""
        return _generated(name)

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set of any size (see `eurisko.evaluators.GeneratingProblem`).

        It holds customers in the unit square, without references.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        return self.dataset(FAMILY.name(size, instances, seed))

    def load(self, path: str | Path) -> Dataset:
        """Refuse every file: the formats of CVRPLIB are not read yet.

        Raises:
            InputError: always.
        """
        raise InputError(f"{self.spec.name} reads no files yet ({path}).")

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of either driver: ``visits`` ``[B, 2 * customers + 1]`` int64."""
        from ....sandbox import ArraySpec

        self.spec.interface(interface)
        batch, nodes = data.arrays["demands"].shape
        return {"visits": ArraySpec("<i8", (batch, 2 * nodes - 1))}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the routes and return their total lengths and gaps.

        Raises:
            Infeasible: a customer is not visited once, or a route is too heavy.
        """
        visits, nodes = decisions["visits"], data.arrays["demands"].shape[1]
        lengths = route_lengths(dict(data.arrays), visits)
        return Scores.minimised(lengths, data.reference, edge_traits(visits, nodes))


@lru_cache(maxsize=8)
def _generated(name: str) -> Dataset:
    return instances.uniform_dataset(name, instances.recipe_of(name))


problem: OneShotProblem = CvrpConstruct()
