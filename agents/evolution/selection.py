"""Which members become parents."""

import random
from collections.abc import Sequence


def rank_weights(size: int) -> list[float]:
    """Return selection weights by rank, best first: 1 / (rank + 1 + size) with rank from 0.

    For 8 members the probabilities run from 0.168 to 0.094 (EoH and HiFo-Prompt, released code).
    """
    return [1.0 / (rank + 1 + size) for rank in range(size)]


def select_parents(ranked: Sequence[int], count: int, rng: random.Random) -> list[int]:
    """Draw ``count`` different members of ``ranked`` (best first) in proportion to their weights.

    Fewer are returned when there are fewer. The published code draws with replacement, so that both
    parents can be the same program; recombining a program with itself is of no use.
    """
    pool, weights = list(ranked), rank_weights(len(ranked))
    chosen: list[int] = []
    while pool and len(chosen) < count:
        index = rng.choices(range(len(pool)), weights)[0]
        chosen.append(pool.pop(index))
        weights.pop(index)
    return chosen
