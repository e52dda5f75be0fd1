"""The problem object of acquisition."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError, UnknownDataset, did_you_mean
from ...problem import Array, Dataset, OneShotProblem, OnlineProblem, ProblemSpec, Scores
from .data import RECIPES, generated_dataset
from .scoring import measure, regrets
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class Acquisition:
    """Optimise unknown functions with few evaluations; see `eurisko.evaluators.OneShotProblem`."""

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
        """The same loops played step by step, with the functions outside the sandbox."""
        from .lockstep import AcquisitionLockstep

        return AcquisitionLockstep(self)

    def dataset(self, name: str) -> Dataset:
        """Return functions tabulated on lattices; see `data.generated_dataset` for the arrays.

        Raises:
            UnknownDataset: there is none of this name.
        """
        if name not in RECIPES:
            raise UnknownDataset(
                f"acquisition has no data set {name!r}: {did_you_mean(name, RECIPES)}"
            )
        return _generated(name)

    def load(self, path: str | Path) -> Dataset:
        """Refuse every file.

        Raises:
            InputError: always; a function is a rule, and tables of them are made here.
        """
        raise InputError(f"acquisition makes its functions itself; it reads no file ({path}).")

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the array of either driver: ``chosen`` ``[B, S + T]`` int64."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        evaluations = data.arrays["start"].shape[1] + int(data.arrays["steps"][0])
        return {"chosen": ArraySpec("<i8", (data.instances, evaluations))}

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the evaluated points and return the mean of average and final regret, in %.

        Raises:
            Infeasible: a row does not begin with the start, or a point is unknown or chosen twice.
        """
        chosen, values = decisions["chosen"], data.arrays["values"]
        raw = measure(regrets(values, data.arrays["start"], chosen))
        traits = np.arange(data.instances)[:, None] * values.shape[1] + chosen
        return Scores.minimised(raw, None, traits)


@cache
def _generated(name: str) -> Dataset:
    return generated_dataset(name, RECIPES[name])


problem: OneShotProblem = Acquisition()
