"""GP-Hedge (Hoffman, Brochu and de Freitas, UAI 2011)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..choice import Choice, Posterior, Source
from ..state import State
from .gains import nominations, pick, rewards, softmax


@dataclass(frozen=True)
class Hedge:
    """Arms are drawn with probability proportional to ``exp(eta * cumulative reward)``."""

    eta: float = 1.0
    name: str = "hedge"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Add the rewards of the last nominations to the gains, then draw."""
        before: Mapping[str, float] = memory.get("gains", {})
        new = rewards(posterior, memory, state.arms)
        gains = [before.get(arm, 0.0) + one for arm, one in zip(state.arms, new, strict=True)]
        chances = softmax(gains, self.eta)
        arm = pick(state.arms, chances, draw)
        chance = chances[state.arms.index(arm)]
        after = {
            "gains": dict(zip(state.arms, gains, strict=True)),
            "nominated": nominations(posterior, state.arms),
        }
        return Choice(arm, f"drawn with probability {chance:.2f}", Source.BANDIT, after)
