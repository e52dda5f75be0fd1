"""The problem object of cvrp_aco."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, UnknownDataset, did_you_mean
from ...problem import Array, Dataset, OneShotProblem, ProblemSpec, Scores
from ..cvrp_construct.scoring import route_lengths
from . import data as instances
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class CvrpAco:
    """Guide an ant colony to vehicle routes; see `eurisko.evaluators.OneShotProblem`."""

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
        """Return a uniform data set: ``coordinates``, ``distances``, ``demands``, ``capacity``.

        Raises:
            UnknownDataset: there is none of this name.
        """
        if name not in instances.UNIFORM:
            known = did_you_mean(name, instances.UNIFORM)
            raise UnknownDataset(f"cvrp_aco has no data set {name!r}: {known}")
        return _generated(name)

    def load(self, path: str | Path) -> Dataset:
        """Refuse every file: the formats of CVRPLIB are not read yet.

        Raises:
            InputError: always.
        """
        raise InputError(f"cvrp_aco reads no files yet ({path}).")

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of either driver: ``visits`` ``[B, 2 * customers + 1]`` int64."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        batch, nodes = data.arrays["demands"].shape
        return {"visits": ArraySpec("<i8", (batch, 2 * nodes - 1))}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the routes and return their total lengths and gaps.

        Raises:
            Infeasible: a customer is not visited once, or a route is too heavy.
        """
        return Scores.minimised(
            route_lengths(dict(data.arrays), decisions["visits"]), data.reference
        )


@cache
def _generated(name: str) -> Dataset:
    return instances.coordinate_dataset(name)


problem: OneShotProblem = CvrpAco()
