"""Which insight makes room when the pool is too full (HiFo-Prompt, section 3.7)."""

from .constants import HindsightConstants
from .insight import Insight, Pool


def victim(pool: Pool, step: int, constants: HindsightConstants) -> Insight | None:
    """Return the member to evict, or None when every member is pinned.

    Of the members past their probation, the one with the smallest effectiveness minus idle decay;
    when there is none, the one used longest ago. Ties go to the oldest.
    """
    free = [one for one in pool.members if not one.pinned]
    proven = [one for one in free if one.uses >= constants.probation]
    if proven:
        return min(proven, key=lambda one: standing(one, step, constants))
    return min(free, key=lambda one: one.last_used, default=None)


def standing(insight: Insight, step: int, constants: HindsightConstants) -> float:
    """Return effectiveness minus what being idle costs."""
    return insight.effectiveness - constants.idle_decay * (step - insight.last_used)
