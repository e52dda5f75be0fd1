"""Parent selection, survival and random streams against hand-worked values."""

import random
from collections import Counter

import pytest

from eurisko.agents.evolution.selection import rank_weights, select_parents
from eurisko.agents.evolution.survival import Member, survivors
from eurisko.agents.running.streams import stream, stream_seed


def member(id_: int, objective: float, hash_: str | None = None) -> Member:
    return Member(id_, hash_ or f"h{id_}", objective, "thought", "code", None)


def test_rank_weights_are_the_published_ones() -> None:
    """For eight members the probabilities run from 0.168 (best) to 0.094 (worst)."""
    weights = rank_weights(8)
    total = sum(weights)
    assert weights[0] / total == pytest.approx(0.168, abs=5e-4)
    assert weights[-1] / total == pytest.approx(0.094, abs=5e-4)


def test_parents_are_different_and_drawn_by_rank() -> None:
    """First draws follow the weights (4 sigma over 20,000 draws); two parents are never the same."""
    rng = random.Random(1)
    firsts: Counter[int] = Counter()
    for _ in range(20_000):
        chosen = select_parents(range(8), 2, rng)
        assert len(set(chosen)) == 2
        firsts[chosen[0]] += 1
    weights = rank_weights(8)
    for rank, weight in enumerate(weights):
        p = weight / sum(weights)
        assert abs(firsts[rank] - 20_000 * p) < 4 * (20_000 * p * (1 - p)) ** 0.5


def test_few_members_give_few_parents() -> None:
    """One member gives one parent, none gives none, and an operator without parents gets none."""
    rng = random.Random(0)
    assert select_parents([5], 2, rng) == [5]
    assert select_parents([], 2, rng) == []
    assert select_parents([1, 2], 0, rng) == []


def test_survivors_are_the_best_without_duplicates() -> None:
    """Equal programs and equal objectives (to five decimals) leave the oldest; the best P stay."""
    pool = [
        member(1, 3.0),
        member(2, 1.0, "same"),
        member(3, 1.5, "same"),
        member(4, 2.000001),
        member(5, 2.000002),
        member(6, 2.00002),
        member(7, 9.0),
    ]
    assert [one.id for one in survivors(pool, 4)] == [2, 4, 6, 1]
    assert [one.id for one in survivors(pool, 99)] == [2, 4, 6, 1, 7]
    assert [one.id for one in survivors(reversed(pool), 4)] == [2, 4, 6, 1]


def test_streams_are_named_and_independent() -> None:
    """A stream depends on its whole name and the seed, and is stable across versions."""
    assert stream_seed(0, "parents", 1, "e1", 3) == 2261831666844492121
    names = [(seed, *name) for seed in (0, 1) for name in (("a", 1), ("a", 2), ("b", 1))]
    assert len({stream_seed(*name) for name in names}) == len(names)
    assert stream_seed(0, "a/1") == stream_seed(0, "a", 1)
    assert all(0 <= stream_seed(7, i) < 2**63 for i in range(1000))
    assert stream(3, "x").random() == stream(3, "x").random()
