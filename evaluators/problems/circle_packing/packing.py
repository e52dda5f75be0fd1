"""The problem object of circle_packing."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError, UnknownDataset, did_you_mean
from ...problem import Array, Dataset, OneShotProblem, ProblemSpec, Scores
from .scoring import sum_of_radii
from .spec import CIRCLES, NAME, REFERENCE, SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


class CirclePacking:
    """Pack circles into the unit square; see `eurisko.evaluators.OneShotProblem`."""

    @property
    def spec(self) -> ProblemSpec:
        """Names, texts for prompts, the interface with seed and driver, splits."""
        return SPEC

    @property
    def grammar(self) -> "Grammar | None":
        """There is none: a packing is no formula."""
        return None

    def dataset(self, name: str) -> Dataset:
        """Return the one instance: ``circles`` ``[1]``, the number of circles.

        Raises:
            UnknownDataset: there is none of this name.
        """
        if name != NAME:
            raise UnknownDataset(
                f"circle_packing has no data set {name!r}: {did_you_mean(name, [NAME])}"
            )
        return _instance()

    def load(self, path: str | Path) -> Dataset:
        """Refuse every file.

        Raises:
            InputError: always; the problem is a single instance.
        """
        raise InputError(f"circle_packing is the one instance {NAME}; it reads no file ({path}).")

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of the driver: ``centres`` ``[1, n, 2]``, ``radii`` ``[1, n]``."""
        from ....sandbox import ArraySpec

        SPEC.interface(interface)
        return {
            "centres": ArraySpec("<f8", (1, CIRCLES, 2)),
            "radii": ArraySpec("<f8", (1, CIRCLES)),
        }

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check the packing exactly; return the sum of radii and its gap below the reference in %.

        Raises:
            Infeasible: a circle sticks out, or two overlap, by however little.
        """
        total = sum_of_radii(decisions["centres"][0], decisions["radii"][0])
        assert data.reference is not None
        gaps = 100.0 * (1.0 - np.array([total]) / data.reference)
        return Scores(raw=np.array([total]), gaps=gaps, objective=float(gaps[0]))


@cache
def _instance() -> Dataset:
    origin = (
        f"the field's standard instance, {CIRCLES} circles; reference: {REFERENCE}, the best "
        "published sums (2.6359...) rounded up"
    )
    return Dataset(NAME, {"circles": np.array([CIRCLES])}, np.array([REFERENCE]), origin)


problem: OneShotProblem = CirclePacking()
