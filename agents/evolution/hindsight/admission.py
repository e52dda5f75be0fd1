"""Which new insights enter the pool (HiFo-Prompt, section 3.4, and merging of paraphrases)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .constants import HindsightConstants
from .eviction import victim
from .insight import Insight, Pool
from .similarity import content_similarity, similarity

Verdict = Literal["admitted", "duplicate", "paraphrase", "no room"]


@dataclass(frozen=True)
class Admission:
    """What came of an insight at the gate.

    Args:
        pool: the pool afterwards.
        verdict: ``admitted``; ``duplicate`` (the novelty gate) and ``paraphrase`` (its content words)
            add to the support of the member that said it first; ``no room``: all are pinned.
        similarity: to the closest member of its kind, by the measure that decided.
        like: the id of that member, if there is one.
        evicted: the id of the member that made room, if one did.

    """

    pool: Pool
    verdict: Verdict
    similarity: float = 0.0
    like: int | None = None
    evicted: int | None = None


def admit(pool: Pool, insight: Insight, step: int, constants: HindsightConstants) -> Admission:
    """Return what becomes of ``insight``, stated at ``step``.

    Only insights of the same kind are compared: "do" and "avoid" share their words.
    """
    alike = [one for one in pool.members if one.kind is insight.kind]
    close, like = _closest(alike, lambda one: _gate(one, insight, constants))
    if like is not None and (close > constants.novelty or like.id == insight.id):
        return Admission(_supported(pool, like), "duplicate", close, like.id)
    if constants.paraphrase is not None:
        near, twin = _closest(alike, lambda one: content_similarity(one.text, insight.text))
        if twin is not None and near >= constants.paraphrase:
            return Admission(_supported(pool, twin), "paraphrase", near, twin.id)
    grown = Pool((*pool.members, replace(insight, last_used=step)))
    closest = None if like is None else like.id
    if len(grown) <= constants.capacity:
        return Admission(grown, "admitted", close, closest)
    out = victim(grown, step, constants)
    if out is None or out.id == insight.id:
        return Admission(pool, "no room", close, closest)
    return Admission(grown.without(out.id), "admitted", close, closest, out.id)


def _gate(one: Insight, other: Insight, constants: HindsightConstants) -> float:
    if one.id == other.id:
        return 1.0
    return similarity(one.text, other.text, constants.similarity)


def _closest(
    members: Sequence[Insight], measure: Callable[[Insight], float]
) -> tuple[float, Insight | None]:
    """Return the largest similarity and whose it is; of equals the oldest's."""
    best = max(members, key=measure, default=None)
    return (0.0, None) if best is None else (measure(best), best)


def _supported(pool: Pool, insight: Insight) -> Pool:
    return pool.update([replace(insight, support=insight.support + 1)])
