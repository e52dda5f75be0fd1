"""What a candidate's fate says about the insights that its prompt showed (HiFo-Prompt, section 3.6)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .constants import HindsightConstants
from .insight import Insight, Pool

Tier = Literal[
    "best", "above mean", "below mean", "equal", "empty", "invalid", "failure", "uncounted"
]


@dataclass(frozen=True)
class Credit:
    """Credit from −1 to 1, and the tier that gave it."""

    value: float
    tier: Tier


def credit_for_objective(
    objective: float, population: Sequence[float], constants: HindsightConstants
) -> Credit:
    """Return the credit of a child with ``objective``, bred from members with these objectives.

    With ρ = (worst − objective)/(worst − best), minimising: 0.8 + 0.2ρ at least as good as the best,
    0.2 + 0.6ρ as the mean, else −0.3 + 0.5ρ, clipped to [−1, 1].
    """
    if not math.isfinite(objective):
        return credit_for_failure(invalid=True, constants=constants)
    if not population:
        return Credit(0.0, "empty")
    best, worst = min(population), max(population)
    if best == worst:
        return Credit(constants.equal_credit, "equal")
    rank = (worst - objective) / (worst - best)
    mean = sum(population) / len(population)
    index, tier = _tier(objective, best, mean)
    value = constants.credit_intercepts[index] + constants.credit_slopes[index] * rank
    return Credit(_clipped(value), tier)


def credit_for_failure(*, invalid: bool, constants: HindsightConstants) -> Credit:
    """Return the credit of a child that has no objective.

    Args:
        invalid: its result could not be used, or there was no program at all; otherwise the program
            failed, broke a rule, or ran out of time or memory.
        constants: with ``failures_count`` off the credit is nothing at all.

    """
    if not constants.failures_count:
        return Credit(0.0, "uncounted")
    if invalid:
        return Credit(constants.invalid_credit, "invalid")
    return Credit(constants.failure_credit, "failure")


def give_credit(
    pool: Pool,
    ids: Collection[int],
    credit: Credit,
    step: int,
    constants: HindsightConstants,
    regime: str = "",
) -> Pool:
    """Return the pool after the insights ``ids`` got ``credit``: E ← 0.7·E + 0.3·credit.

    Those that are no longer in the pool get nothing.
    """
    if credit.tier == "uncounted":
        return pool
    rate = constants.rate
    return pool.update(
        replace(
            one,
            effectiveness=moved(one.effectiveness, credit.value, rate),
            last_used=step,
            regimes=_by_regime(one, credit.value, rate, regime),
        )
        for one in pool.members
        if one.id in ids
    )


def moved(effectiveness: float, credit: float, rate: float) -> float:
    """Return the exponential moving average after one more credit, clipped to [−1, 1]."""
    return _clipped((1 - rate) * effectiveness + rate * credit)


def _by_regime(
    insight: Insight, credit: float, rate: float, regime: str
) -> dict[str, tuple[int, float]]:
    known = dict(insight.regimes)
    if regime:
        count, average = known.get(regime, (0, 0.0))
        known[regime] = (count + 1, moved(average, credit, rate))
    return known


def _tier(objective: float, best: float, mean: float) -> tuple[int, Tier]:
    if objective <= best:
        return 0, "best"
    if objective <= mean:
        return 1, "above mean"
    return 2, "below mean"


def _clipped(value: float) -> float:
    return max(-1.0, min(1.0, value))
