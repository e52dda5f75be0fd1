"""Strategists that do not look: always one arm, arms in turn, arms by lot."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..choice import Choice, Posterior, Source
from ..state import State


@dataclass(frozen=True)
class Static:
    """Always the same acquisition function."""

    arm: str

    @property
    def name(self) -> str:
        """As a user writes it."""
        return f"static:{self.arm}"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Return the one arm."""
        return Choice(self.arm, "the only one in use", Source.RULE, {})


@dataclass(frozen=True)
class Alternate:
    """Acquisition functions in turn, each for ``period`` steps."""

    arms: tuple[str, ...] = ("TS", "EI")
    period: int = 1
    name: str = "alternate"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Return the arm whose turn it is."""
        step = len(state.history)
        arm = self.arms[step // self.period % len(self.arms)]
        return Choice(arm, f"its turn at step {step + 1}", Source.RULE, {})


@dataclass(frozen=True)
class Lot:
    """Acquisition functions by lot, all equally likely."""

    name: str = "random"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Draw an arm."""
        return Choice(draw.choice(state.arms), "drawn by lot", Source.RULE, {})
