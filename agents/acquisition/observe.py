"""Builds the state of a step from the optimiser, its newest value included."""

from collections.abc import Sequence

import numpy as np

from ...evaluators.bayesopt import Optimizer, Phase, Surrogate, Trial, TrialState
from .state import Past, State

_UNUSUAL = frozenset({"jitter", "last", "default"})
"""Rungs of the fit that are reached only when the usual ones failed."""


def observe(
    optimizer: Optimizer, surrogate: Surrogate, budget: int, arms: tuple[str, ...]
) -> State:
    """Return the state before the next step.

    Args:
        optimizer: with all values told so far, at least one.
        surrogate: fitted to all of them.
        budget: evaluations in all.
        arms: the acquisition functions to choose from.
    """
    sign = 1.0 if optimizer.settings.minimise else -1.0
    over = [one for one in optimizer.trials if one.state is not TrialState.PENDING]
    done = [one for one in over if one.state is TrialState.DONE]
    values = np.array([sign * _value(one) for one in done])
    first_best = int(values.argmin())
    incumbent = done[first_best]
    nearest, from_incumbent = _distances(optimizer, done, incumbent)
    quality = surrogate.leave_one_out() if len(done) > 2 else None
    _, deviation = surrogate.utility(optimizer.space.encode([incumbent.point]))
    steps, messages = surrogate.report.steps, surrogate.report.messages
    return State(
        evaluations=len(done),
        remaining=max(0, budget - len(optimizer.trials)),
        dimensions=len(optimizer.space.free),
        lowest=float(values.min()),
        highest=float(values.max()),
        mean=float(values.mean()),
        deviation=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        since_improvement=sum(one.number > incumbent.number for one in over),
        nearest=nearest,
        from_incumbent=from_incumbent,
        length_scales=tuple(surrogate.length_scales.values()),
        output_scale=surrogate.output_scale,
        noise=float(np.sqrt(surrogate.noise_variance)),
        loo_error=None if quality is None else quality.rmse,
        loo_coverage=None if quality is None else quality.coverage,
        incumbent_deviation=float(deviation[0]),
        fit="; ".join(messages) if _UNUSUAL & set(steps) else "",
        arms=arms,
        history=history(over, sign),
    )


def history(over: Sequence[Trial], sign: float) -> tuple[Past, ...]:
    """Return what came of the model's suggestions, in the order of their numbers.

    Args:
        over: trials with a result.
        sign: 1 to minimise, -1 to maximise.
    """
    past: list[Past] = []
    values: list[float] = []
    for one in over:
        failed = one.state is TrialState.FAILED
        value = float("inf") if failed else sign * _value(one)
        best = min(values, default=float("inf"))
        improved = value < best
        if one.phase is Phase.MODEL:
            deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            gain = (best - value) / deviation if improved and deviation > 0 else 0.0
            past.append(Past(one.number + 1, one.arm or "", improved, gain, failed))
        if not failed:
            values.append(value)
    return tuple(past)


def _value(trial: Trial) -> float:
    assert trial.value is not None
    return trial.value


def _distances(
    optimizer: Optimizer, done: Sequence[Trial], incumbent: Trial
) -> tuple[float | None, float | None]:
    """Return how far the newest point is from its nearest earlier one, and from the incumbent."""
    if len(done) < 2:
        return None, None
    rows = optimizer.space.encode([one.point for one in done])
    root = np.sqrt(len(optimizer.space.free))
    lengths = np.linalg.norm(rows[:-1] - rows[-1], axis=1) / root
    best = optimizer.space.encode([incumbent.point])[0]
    return float(lengths.min()), float(np.linalg.norm(best - rows[-1]) / root)
