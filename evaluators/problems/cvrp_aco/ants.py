"""The problem object of cvrp_aco."""

from functools import lru_cache
from typing import TYPE_CHECKING

from ...problem import Dataset, OneShotProblem, ProblemSpec
from ..cvrp_construct.construct import CvrpConstruct
from . import data as instances
from .spec import SPEC

if TYPE_CHECKING:
    from ...grammar import Grammar


class CvrpAco(CvrpConstruct):
    """Guide an ant colony to vehicle routes: other heuristics, the same instances and decisions."""

    @property
    def spec(self) -> ProblemSpec:
        """Names, texts for prompts, interfaces with seeds and drivers, splits."""
        return SPEC

    @property
    def grammar(self) -> "Grammar | None":
        """Features and operators for the offline proposer, loaded on first use."""
        from .grammar import grammar

        return grammar

    @staticmethod
    def generated(name: str) -> Dataset:
        """Return a data set of ``cvrp_construct`` with ``coordinates`` beside its arrays."""
        return _generated(name)


@lru_cache(maxsize=8)
def _generated(name: str) -> Dataset:
    return instances.coordinate_dataset(name, instances.recipe_of(name))


problem: OneShotProblem = CvrpAco()
