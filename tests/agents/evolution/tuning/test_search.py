"""The search over constants: coordinates, known optima, and numbers of its own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.agents.evolution.tuning import ConstantSearch, axis_of
from eurisko.agents.evolution.tuning.space import FACTOR, Axis, rounded, signed_axis

REALS = st.floats(-50, 50)


@given(st.floats(1e-5, 1e5) | st.integers(2, 100_000), REALS)
def test_values_keep_sign_type_and_scale(value: float | int, x: float) -> None:
    """At 0 stands the value itself; anywhere else one of its sign and type, within a factor."""
    axis = axis_of(value)
    assert axis.value(0.0) == (value if isinstance(value, int) else rounded(value))
    other = axis.value(x)
    assert type(other) is type(value) and other > 0
    most = FACTOR + 1 if axis.kind == "integer" else FACTOR
    assert value / most * 0.999 - 1 <= other <= value * most * 1.001 + 1


@given(st.floats(-100, 100), REALS)
def test_signed_values_move_in_proportion(value: float, x: float) -> None:
    """A constant that may change its sign moves by the same share of its size at any scale."""
    axis = signed_axis(value, 2.0)
    moved = axis.value(axis.std * x) - axis.value(0.0)
    expected = 0.3 * max(abs(value), 0.2) * max(-30.0, min(30.0, x))
    assert moved == pytest.approx(expected, rel=2e-3, abs=2e-3 * abs(value) + 1e-9)


def best_of(axes: list[Axis], target: list[float], seed: int, evaluations: int) -> list[float]:
    """The best values after a search for ``target`` on a log scale."""

    def objective(values: tuple[float | int, ...]) -> float:
        return sum(math.log(v / t) ** 2 for v, t in zip(values, target, strict=True))

    start = tuple(axis.start for axis in axes)
    search, best = ConstantSearch(axes, objective(start), seed), (objective(start), start)
    while evaluations > 0 and not search.over:
        asked = search.ask()
        evaluations -= len(asked)
        found = [objective(values) for values in asked]
        best = min([best, *zip(found, asked, strict=True)])
        search.tell(found)
    return list(best[1])


@pytest.mark.parametrize("seed", range(3))
def test_a_known_optimum_is_found(seed: int) -> None:
    """Floats to a per cent and integers exactly, from a start that is off by factors of two to five."""
    axes = [axis_of(one) for one in (0.5, 3.0, 40.0, 4, 1000)]
    target = [1.3, 0.9, 85.0, 7, 412]
    found = best_of(axes, target, seed, 900)
    assert found == pytest.approx(target, rel=0.01)
    assert found[3:] == [7, pytest.approx(412, abs=2)]
    assert [type(one) for one in found] == [float, float, float, int, int]


def test_a_lone_constant_is_tuned() -> None:
    """One coordinate, which CMA-ES cannot do by itself."""
    assert best_of([axis_of(0.5)], [1.7], 0, 120) == [pytest.approx(1.7, rel=0.01)]


def test_failures_are_the_worst() -> None:
    """Where everything above 1 fails, and the objective falls towards 1, the search stays below it."""
    axis, best = axis_of(0.3), math.inf
    search = ConstantSearch([axis, axis], 1.0, 5)
    for _ in range(25):
        asked = search.ask()
        objectives = [math.inf if max(v) > 1 else 2 - sum(v) for v in asked]
        best = min([best, *objectives])
        search.tell(objectives)
    assert 0 <= best < 0.05


def test_a_search_draws_its_own_numbers() -> None:
    """The same seed asks for the same values whatever NumPy's global generator does, and leaves it."""
    asked = []
    for other in (1, 2):
        np.random.seed(other)
        before = str(np.random.get_state())
        search = ConstantSearch([axis_of(0.5), axis_of(3)], 1.0, 2**62 + 5)
        points = [search.ask() for _ in range(1)]
        search.tell([sum(values) for values in points[0]])
        asked.append([*points, search.ask()])
        assert str(np.random.get_state()) == before
    assert asked[0] == asked[1]
    assert ConstantSearch([axis_of(0.5), axis_of(3)], 1.0, 6).ask() != asked[0][0]
