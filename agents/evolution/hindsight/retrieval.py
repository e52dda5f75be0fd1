"""Which insights a prompt shows (HiFo-Prompt, section 3.5)."""

import math
from dataclasses import dataclass, replace

from .constants import HindsightConstants
from .insight import Insight, Pool, Scope

SCOPE_RELEVANCE = {Scope.PROBLEM: 1.0, Scope.FAMILY: 0.5, Scope.GENERAL: 0.0}


@dataclass(frozen=True)
class Occasion:
    """What the prompt is for: relevance is judged by it. Empty names are no occasion."""

    problem: str = ""
    regime: str = ""


def utility(
    insight: Insight,
    step: int,
    constants: HindsightConstants,
    occasion: Occasion = Occasion(),
) -> float:
    """Return U = E − w·ln(N + 1) + recency bonus (+ weighted relevance) at ``step``."""
    recent = step - insight.last_used <= constants.recency_window
    return (
        insight.effectiveness
        - constants.usage_weight * math.log(insight.uses + 1)
        + (constants.recency_bonus if recent else 0.0)
        + constants.relevance_weight * relevance(insight, occasion)
    )


def relevance(insight: Insight, occasion: Occasion) -> float:
    """Return how much an insight is about the occasion, from −1 to 2.

    One for what was learnt on this very problem, less for its family, nothing for general advice;
    plus its moving average of credit in this regime, where it has been used in it.
    """
    close = SCOPE_RELEVANCE[insight.scope]
    if insight.problem and insight.problem == occasion.problem:
        close = 1.0
    _, credit = insight.regimes.get(occasion.regime, (0, 0.0))
    return close + credit


def retrieve(
    pool: Pool,
    step: int,
    constants: HindsightConstants,
    occasion: Occasion = Occasion(),
) -> tuple[Pool, tuple[Insight, ...]]:
    """Return the insights with the largest utility, best first, and the pool that counts their use.

    Ties go to the oldest; nothing is random.
    """
    ranked = sorted(pool.members, key=lambda one: -utility(one, step, constants, occasion))
    shown = tuple(ranked[: constants.shown])
    return note_use(pool, [one.id for one in shown], step), shown


def note_use(pool: Pool, ids: list[int], step: int) -> Pool:
    """Return the pool after a prompt of ``step`` showed the insights ``ids``."""
    return pool.update(
        replace(one, uses=one.uses + 1, last_used=step) for one in pool.members if one.id in ids
    )
