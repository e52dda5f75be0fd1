"""The loops played step by step, with the functions kept outside the sandbox.

A candidate shares its process with the driver, which holds all values of the functions; here it
does not, so the points are those that the stated heuristic chooses from what it is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...problem import Array, Dataset, Infeasible, OneShotProblem, ProblemSpec, Scores
from .spec import SPEC

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


@dataclass
class Evaluated:
    """The points ``[B, S + T]`` of which the first ``count`` have been chosen."""

    chosen: Array
    count: int
    fresh: int
    """How many of them the heuristic has not seen the values of."""


class AcquisitionLockstep:
    """`acquisition` as an online problem; see `eurisko.evaluators.OnlineProblem`."""

    def __init__(self, whole: OneShotProblem) -> None:
        self._whole = whole

    @property
    def spec(self) -> ProblemSpec:
        """The problem's own: its drivers can answer step by step."""
        return SPEC

    @property
    def grammar(self) -> "Grammar | None":
        """The problem's grammar."""
        return self._whole.grammar

    def dataset(self, name: str) -> Dataset:
        """Return a data set of the problem."""
        return self._whole.dataset(name)

    def load(self, path: str | Path) -> Dataset:
        """Read a user's file."""
        return self._whole.load(path)

    def known(self, data: Dataset, interface: str) -> Mapping[str, Array]:
        """Return everything but the values."""
        return {name: one for name, one in data.arrays.items() if name != "values"}

    def messages(
        self, data: Dataset, interface: str
    ) -> tuple[dict[str, "ArraySpec"], dict[str, "ArraySpec"]]:
        """Return the values of the latest points as observation, the next points as decision.

        There are as many values as start points; after the first step all but one are NaN.
        """
        from ....sandbox import ArraySpec

        values = ArraySpec("<f8", data.arrays["start"].shape)
        return {"values": values}, {"point": ArraySpec("<i8", (data.instances,))}

    def begin(self, data: Dataset, interface: str) -> Evaluated:
        """Return the start points, unseen."""
        start = data.arrays["start"]
        chosen = np.zeros(
            (len(start), start.shape[1] + int(data.arrays["steps"][0])), dtype=np.int64
        )
        chosen[:, : start.shape[1]] = start
        return Evaluated(chosen, start.shape[1], start.shape[1])

    def observe(self, data: Dataset, state: Evaluated) -> Mapping[str, Array] | None:
        """Return the values that are new, or None when all points are chosen."""
        if state.count == state.chosen.shape[1]:
            return None
        values = np.full(data.arrays["start"].shape, np.nan)
        new = state.chosen[:, state.count - state.fresh : state.count]
        values[:, : state.fresh] = np.take_along_axis(data.arrays["values"], new, axis=1)
        return {"values": values}

    def act(self, data: Dataset, state: Evaluated, decisions: Mapping[str, Array]) -> Evaluated:
        """Evaluate the chosen points.

        Raises:
            Infeasible: there is no such point (whether one is new is checked at the end).
        """
        points = decisions["point"]
        outside = (points < 0) | (points >= data.arrays["values"].shape[1])
        if outside.any():
            instance = int(outside.argmax())
            raise Infeasible(instance, f"there is no point {points[instance]}")
        state.chosen[:, state.count] = points
        state.count, state.fresh = state.count + 1, 1
        return state

    def score(self, data: Dataset, state: Evaluated) -> Scores:
        """Check and measure the points as the problem itself does."""
        return self._whole.score(data, {"chosen": state.chosen})
