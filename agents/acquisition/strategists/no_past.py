"""No-PASt-BO (Vasconcelos et al., arXiv 1908.00361): old rewards fade, gains are rescaled."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..choice import Choice, Posterior, Source
from ..state import State
from .gains import nominations, pick, rescale, rewards, softmax


@dataclass(frozen=True)
class NoPast:
    """Gains are ``memory * gain + reward``, mapped to [0, 1] before the softmax with ``eta``."""

    eta: float = 4.0
    memory: float = 0.8
    name: str = "no-past"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Discount the gains, add the rewards of the last nominations, then draw."""
        gains = faded(state, posterior, memory, self.memory)
        chances = softmax(rescale(gains), self.eta)
        arm = pick(state.arms, chances, draw)
        chance = chances[state.arms.index(arm)]
        after = {
            "gains": dict(zip(state.arms, gains, strict=True)),
            "nominated": nominations(posterior, state.arms),
        }
        return Choice(arm, f"drawn with probability {chance:.2f}", Source.BANDIT, after)


def faded(
    state: State, posterior: Posterior, memory: Mapping[str, Any], keep: float
) -> list[float]:
    """Return ``keep`` times the old gains plus the new rewards, in the order of the arms."""
    before: Mapping[str, float] = memory.get("gains", {})
    new = rewards(posterior, memory, state.arms)
    return [keep * before.get(arm, 0.0) + one for arm, one in zip(state.arms, new, strict=True)]
