"""Sketches of decisions against sets that are compared in full."""

import numpy as np
import pytest

from eurisko.evaluators import get_problem
from eurisko.evaluators.decisions import (
    decision_distance,
    edge_traits,
    partner_traits,
    position_traits,
    sketch,
)


def share_apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the share of elements that two sets of the same size do not have in common."""
    first, second = set(one.tolist()), set(other.tolist())
    assert len(first) == len(second)
    return 1 - len(first & second) / len(first)


def test_edges_of_hand_made_tours() -> None:
    """0-1-2-3-4 and 0-1-3-2-4 share three of five edges, whichever way they are walked."""
    one, other = np.array([[0, 1, 2, 3, 4]]), np.array([[0, 1, 3, 2, 4]])
    assert share_apart(edge_traits(one, 5, closed=True), edge_traits(other, 5, closed=True)) == 0.4
    back = one[:, ::-1]
    assert set(edge_traits(back, 5, closed=True)) == set(edge_traits(one, 5, closed=True))
    assert len(edge_traits(one, 5)) == 4, "an open way does not return"
    assert len(edge_traits(np.array([[0, 2, 0, 0, 1]]), 5)) == 3, "waiting is no edge"
    two = np.concatenate([one, one])
    assert len(set(edge_traits(two, 5, closed=True))) == 10, "instances are apart"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("tsp_construct", "tours"),
        ("tsp_gls", "tours"),
        ("cvrp_construct", "visits"),
        ("cvrp_aco", "visits"),
    ],
)
def test_walking_backwards_decides_the_same(name: str, key: str) -> None:
    """On each problem of tours or routes, what is walked backwards has the same traits and score."""
    problem = get_problem(name)
    data = problem.dataset(problem.spec.splits["search"][0])
    nodes = data.arrays["distances"].shape[1]
    others = np.random.default_rng(0).permutation(np.arange(1, nodes))
    step = 1 if key == "tours" else 2  # routes: over the depot each time
    walk, reverse = (
        np.zeros((data.instances, step * (nodes - 1) + 1), dtype=np.int64) for _ in "12"
    )
    walk[:, 1::step], reverse[:, 1::step] = others, others[::-1]
    there, back = (problem.score(data, {key: one}) for one in (walk, reverse))
    assert there.objective == pytest.approx(back.objective)
    assert there.traits is not None and back.traits is not None
    assert set(there.traits.tolist()) == set(back.traits.tolist())


def test_bins_are_compared_without_their_numbers() -> None:
    """Renumbered bins are the same packing; one item that moves changes what follows in two bins."""
    one, renumbered = np.array([[0, 1, 0, 2, 1]]), np.array([[4, 0, 4, 3, 0]])
    assert set(partner_traits(one)) == set(partner_traits(renumbered))
    moved = np.array([[0, 1, 1, 2, 1]])  # item 2 now follows item 1, and item 4 follows item 2
    assert share_apart(partner_traits(one), partner_traits(moved)) == pytest.approx(2 / 5)


def test_any_arrays_are_compared_place_by_place() -> None:
    """Two of six integers differ; real numbers count as equal to three digits."""
    one, other = {"order": np.arange(6)}, {"order": np.array([0, 1, 2, 3, 5, 4])}
    assert share_apart(position_traits(one), position_traits(other)) == pytest.approx(2 / 6)
    value = {"x": np.array([1.2345, -2.0, 0.0])}
    near = {"x": np.array([1.2346, -2.0001, 0.0])}
    far = {"x": np.array([1.25, 2.0, 0.0])}
    assert share_apart(position_traits(value), position_traits(near)) == 0
    assert share_apart(position_traits(value), position_traits(far)) == pytest.approx(2 / 3)


@pytest.mark.parametrize("size", [60, 3_000])
@pytest.mark.parametrize("apart", [0.0, 0.1, 0.3, 0.7, 1.0])
def test_sketches_estimate_the_share_that_differs(size: int, apart: float) -> None:
    """Over 40 pairs of sets the mean error is within its standard error, single ones within four."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(40):
        pool = rng.choice(10**9, 2 * size, replace=False)
        moved = round(apart * size)
        one, other = pool[:size], pool[moved : moved + size]
        found.append(decision_distance(sketch(one), sketch(other)))
    errors = np.array(found) - round(apart * size) / size
    assert np.all(np.abs(errors) <= 0.22) and abs(errors.mean()) <= 0.03
    if apart in (0.0, 1.0):
        assert np.all(errors == 0)


def test_a_sketch_is_a_function_of_the_set() -> None:
    """Order and repetition do not matter, the bytes are for ever, and nothing cannot be sketched."""
    traits = np.arange(1_000)
    made = sketch(traits)
    np.testing.assert_array_equal(made, sketch(np.concatenate([traits[::-1], traits[:10]])))
    assert made.dtype == np.dtype("<u2") and made.shape == (128,)
    assert np.unique(sketch(np.array([7]))).size == 1, "one decision fills every slot"
    with pytest.raises(ValueError, match="no decision"):
        sketch(np.array([], dtype=np.int64))
    with pytest.raises(ValueError, match="same data sets"):
        decision_distance(made, np.concatenate([made, made]))
