"""What a strategist decides, and what it may ask the optimiser before it does."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .state import State

Floats = NDArray[np.float64]
Point = Mapping[str, Any]


class Source(StrEnum):
    """Who decided."""

    RULE = "rule"
    BANDIT = "bandit"
    MODEL = "model"
    FALLBACK = "fallback"
    """A rule, because the model's answers could not be used."""


@dataclass(frozen=True)
class Choice:
    """The acquisition function for the next step, and why.

    ``memory`` is what the strategist wants back at its next step, as JSON.
    """

    arm: str
    reason: str
    source: Source
    memory: Mapping[str, Any]


class Posterior(Protocol):
    """What the present surrogate believes, in standardised units, small being good.

    Values are standardised over the observations and turned so that they are minimised: a strategist
    sees the same numbers whether ``f`` is minimised, ``-f`` is maximised, or ``f`` is rescaled.
    """

    def nominate(self, arm: str) -> Point:
        """Return the point that this acquisition function would evaluate next."""
        ...

    def mean(self, points: Sequence[Point]) -> Floats:
        """Return the posterior means ``[n]``."""
        ...

    def joint(self, points: Sequence[Point]) -> tuple[Floats, Floats]:
        """Return the posterior mean ``[n]`` and covariance ``[n, n]`` of the noise-free function."""
        ...

    def noise_variance(self) -> float:
        """Return the variance of the observation noise, in standardised units."""
        ...

    def spread(self, count: int, seed: int) -> Sequence[Point]:
        """Return ``count`` space-filling points of the feasible space."""
        ...


class Strategist(Protocol):
    """Picks the acquisition function of the next step; all it remembers is ``memory``."""

    @property
    def name(self) -> str:
        """How a user names it."""
        ...

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Return the next choice.

        Args:
            state: how the optimisation stands; ``state.arms`` are the functions to choose from.
            posterior: the surrogate with all observations.
            memory: what the last choice left behind; empty at the first step.
            draw: the random stream of this step.

        """
        ...
