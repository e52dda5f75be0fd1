"""Trusted checks and regrets of evaluated points; runs outside the sandbox."""

import numpy as np

from ...problem import Array, Infeasible


def regrets(values: Array, start: Array, chosen: Array) -> Array:
    """Check the chosen points and return simple regrets ``[B, T]`` after each step.

    The regret of the best value so far is 0 at the least value of the function and 1 at its median.

    Args:
        values: of all points ``[B, N]``.
        start: indices of the first points ``[B, S]``.
        chosen: indices of all evaluated points in their order ``[B, S + T]``.

    Raises:
        Infeasible: names the first instance whose points do not begin with the start, exist twice
            or not at all.
        ValueError: shape or type is wrong (the sandbox checks them first).
    """
    (instances, points), starts = values.shape, start.shape[1]
    if chosen.ndim != 2 or len(chosen) != instances or chosen.dtype.kind != "i":
        raise ValueError(f"chosen {chosen.dtype}{list(chosen.shape)}, wanted {instances} rows")
    for instance, row in enumerate(chosen):
        _check(instance, row, start[instance], points)
    seen = np.take_along_axis(values, chosen, axis=1)
    least = values.min(axis=1, keepdims=True)
    scale = np.median(values, axis=1, keepdims=True) - least
    best = np.minimum.accumulate(seen, axis=1)[:, starts:]
    return np.asarray((best - least) / scale)


def measure(regret: Array) -> Array:
    """Return the mean of the average and of the final simple regret ``[B]``, in %."""
    return np.asarray(50 * (regret.mean(axis=1) + regret[:, -1]))


def _check(instance: int, row: Array, start: Array, points: int) -> None:
    if not np.array_equal(row[: len(start)], start):
        raise Infeasible(instance, f"it starts at points {row[: len(start)]}, not at {start}")
    outside = (row < 0) | (row >= points)
    if outside.any():
        step = int(outside.argmax())
        raise Infeasible(
            instance,
            f"evaluation {step}: there is no point {row[step]}, they are 0 to {points - 1}",
        )
    first = np.unique(row, return_index=True)[1]
    if len(first) < len(row):
        step = int(np.setdiff1d(np.arange(len(row)), first)[0])
        raise Infeasible(instance, f"evaluation {step}: point {row[step]} was evaluated before")
