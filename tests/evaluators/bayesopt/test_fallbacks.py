"""Injected failures: the inner machinery may break at any step without ending a run."""

from typing import Any

import pytest
import torch
from botorch.exceptions.errors import OptimizationGradientError
from linear_operator.utils.errors import NanError, NotPSDError

from eurisko.evaluators.bayesopt import Inner, Optimizer, Phase, Real, Space, Suggestion, arm
from eurisko.evaluators.bayesopt import fitting as fit_module

BOX = Space([Real("x", -2, 2), Real("y", 0, 3)])


@pytest.fixture
def optimizer() -> Optimizer:
    """Six values known, two fits done."""
    made = Optimizer(BOX, seed=2, initial=4, inner=Inner(restarts=3, samples=64, iterations=30))
    for _ in range(6):
        step(made)
    return made


def step(optimizer: Optimizer, name: str = "LogEI") -> Suggestion:
    """One ask and tell."""
    (suggestion,) = optimizer.ask(name)
    point = suggestion.point
    optimizer.tell(suggestion.number, (point["x"] - 0.3) ** 2 + (point["y"] - 1.2) ** 2)
    return suggestion


def failing(times: int, error: Exception, otherwise: Any) -> Any:
    """Return a function that raises so many times and then does what it should."""
    left = [times]

    def call(*arguments: Any, **named: Any) -> Any:
        if left[0] > 0:
            left[0] -= 1
            raise error
        return otherwise(*arguments, **named)

    return call


@pytest.mark.parametrize(
    ("failures", "steps"),
    [
        (0, ["warm"]),
        (1, ["warm", "fresh"]),
        (2, ["warm", "fresh", "jitter"]),
        (3, ["warm", "fresh", "jitter", "last"]),
    ],
)
def test_a_failed_fit_falls_back_step_by_step(
    optimizer: Optimizer, monkeypatch: pytest.MonkeyPatch, failures: int, steps: list[str]
) -> None:
    """Row 7: Cholesky failures cost one rung each; the suggestion names the rungs and errors."""
    broken = failing(failures, NotPSDError("injected"), fit_module._optimise)
    monkeypatch.setattr(fit_module, "_optimise", broken)
    suggestion = step(optimizer)
    assert suggestion.phase is Phase.MODEL and suggestion.diagnostics["fit"] == steps
    messages = suggestion.diagnostics.get("fit_messages", [])
    assert len(messages) == failures and all("NotPSDError" in one for one in messages)


def test_without_any_model_a_space_filling_point_comes(
    optimizer: Optimizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 7: every rung fails, the run goes on, and recovers as soon as the fit does."""

    def broken(*_: Any, **__: Any) -> Any:
        raise NanError("injected")

    with monkeypatch.context() as patch:
        patch.setattr(fit_module, "build_model", broken)
        assert optimizer.surrogate() is None
        suggestion = step(optimizer)
    assert suggestion.diagnostics["fallback"] == "space-filling"
    assert "injected" in suggestion.diagnostics["notes"][0]
    assert "fallback" not in step(optimizer).diagnostics


@pytest.mark.parametrize(
    "error",
    [
        OptimizationGradientError("nan in the gradient", current_x=None),
        RuntimeError("line search could not bracket"),
        ValueError("probabilities do not sum to 1"),
    ],
)
def test_a_broken_climb_keeps_the_best_sample(
    optimizer: Optimizer, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Rows 8 and 9: gradient and line-search failures leave a point chosen by the acquisition."""
    monkeypatch.setattr("botorch.optim.optimize_acqf", failing(99, error, None))
    suggestion = step(optimizer)
    assert "fallback" not in suggestion.diagnostics and "acquisition" in suggestion.diagnostics
    assert str(error)[:20] in suggestion.diagnostics["notes"][0]


def test_an_arm_that_breaks_costs_one_choice(
    optimizer: Optimizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An acquisition function that raises, or is nowhere a number, ends in a space-filling point."""
    kind = type(arm("UCB"))
    monkeypatch.setattr(kind, "acquisition", failing(1, RuntimeError("injected"), None))
    assert step(optimizer, "UCB").diagnostics["fallback"] == "space-filling"

    def nowhere(_: Any, __: Any) -> Any:
        return lambda points: torch.full(points.shape[:1], torch.nan)

    monkeypatch.setattr(kind, "acquisition", nowhere)
    suggestion = step(optimizer, "UCB")
    assert suggestion.diagnostics["fallback"] == "space-filling"
    assert "finite nowhere" in suggestion.diagnostics["notes"][0]


def test_the_time_cap_ends_a_step_with_a_point(optimizer: Optimizer) -> None:
    """With no time left the best sample is taken, and the suggestion says so."""
    state = optimizer.state()
    state["settings"]["step_seconds"] = 1e-9
    suggestion = step(Optimizer.from_state(state))
    assert "time cap" in suggestion.diagnostics["notes"]
    assert suggestion.phase is Phase.MODEL


def test_threads_and_random_state_are_left_as_they_were(optimizer: Optimizer) -> None:
    """A step runs on one thread and restores the caller's threads and generator."""
    before, state = torch.get_num_threads(), torch.random.get_rng_state()
    optimizer.ask("TS")
    assert torch.get_num_threads() == before
    assert torch.equal(torch.random.get_rng_state(), state)
