"""The insight pool's constants, with the published values as defaults (HiFo-Prompt, section 3.9)."""

from dataclasses import dataclass
from typing import Literal

Similarity = Literal["overlap", "jaccard"]


@dataclass(frozen=True)
class HindsightConstants:
    """All numbers of the pool.

    Args:
        capacity: how many insights a run keeps at hand.
        shown: how many of them a prompt shows.
        similarity: what the novelty gate compares by: ``overlap`` (shared words over the larger
            set, as released) or ``jaccard`` (over the union, as the paper calls it).
        novelty: similarity above which an insight is not new.
        paraphrase: similarity of content words from which on an insight is a paraphrase of one that
            is there, and is merged with it; None merges nothing (published).
        usage_weight: what each use costs in retrieval, times ln(N + 1).
        recency_bonus, recency_window: bonus for what was used within so many steps.
        relevance_weight: what relevance to problem and regime adds; 0 (published) ignores it.
        rate: rate of the exponential moving average of credit.
        idle_decay: what each step without use costs in eviction.
        probation: uses before which an insight is not evicted for its effectiveness.
        credit_intercepts, credit_slopes: of the three tiers: at least as good as the best, as the
            mean, worse than the mean.
        equal_credit: credit where all members of the population have the same objective.
        invalid_credit, failure_credit: credit for a result that cannot be used, and for a program
            that fails or runs out of time.
        failures_count: whether those two are given; False is the released code's behaviour.
        extraction_probability: how often a generation's end asks for insights (released: 0.8).
        elite_share: share of the population that insights are taken from.
        fewest_members: population below which none are asked for.
        seeds: whether a new pool starts with the five seed insights.
        inherited: how many insights of earlier runs a new pool starts with at most.

    """

    capacity: int = 30
    shown: int = 3
    similarity: Similarity = "overlap"
    novelty: float = 0.7
    paraphrase: float | None = 0.5
    usage_weight: float = 0.1
    recency_bonus: float = 0.2
    recency_window: int = 2
    relevance_weight: float = 0.0
    rate: float = 0.3
    idle_decay: float = 0.01
    probation: int = 3
    credit_intercepts: tuple[float, float, float] = (0.8, 0.2, -0.3)
    credit_slopes: tuple[float, float, float] = (0.2, 0.6, 0.5)
    equal_credit: float = 0.1
    invalid_credit: float = -0.5
    failure_credit: float = -0.8
    failures_count: bool = True
    extraction_probability: float = 1.0
    elite_share: float = 0.3
    fewest_members: int = 3
    seeds: bool = True
    inherited: int = 20

    def __post_init__(self) -> None:
        if self.capacity < 1 or self.shown < 1 or self.fewest_members < 1:
            raise ValueError("capacity, shown and fewest_members must be at least 1")
        if not 0 < self.rate <= 1:
            raise ValueError(f"the rate of the moving average must be in (0, 1], not {self.rate}")
        for name in ("novelty", "extraction_probability", "elite_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1")
        if self.paraphrase is not None and not 0 < self.paraphrase <= 1:
            raise ValueError("paraphrase must be in (0, 1], or None to merge nothing")
        if self.inherited < 0:
            raise ValueError("inherited must not be negative")
