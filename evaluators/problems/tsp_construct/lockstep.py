"""The construction played step by step, with the tours kept outside the sandbox.

A candidate shares its process with the driver that records its tours; here it does not, so the
decisions are those that the stated heuristic takes when it is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...problem import Array, Dataset, Infeasible, OneShotProblem, ProblemSpec, Scores
from .spec import SPEC, text

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar


@dataclass
class Tours:
    """Tours under construction: all at once (batched) or one after the other (scalar)."""

    tours: Array
    unvisited: Array
    at_once: bool
    instance: int = 0
    step: int = 1

    @property
    def rows(self) -> slice:
        """The instances that decide now."""
        return slice(None) if self.at_once else slice(self.instance, self.instance + 1)

    def visit(self, cities: Array) -> None:
        """Apply the decisions of one step.

        Raises:
            Infeasible: a city does not exist or has been visited.
        """
        free = self.unvisited[self.rows]
        for row, city in enumerate(cities):
            instance = row if self.at_once else self.instance
            if not 0 <= city < free.shape[1]:
                raise Infeasible(instance, f"step {self.step}: city {city} does not exist")
            if not free[row, city]:
                raise Infeasible(
                    instance, f"step {self.step}: city {city} has been visited already"
                )
        free[np.arange(len(cities)), cities] = False
        self.tours[self.rows, self.step] = cities
        self.step += 1
        if self.step == self.tours.shape[1] - 1:  # the last city is forced
            self.tours[self.rows, -1] = free.argmax(axis=1)
            self.instance, self.step = (len(self.tours) if self.at_once else self.instance + 1), 1


class TspLockstep:
    """`tsp_construct` as an online problem; see `eurisko.evaluators.OnlineProblem`."""

    def __init__(self, whole: OneShotProblem) -> None:
        self._whole = whole
        self._spec = replace(
            SPEC,
            interfaces={
                name: replace(one, driver=one.driver + text(f"{name}_lockstep.py.txt"))
                for name, one in SPEC.interfaces.items()
            },
        )

    @property
    def spec(self) -> ProblemSpec:
        """The same problem with drivers that answer one step."""
        return self._spec

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
        """Return all arrays: nothing about the instances is hidden in this problem."""
        return data.arrays

    def messages(
        self, data: Dataset, interface: str
    ) -> tuple[dict[str, "ArraySpec"], dict[str, "ArraySpec"]]:
        """Return where the tours stand as observation, the next cities as decision."""
        from ....sandbox import ArraySpec

        batch, cities = data.arrays["distances"].shape[:2]
        if interface == "batched":
            seen = {
                "current": ArraySpec("<i8", (batch,)),
                "unvisited": ArraySpec("|b1", (batch, cities)),
            }
            return seen, {"city": ArraySpec("<i8", (batch,))}
        one = ArraySpec("<i8", (1,))
        seen = {"instance": one, "step": one, "current": one}
        return {**seen, "unvisited": ArraySpec("|b1", (cities,))}, {"city": one}

    def begin(self, data: Dataset, interface: str) -> Tours:
        """Return tours that stand at city 0."""
        shape = data.arrays["distances"].shape[:2]
        unvisited = np.ones(shape, dtype=np.bool_)
        unvisited[:, 0] = False
        return Tours(np.zeros(shape, dtype=np.int64), unvisited, interface == "batched")

    def observe(self, data: Dataset, state: Tours) -> Mapping[str, Array] | None:
        """Return where the tours stand, or None when all are complete."""
        if state.instance >= len(state.tours):
            return None
        current = state.tours[state.rows, state.step - 1]
        if state.at_once:
            return {"current": current, "unvisited": state.unvisited}
        return {
            "instance": np.array([state.instance]),
            "step": np.array([state.step]),
            "current": current,
            "unvisited": state.unvisited[state.instance],
        }

    def act(self, data: Dataset, state: Tours, decisions: Mapping[str, Array]) -> Tours:
        """Visit the chosen cities.

        Raises:
            Infeasible: a city does not exist or has been visited.
        """
        state.visit(decisions["city"])
        return state

    def score(self, data: Dataset, state: Tours) -> Scores:
        """Check and measure the tours as the problem itself does."""
        return self._whole.score(data, {"tours": state.tours})
