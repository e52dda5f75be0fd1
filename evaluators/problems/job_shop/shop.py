"""The problem object of job_shop."""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UnknownDataset, did_you_mean
from ...generated import Recipe
from ...problem import Array, Dataset, OneShotProblem, ProblemSpec, Scores
from . import data as instances
from .data import FAMILY
from .scoring import makespans
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class JobShop:
    """Dispatch jobs by a rule; see `eurisko.evaluators.OneShotProblem`."""

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
        """Return a data set: ``times`` and ``machines`` ``[B, N, M]``, in the jobs' order.

        Raises:
            UnknownDataset: there is none of this name.
        """
        recipe = FAMILY.read(name)
        if recipe is not None:
            return _of_any_size(recipe)
        known = {**instances.RANDOM, **instances.CLASSIC}
        if name not in known:
            raise UnknownDataset(f"job_shop has no data set {name!r}: {did_you_mean(name, known)}")
        return _generated(name)

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set of any size (see `eurisko.evaluators.GeneratingProblem`).

        It holds jobs x machines, with lower bounds as references.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        return self.dataset(FAMILY.name(size, instances, seed))

    def load(self, path: str | Path) -> Dataset:
        """Read a file in the standard format.

        Raises:
            InputError: the file is missing or broken.
        """
        return instances.load_standard(path)

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of either driver: ``sequence`` ``[B, N * M]`` int64."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        batch, jobs, machines = data.arrays["times"].shape
        return {"sequence": ArraySpec("<i8", (batch, jobs * machines))}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the sequences and return makespans and gaps.

        Raises:
            Infeasible: a job is not dispatched as often as it has operations.
        """
        spans = makespans(data.arrays["times"], data.arrays["machines"], decisions["sequence"])
        return Scores.minimised(spans, data.reference)


@cache
def _generated(name: str) -> Dataset:
    if name in instances.RANDOM:
        return instances.random_dataset(name, instances.RANDOM[name])
    return instances.classic_dataset(name)


problem: OneShotProblem = JobShop()


@lru_cache(maxsize=4)
def _of_any_size(recipe: Recipe) -> Dataset:
    return instances.generated_dataset(recipe)
