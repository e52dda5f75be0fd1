"""Ask and tell: what users of such products run into (numbers: rows of the list in docs)."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from eurisko.evaluators import InputError
from eurisko.evaluators.bayesopt import (
    Category,
    Fixed,
    Inner,
    Integer,
    LinearConstraint,
    Optimizer,
    Phase,
    Real,
    Space,
    SpaceExhausted,
    TrialState,
)

SMALL = Inner(restarts=3, samples=64, iterations=30)
BOX = Space([Real("x", -2, 2), Real("y", 0, 3)])
Point = dict[str, Any]


def bowl(point: Point) -> float:
    value: float = (point["x"] - 0.3) ** 2 + (point["y"] - 1.2) ** 2
    return value


def made(space: Space = BOX, **settings: Any) -> Optimizer:
    return Optimizer(space, **{"seed": 1, "initial": 4, "inner": SMALL, **settings})


def run(
    optimizer: Optimizer, objective: Callable[[Point], float | None], steps: int, arm: str = "LogEI"
) -> list[Point]:
    """Ask and tell so many times; return the points."""
    points = []
    for _ in range(steps):
        (suggestion,) = optimizer.ask(arm)
        optimizer.tell(suggestion.number, objective(suggestion.point))
        points.append(suggestion.point)
    return points


def gaps(space: Space, points: list[Point]) -> float:
    """The smallest distance between two points, largest over columns of the unit cube."""
    rows = space.encode(points)
    apart = np.abs(rows[:, None] - rows[None]).max(axis=-1)
    return float(apart[~np.eye(len(rows), dtype=bool)].min())


def test_it_finds_the_bottom_of_a_bowl() -> None:
    """Fourteen points come within 0.01 of the optimum of a quadratic; Sobol alone does not."""
    optimizer = made()
    run(optimizer, bowl, 14)
    best = optimizer.best()
    assert best is not None and best.value is not None and best.value < 0.01
    assert best.phase is Phase.MODEL
    assert [one.phase for one in optimizer.trials[:4]] == [Phase.INITIAL] * 4


@pytest.mark.parametrize("arm", ["LogEI", "PosMean", "PI"])
def test_exact_studies_never_repeat_a_point(arm: str) -> None:
    """Rows 3, 4 and 6: greedy arms that would sit on one point are moved on, and it is reported."""
    optimizer = made()
    points = run(optimizer, lambda point: round(bowl(point)), 12, arm)
    assert gaps(BOX, points) >= 1e-4


def test_noisy_studies_repeat_a_point_at_most_three_times() -> None:
    """Row 15: the stated policy for noise, on a lattice small enough to force repeats."""
    optimizer = made(Space([Integer("n", 0, 2)]), noisy=True, initial=2)
    rng = np.random.default_rng(0)
    points = run(optimizer, lambda point: point["n"] + rng.normal(), 9)
    assert sorted(point["n"] for point in points) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    with pytest.raises(SpaceExhausted):
        optimizer.ask()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_failed_trials_are_learned_from(bad: float | None) -> None:
    """Row 10: a failure is recorded with a reason, never proposed again, and shunned."""
    optimizer = made()
    points = run(optimizer, lambda point: bad if point["x"] > 0.8 else bowl(point), 14)
    failed = [one for one in optimizer.trials if one.state is TrialState.FAILED]
    assert failed and all(one.value is None and one.message for one in failed)
    assert gaps(BOX, points) >= 1e-4
    assert sum(point["x"] > 0.8 for point in points[-6:]) <= 2
    best = optimizer.best()
    assert best is not None and best.value is not None and best.value < 0.1


def test_without_any_value_it_keeps_filling_space() -> None:
    """Row 16: while everything fails, points stay apart; the first value starts the model."""
    optimizer = made()
    points = run(optimizer, lambda _: None, 9)
    assert gaps(BOX, points) > 0.05
    run(optimizer, bowl, 1)
    (after,) = optimizer.ask()
    assert after.phase is Phase.MODEL


@pytest.mark.parametrize(
    "values",
    [
        [3.0, 3.0, 3.0, 3.0, 3.0],
        [1.0, 2.0, 1e30, 1.5, 1.2],
        [1e-300, 2e-300, 3e-300, 1e-300, 0.0],
        [1e15, 1e15 + 2, 1e15 + 4, 1e15, 1e15],
    ],
)
def test_awkward_values_still_give_new_points(values: list[float]) -> None:
    """Rows 11 and 19: constant, huge and tiny values; the next points are finite and new."""
    optimizer = made(initial=1)
    told = iter([*values, 1.0, 1.0])
    points = run(optimizer, lambda _: next(told), 7)
    assert gaps(BOX, points) >= 1e-4


def test_one_huge_value_does_not_hide_the_others() -> None:
    """After 1e30 among ordinary values the model still tells good from bad points."""
    optimizer = made(initial=8)
    points = run(optimizer, bowl, 8)
    optimizer.tell({"x": 2.0, "y": 3.0}, 1e30)
    surrogate = optimizer.surrogate()
    assert surrogate is not None
    mean, _ = surrogate.predict(points)
    assert np.corrcoef(mean, [bowl(point) for point in points])[0, 1] > 0.9


@pytest.mark.parametrize("noisy", [False, True])
def test_one_point_may_have_different_values(noisy: bool) -> None:
    """Row 12: contradicting imports (exact studies average them) leave a usable model."""
    optimizer = made(noisy=noisy)
    same = {"x": 0.0, "y": 1.0}
    table = [(same, 1.0), (same, 3.0), ({"x": 1.0, "y": 2.0}, 0.5), ({"x": -1.0, "y": 0.5}, 2.5)]
    assert optimizer.warm_start(table) == []
    surrogate = optimizer.surrogate()
    assert surrogate is not None
    mean, sd = surrogate.predict([same])
    assert np.isfinite(sd).all() and (noisy or mean[0] == pytest.approx(2.0, abs=0.05))
    (suggestion,) = optimizer.ask()
    assert suggestion.phase is Phase.MODEL


@pytest.mark.slow
def test_lattices_are_searched_as_lattices() -> None:
    """Row 13: integers and a category beside a real; the optimum is found, without stagnation."""
    space = Space(
        [Integer("n", 0, 40), Category("kind", ("a", "b", "c")), Real("x", 0, 1), Fixed("z", 7)]
    )

    def objective(point: Point) -> float:
        shift = {"a": 3.0, "b": 0.0, "c": 1.0}[point["kind"]]
        return shift + (point["n"] - 23) ** 2 / 100 + (point["x"] - 0.4) ** 2 + point["z"] - 7

    optimizer = made(space, initial=7)
    points = run(optimizer, objective, 24)
    best = optimizer.best()
    assert best is not None and best.value is not None and best.value < 0.1
    assert best.point["kind"] == "b" and all(isinstance(point["n"], int) for point in points)
    assert gaps(space, points) >= 1e-4


def test_a_finite_space_is_exhausted_without_repeats() -> None:
    """Row 14: every point once, a batch gets what is left, then a clear end; failures count."""
    space = Space([Integer("n", 0, 3), Category("c", (True, False))])
    optimizer = made(space, initial=3)
    points = run(optimizer, lambda point: None if point["n"] == 1 else float(point["n"]), 5)
    batch = optimizer.ask(count=9)
    points += [one.point for one in batch]
    assert len(batch) == 3
    assert len({(point["n"], point["c"]) for point in points}) == 8
    with pytest.raises(SpaceExhausted, match="All 8"):
        optimizer.ask()


def test_constraints_hold_for_every_proposal() -> None:
    """A linear constraint cuts off the optimum: proposals stay inside and reach the edge."""
    space = Space(BOX.parameters, [LinearConstraint({"x": 1, "y": 1}, 0.5)])
    optimizer = made(space)
    points = run(optimizer, bowl, 14)
    assert all(point["x"] + point["y"] <= 0.5 + 1e-6 for point in points)
    best = optimizer.best()  # the foot of the perpendicular: (0.3 - 0.5, 1.2 - 0.5), value 0.5
    assert best is not None and best.value == pytest.approx(0.5, abs=0.02)


def test_constraints_bind_integers_and_reals_together() -> None:
    """With n + 4 x <= 6 the best lattice point is on the edge: n = 6, x = 0 beats the others."""
    space = Space([Integer("n", 0, 10), Real("x", 0, 1)], [LinearConstraint({"n": 1, "x": 4}, 6)])
    optimizer = made(space, minimise=False)
    points = run(optimizer, lambda point: point["n"] + point["x"], 12)
    assert all(point["n"] + 4 * point["x"] <= 6 + 1e-6 for point in points)
    best = optimizer.best()
    assert best is not None and best.value is not None and best.value > 5.9


def test_a_large_lattice_is_searched_by_neighbours() -> None:
    """A space of 10^9 points is not listed; the arm's maximum improves on the best sample."""
    space = Space([Integer(f"n{index}", 0, 999) for index in range(3)])
    optimizer = made(space, initial=7)

    def objective(point: Point) -> float:
        return sum((value - 400) ** 2 / 1e5 for value in point.values())

    points = run(optimizer, objective, 14)
    best = optimizer.best()
    assert best is not None and best.value is not None and best.value < 0.1
    assert len({tuple(point.values()) for point in points}) == 14


def test_resume_continues_identically() -> None:
    """Row 17: saved as JSON in mid-trial, with one point pending, the rest is the same."""
    one = made()
    run(one, bowl, 7)
    (under_way,) = one.ask("TS")
    other = Optimizer.from_state(json.loads(json.dumps(one.state())))
    for optimizer in (one, other):
        optimizer.tell(under_way.number, bowl(under_way.point))
    assert run(one, bowl, 3) == run(other, bowl, 3)
    assert one.state() == other.state()


def test_looking_at_the_model_changes_nothing_after_resume() -> None:
    """A state saved after the fit carries its hyper-parameters: the same prediction comes back."""
    one = made()
    run(one, bowl, 6)
    before = one.surrogate()
    after = Optimizer.from_state(json.loads(json.dumps(one.state()))).surrogate()
    assert before is not None and after is not None
    points: list[Point] = [{"x": 0.1, "y": 0.2}, {"x": 1.0, "y": 2.0}]
    np.testing.assert_allclose(before.predict(points), after.predict(points), rtol=1e-9)
    assert after.report.steps == ("restored",)


def test_pending_points_batches_and_any_order() -> None:
    """Row 18: a batch has different points, values come in any order, imports count."""
    optimizer = made()
    assert optimizer.warm_start([({"x": 0.0, "y": 0.0}, 1.5), ({"x": 1.0, "y": 1.0}, None)]) == []
    run(optimizer, bowl, 4)
    batch = [*optimizer.ask("PosSTD", count=3), *optimizer.ask("LogEI", count=2)]
    assert gaps(BOX, [one.point for one in batch]) > 0.01
    for suggestion in reversed(batch):
        optimizer.tell(suggestion.number, bowl(suggestion.point))
    assert [one.number for one in optimizer.trials] == list(range(11))
    assert sum(one.phase is Phase.IMPORTED for one in optimizer.trials) == 2


def test_telling_twice_is_harmless_only_with_the_same_value() -> None:
    """Row 18: a repeated message changes nothing, a contradicting one is refused."""
    optimizer = made()
    (suggestion,) = optimizer.ask()
    trial = optimizer.tell(suggestion.number, 1.0)
    assert optimizer.tell(suggestion.number, 1.0) == trial
    with pytest.raises(InputError, match="already"):
        optimizer.tell(suggestion.number, 2.0)
    with pytest.raises(InputError, match="no trial 7"):
        optimizer.tell(7, 1.0)


def test_imports_outside_the_box_are_left_out_by_name() -> None:
    """Row 19: a table row that the space does not hold is reported, the others are used."""
    optimizer = made()
    skipped = optimizer.warm_start([({"x": 5.0, "y": 1.0}, 1.0), ({"x": 0.0, "y": 1.0}, 2.0)])
    assert [index for index, _ in skipped] == [0] and "outside" in skipped[0][1]
    assert len(optimizer.trials) == 1


def test_noise_is_inferred_and_shown() -> None:
    """Row 2: with noise of 0.5 the model says so, and its mean is closer to the truth."""
    optimizer = made(noisy=True, initial=40)
    rng = np.random.default_rng(3)
    points = run(optimizer, lambda point: bowl(point) + rng.normal(scale=0.5), 40)
    surrogate = optimizer.surrogate()
    assert surrogate is not None and 0.3 < surrogate.noise_sd < 0.8
    truth = np.array([bowl(point) for point in points])
    seen = np.array([one.value for one in optimizer.trials])
    mean, _ = surrogate.predict(points)
    assert np.abs(mean - truth).mean() < 0.6 * np.abs(seen - truth).mean()


def test_leave_one_out_equals_refitting_without_each_point() -> None:
    """The closed form agrees with conditioning on all other points, one by one."""
    import torch

    optimizer = made(initial=8)
    run(optimizer, bowl, 8)
    surrogate = optimizer.surrogate()
    assert surrogate is not None
    model = surrogate._fitted.model
    rows, targets = surrogate._training.rows, surrogate._training.utilities
    errors = []
    for left in range(8):
        keep = torch.arange(8) != left
        with torch.no_grad():
            full = model.likelihood(model.forward(rows), [rows]).covariance_matrix
            weights = torch.linalg.solve(full[keep][:, keep], full[keep][:, left])
            constant = model.mean_module.constant
            errors.append(targets[left] - constant - weights @ (targets[keep] - constant))
    rmse = float(torch.stack(errors).square().mean().sqrt())
    assert surrogate.leave_one_out().rmse == pytest.approx(rmse, rel=1e-3)


def test_settings_that_make_no_sense_are_refused() -> None:
    """Unknown surrogate, arm and version, and an empty design, are input errors."""
    with pytest.raises(InputError, match="surrogate"):
        made(surrogate="forest")
    with pytest.raises(InputError, match="initial"):
        made(initial=0)
    with pytest.raises(InputError, match="acquisition"):
        made().ask("best")
    with pytest.raises(InputError, match="version"):
        Optimizer.from_state({"version": 2})
