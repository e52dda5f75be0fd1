"""The search space: kinds of parameter, the unit cube, constraints, plain data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.evaluators import InputError
from eurisko.evaluators.bayesopt import (
    Category,
    Fixed,
    Integer,
    LinearConstraint,
    Real,
    Space,
)
from eurisko.evaluators.bayesopt.sampling import design, sample

MIXED = Space(
    [
        Real("rate", 1e-4, 1.0, log=True),
        Integer("depth", 1, 9),
        Category("kernel", ("a", "b", "c")),
        Fixed("folds", 5),
        Integer("width", 1, 1000, log=True),
    ]
)


@given(st.floats(1e-4, 1.0), st.integers(1, 9), st.sampled_from("abc"), st.integers(1, 1000))
def test_encoding_is_undone_by_decoding(rate: float, depth: int, kernel: str, width: int) -> None:
    """Every point comes back from the unit cube: discrete values exactly, reals to 1e-12."""
    point = {"rate": rate, "depth": depth, "kernel": kernel, "folds": 5, "width": width}
    (back,) = MIXED.decode(MIXED.encode([point]))
    assert back.pop("rate") == pytest.approx(point.pop("rate"), rel=1e-12)
    assert back == point


def test_the_cube_is_that_of_the_bounds() -> None:
    """Bounds map to 0 and 1, the middle of a log scale is the geometric mean."""
    space = Space([Real("x", 1, 100, log=True), Real("y", -10, 30)])
    rows = space.encode([{"x": 1, "y": -10}, {"x": 10, "y": 10}, {"x": 100, "y": 30}])
    np.testing.assert_allclose(rows, [[0, 0], [0.5, 0.5], [1, 1]])


def test_spread_gives_every_integer_and_choice_its_share() -> None:
    """A Sobol sample holds each value of an integer and of a category about equally often."""
    space = Space([Integer("n", 0, 4), Category("c", ("u", "v"))])
    points = space.decode(sample(space, 1024, 1))
    counts = np.bincount([point["n"] for point in points])
    assert counts.min() > 190 and counts.max() < 220
    assert 480 < sum(point["c"] == "u" for point in points) < 544


@pytest.mark.parametrize("upper", [1.0, 0.001])
def test_samples_satisfy_linear_constraints(upper: float) -> None:
    """Also a region too narrow for rejection is sampled, in the user's units."""
    space = Space(
        [Real("x", 0, 10), Real("y", 0, 10), Fixed("z", 2.0), Integer("k", 0, 3)],
        [LinearConstraint({"x": 1, "y": 1, "z": 1, "k": 0.0}, 2 + upper)],
    )
    points = space.decode(sample(space, 50, 3))
    assert all(point["x"] + point["y"] + point["z"] <= 2 + upper + 1e-6 for point in points)
    assert len({point["x"] for point in points}) > 5


def test_an_empty_region_is_an_input_error() -> None:
    """Constraints that no point satisfies are said, not looped over."""
    space = Space([Real("x", 0, 1)], [LinearConstraint({"x": 1}, -1)])
    with pytest.raises(InputError, match="linear constraints"):
        sample(space, 3, 0)


def test_the_lattice_lists_every_feasible_point_once() -> None:
    """Listing agrees with counting by hand: 5 x 3 points, 12 of them with n + m <= 5."""
    parameters = [Integer("n", 0, 4), Integer("m", 0, 2)]
    assert Space(parameters).size == 15
    space = Space(parameters, [LinearConstraint({"n": 1, "m": 1}, 4)])
    listed = {tuple(row) for row in space.lattice()}
    assert len(listed) == sum(n + m <= 4 for n in range(5) for m in range(3))


def test_neighbours_move_one_step() -> None:
    """Integers move by one on either side, categories to every other choice."""
    space = Space([Integer("n", 0, 4), Category("c", ("u", "v", "w"))])
    (row,) = space.encode([{"n": 0, "c": "v"}])
    near = [tuple(one.values()) for one in space.decode(space.neighbours(row))]
    assert sorted(near) == [(0, "u"), (0, "w"), (1, "v")]


def test_a_small_design_holds_different_points() -> None:
    """A design in a lattice of four points has at most four, all different."""
    space = Space([Category("a", (True, False)), Category("b", (True, False))])
    rows = design(space, 9, 0)
    assert len(np.unique(rows, axis=0)) == len(rows) <= 4


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"x": 3.0, "n": 1}, "outside"),
        ({"x": 0.5}, "lacks"),
        ({"x": 0.5, "n": 1.5}, "whole"),
        ({"x": 0.5, "n": 1, "m": 2}, "no parameter 'm'"),
        ({"x": math.nan, "n": 1}, "outside"),
        ({"x": True, "n": 1}, "not a number"),
    ],
)
def test_points_outside_the_space_are_refused(point: dict[str, float], words: str) -> None:
    """Each fault of a point is named."""
    space = Space([Real("x", 0, 1), Integer("n", 0, 3)])
    with pytest.raises(InputError, match=words):
        space.check(point)


def test_plain_data_comes_back_and_unknown_keys_are_refused() -> None:
    """from_dict undoes to_dict; a misspelt key is named with its place."""
    space = Space(MIXED.parameters, [LinearConstraint({"depth": 2.0}, 10.0)])
    assert Space.from_dict(space.to_dict()) == space
    data = space.to_dict()
    data["parameters"][0]["lgo"] = True
    with pytest.raises(InputError, match="lgo"):
        Space.from_dict(data)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Real("x", 1, 1),
        lambda: Real("x", 0, 1, log=True),
        lambda: Category("c", ("a",)),
        lambda: Space([Fixed("a", 1)]),
        lambda: Space([Real("x", 0, 1), Real("x", 0, 2)]),
        lambda: Space([Real("x", 1, 2, log=True)], [LinearConstraint({"x": 1}, 1)]),
        lambda: Space([Real("x", 1, 2)], [LinearConstraint({"y": 1}, 1)]),
    ],
)
def test_contradictions_are_refused(build: object) -> None:
    """A space that cannot be meant raises when it is built."""
    assert callable(build)
    with pytest.raises(InputError):
        build()
