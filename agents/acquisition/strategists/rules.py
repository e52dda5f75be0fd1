"""The strategist without a model: a few rules that a language model has to beat.

They come from what LMABO's logged decisions and ablations show: its instruction not to reuse what
just failed is the largest single effect; after an improvement the logged policy exploits; after
failures it takes another kind of function; at the last step it trusts the posterior mean.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..choice import Choice, Posterior, Source
from ..state import State


@dataclass(frozen=True)
class Rules:
    """Exploit at the end, stay while it helps, change when it does not.

    Args:
        base: taken first and after each improvement.
        others: taken in turn, each after a failure of ``base`` or of the one before; no other
            choice was measurably better (benchmarks/results/rules_variants.md).
        last: taken at the last step of the budget.
        patience: how often ``base`` may fail in a row before another one is taken.
    """

    base: str = "LogEI"
    others: tuple[str, ...] = ("TS", "UCB")
    last: str = "PosMean"
    patience: int = 1
    name: str = "rules"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Apply the first rule that fits."""
        if state.remaining == 1 and self.last in state.arms:
            reason = "the last evaluation: take what the model thinks is best"
            return Choice(self.last, reason, Source.RULE, {})
        failed, past = state.failures_in_a_row, state.last
        if past is not None and 0 < failed < self.patience and past.arm == self.base:
            reason = f"no improvement only {failed} of {self.patience} times: once more"
            return Choice(self.base, reason, Source.RULE, {})
        if past is None or not failed:
            why = "the last step improved" if past else "the first step"
            return Choice(self.base, f"{why}: improve on the incumbent", Source.RULE, {})
        arm = self._after_failure(state, past.arm)
        times = "once" if failed == 1 else f"{failed} times in a row"
        return Choice(arm, f"no improvement {times}: not {past.arm} again", Source.RULE, {})

    def _after_failure(self, state: State, failed: str) -> str:
        """Return ``base`` and the others in turn, never the one that has just failed."""
        others = [arm for arm in self.others if arm in state.arms]
        if failed != self.base or not others:
            return self.base
        used = sum(past.arm in others for past in state.history)
        return others[used % len(others)]
