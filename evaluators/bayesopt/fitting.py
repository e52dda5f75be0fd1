"""Fitting the surrogate: warm-started, capped, and falling back step by step, which it reports."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .models import build_model

Hyper = Mapping[str, list[float]]  # raw parameters of the model by name, flattened
JITTER = 1e-4  # variance added by the third step of the ladder
ITERATIONS = 200


class SurrogateFailure(Exception):
    """No step of the ladder gave a usable model; the message lists what each one met."""


@dataclass(frozen=True)
class Training:
    """What a model is fitted to: rows [n, columns], utilities [n], noise variances [n] or None."""

    kind: str
    rows: Any
    utilities: Any
    noise: Any | None


@dataclass(frozen=True)
class Fitted:
    """A usable model.

    ``steps`` are the rungs of the ladder that were tried; the last one gave the model. ``loss`` is
    the negative log marginal likelihood (with priors) per observation, None if not optimised.
    """

    model: Any
    hyper: Hyper
    steps: tuple[str, ...]
    messages: tuple[str, ...] = ()
    loss: float | None = None


def fit(training: Training, last: Hyper | None, seconds: float | None, fresh: bool) -> Fitted:
    """Return the model fitted to the data.

    The ladder: ``warm`` (from the last hyper-parameters) and, if ``fresh`` or there are none,
    ``fresh`` (from the default start; the better of the two counts); ``jitter`` (noise raised by
    1e-4, another start); ``last`` (last good hyper-parameters as they are); ``default`` (the
    kernel's own start, unfitted).

    Raises:
        SurrogateFailure: every step failed.
    """
    steps: list[str] = []
    messages: list[str] = []
    best: Fitted | None = None
    for step in ("warm", "fresh"):
        if (step == "warm" and last is None) or (step == "fresh" and best and not fresh):
            continue
        steps.append(step)
        start = last if step == "warm" else None
        tried = _attempt(training, start, seconds, step, messages)
        if tried and (best is None or (tried.loss or 0.0) < (best.loss or 0.0)):
            best = tried
    for step in ("jitter", "last", "default"):
        if best is not None or (step == "last" and last is None):
            continue
        steps.append(step)
        best = _attempt(training, last if step == "last" else None, seconds, step, messages)
    if best is None:
        raise SurrogateFailure("; ".join(messages))
    return Fitted(best.model, best.hyper, tuple(steps), tuple(messages), best.loss)


def restore(training: Training, hyper: Hyper) -> Fitted:
    """Return the model with these hyper-parameters, without fitting."""
    model = build_model(training.kind, training.rows, training.utilities, training.noise)
    _load(model, hyper)
    _check(model, training)
    return Fitted(model, dict(hyper), ("restored",))


def _attempt(
    training: Training, start: Hyper | None, seconds: float | None, step: str, messages: list[str]
) -> Fitted | None:
    import torch

    noise = training.noise
    if step == "jitter":
        noise = (noise if noise is not None else torch.zeros_like(training.utilities)) + JITTER
    try:
        model = build_model(training.kind, training.rows, training.utilities, noise)
        if start is not None:
            _load(model, start)
        if step == "jitter":
            _shift(model)
        loss = None if step in ("last", "default") else _optimise(model, seconds)
        _check(model, training)
    except Exception as error:  # noqa: BLE001 - any numerical failure costs one step of the ladder
        messages.append(f"{step}: {type(error).__name__}: {str(error).splitlines()[0][:200]}")
        return None
    return Fitted(model, _dump(model), (), (), loss)


def _optimise(model: Any, seconds: float | None) -> float:
    """Maximise the marginal likelihood in place; return the loss per observation."""
    from botorch.optim.fit import fit_gpytorch_mll_scipy
    from gpytorch.mlls import ExactMarginalLogLikelihood

    mll = ExactMarginalLogLikelihood(model.likelihood, model).train()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stopped line search still leaves the best point found
        result = fit_gpytorch_mll_scipy(mll, options={"maxiter": ITERATIONS}, timeout_sec=seconds)
    mll.eval()
    if not math.isfinite(float(result.fval)):
        raise ArithmeticError(f"the marginal likelihood is {result.fval}")
    return float(result.fval)


def _check(model: Any, training: Training) -> None:
    """Raise if the posterior at the data is not finite."""
    import torch

    model.eval()
    with torch.no_grad():
        posterior = model.posterior(training.rows)
        finite = torch.isfinite(posterior.mean).all() and torch.isfinite(posterior.variance).all()
    if not finite:
        raise ArithmeticError("the posterior at the data is not finite")


def _dump(model: Any) -> dict[str, list[float]]:
    return {name: value.detach().reshape(-1).tolist() for name, value in model.named_parameters()}


def _load(model: Any, hyper: Hyper) -> None:
    """Copy raw parameters; those that the model lacks (another noise model) are left alone."""
    import torch

    for name, value in model.named_parameters():
        if name in hyper and len(hyper[name]) == value.numel():
            value.data = torch.tensor(hyper[name], dtype=value.dtype).reshape(value.shape)


def _shift(model: Any) -> None:
    """Move every raw parameter a little: another start than the one that failed."""
    for index, (_, value) in enumerate(model.named_parameters()):
        value.data = value.data + 0.3 * (-1.0) ** index
