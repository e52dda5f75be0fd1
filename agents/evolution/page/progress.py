"""How a run converged, against what it had spent by then."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ....knowledge_base import Candidate, ModelCall

MOST_POINTS = 2000
"""Longer runs keep each new best and an even sample of the rest."""


def convergence(
    rows: Sequence[Candidate],
    scored: Mapping[int, float],
    means: Mapping[int, float],
    calls: Sequence[ModelCall],
) -> list[dict[str, Any]]:
    """Return best and mean objective after each candidate, with calls, tokens and seconds by then.

    Args:
        rows: candidates in the order they were made in.
        scored: objective of each candidate that ran, by id.
        means: mean objective of the best members after each generation.
        calls: the run's model calls, in the order they were stored in.
    """
    points: list[dict[str, Any]] = []
    best: float | None = None
    mean: float | None = None
    sent = tokens = seen = 0
    step = max(1, math.ceil(len(rows) / MOST_POINTS))
    for index, one in enumerate(rows):
        while seen < len(calls) and calls[seen].created_at <= one.created_at:
            sent += calls[seen].attempts
            tokens += calls[seen].prompt_tokens + calls[seen].completion_tokens
            seen += 1
        value = scored.get(one.id)
        better = value is not None and (best is None or value < best)
        best = value if better else best
        last = index + 1 == len(rows) or rows[index + 1].generation != one.generation
        mean = means.get(one.generation, mean) if last else mean
        if better or last or index % step == 0:
            seconds = (one.created_at - rows[0].created_at).total_seconds()
            spent = {"calls": sent, "tokens": tokens, "seconds": round(seconds, 3)}
            points.append({"candidates": index + 1, **spent, "best": best, "mean": mean})
    return points
