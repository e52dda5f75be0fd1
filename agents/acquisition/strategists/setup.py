"""SETUP-BO: No-PASt-BO whose two constants are drawn anew at each step, and learnt."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..choice import Choice, Posterior, Source
from ..state import State
from .gains import nominations, pick, rescale, softmax
from .no_past import faded


@dataclass(frozen=True)
class Setup:
    """``eta`` is drawn from Gamma(shape, rate) and the memory from Beta(a, b).

    A step that improved adds 1 to ``a``, one that did not adds 1 to ``b``; each step adds 1 to both
    parameters of the Gamma distribution.
    """

    shape: float = 40.0
    rate: float = 10.0
    a: float = 17.0
    b: float = 3.0
    name: str = "setup"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Draw the constants, then an arm."""
        improved = sum(past.improved for past in state.history)
        steps = len(state.history)
        eta = draw.gammavariate(self.shape + steps, 1.0 / (self.rate + steps))
        keep = draw.betavariate(self.a + improved, self.b + steps - improved)
        gains = faded(state, posterior, memory, keep)
        chances = softmax(rescale(gains), eta)
        arm = pick(state.arms, chances, draw)
        chance = chances[state.arms.index(arm)]
        after = {
            "gains": dict(zip(state.arms, gains, strict=True)),
            "nominated": nominations(posterior, state.arms),
        }
        reason = f"drawn with probability {chance:.2f} (eta {eta:.2f}, memory {keep:.2f})"
        return Choice(arm, reason, Source.BANDIT, after)
