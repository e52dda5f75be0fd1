"""Tests of the trusted scorer."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.evaluators import Dataset, Infeasible, get_problem

TSP = get_problem("tsp_construct")


def random_data(instances: int, cities: int, seed: int) -> Dataset:
    """Random symmetric matrices of unrelated numbers."""
    upper = np.triu(np.random.default_rng(seed).random((instances, cities, cities)), 1)
    return Dataset("random", {"distances": upper + upper.transpose(0, 2, 1)}, None, "made here")


tours_of = st.integers(3, 8).flatmap(
    lambda cities: st.lists(
        st.permutations(range(1, cities)).map(lambda rest: [0, *rest]), min_size=1, max_size=4
    )
)


@given(tours_of, st.integers(0, 2**16))
def test_length_is_the_sum_of_the_edges(tours: list[list[int]], seed: int) -> None:
    """Any permutation from city 0 scores the plain sum of its closed tour's edges."""
    data = random_data(len(tours), len(tours[0]), seed)
    scores = TSP.score(data, {"tours": np.array(tours)})
    for matrix, tour, length in zip(data.arrays["distances"], tours, scores.raw, strict=True):
        edges = zip(tour, [*tour[1:], tour[0]], strict=True)
        assert math.isclose(length, sum(matrix[a, b] for a, b in edges), rel_tol=1e-12)
    assert math.isclose(scores.objective, sum(scores.raw) / len(tours), rel_tol=1e-12)


@given(tours_of, st.data())
def test_anything_else_is_infeasible(tours: list[list[int]], draw: st.DataObject) -> None:
    """Any change of one row that is no permutation from city 0 is infeasible at that instance."""
    cities = len(tours[0])
    array = np.array(tours)
    instance = draw.draw(st.integers(0, len(tours) - 1))
    position = draw.draw(st.integers(0, cities - 1))
    city = draw.draw(st.integers(-(2**62), 2**62) | st.integers(-2, cities + 1))
    if city == array[instance, position]:
        return
    array[instance, position] = city
    with pytest.raises(Infeasible) as raised:
        TSP.score(random_data(len(tours), cities, 0), {"tours": array})
    assert raised.value.instance == instance


@pytest.mark.parametrize(
    ("row", "constraint"),
    [
        ([0, 1, 1, 3], "city 1 is visited 2 times, city 2 never"),
        ([0, 1, 2, 4], "city 4 does not exist, cities are 0 to 3"),
        ([0, -1, 2, 3], "city -1 does not exist, cities are 0 to 3"),
        ([1, 0, 2, 3], "the tour starts at city 1, wanted city 0"),
    ],
)
def test_the_complaint_names_the_city(row: list[int], constraint: str) -> None:
    """The message names the first bad instance and its offending city."""
    tours = np.array([[0, 1, 2, 3], row, [9, 9, 9, 9]])
    with pytest.raises(Infeasible) as raised:
        TSP.score(random_data(3, 4, 0), {"tours": tours})
    assert (raised.value.instance, raised.value.constraint) == (1, constraint)


def test_wrong_shapes_and_types_are_a_callers_error() -> None:
    """The sandbox checks shapes; arrays that slipped through are refused, not scored."""
    data = random_data(1, 4, 0)
    for tours in (np.array([[0, 1, 2]]), np.array([[0.0, 1.0, 2.0, 3.0]]), np.array([0, 1, 2, 3])):
        with pytest.raises(ValueError, match="wanted"):
            TSP.score(data, {"tours": tours})


def test_best_of_all_tours_has_gap_zero() -> None:
    """On seven cities the shortest of all 720 tours scores a gap of 0 and every other one more."""
    base = random_data(1, 7, 3)
    tours = [[0, *rest] for rest in itertools.permutations(range(1, 7))]
    lengths = [TSP.score(base, {"tours": np.array([tour])}).objective for tour in tours]
    data = Dataset("d", base.arrays, np.array([min(lengths)]), "made here")
    gaps = np.array([TSP.score(data, {"tours": np.array([tour])}).objective for tour in tours])
    assert gaps.min() == 0.0
    assert (gaps > 1e-9).sum() == len(tours) - 2  # the best tour and its reverse
