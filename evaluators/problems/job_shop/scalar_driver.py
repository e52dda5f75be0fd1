"""Builds active schedules by dispatching, instance by instance (Giffler and Thompson).

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The heuristic returned something that is not one score per waiting job."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Dispatch all operations.

    Args:
        heuristic: ``priority(time, start, work, steps, load) -> scores``, one per waiting job.
        inputs: ``times`` and ``machines`` ``[B, N, M]``.
        device: not used, numpy is on the processor.

    Returns:
        ``sequence`` ``[B, N * M]`` int64, job numbers.
    """
    batch, jobs, count = inputs["times"].shape
    sequence = np.empty((batch, jobs * count), dtype=np.int64)
    for instance in range(batch):
        times = inputs["times"][instance].astype(np.float64)
        sequence[instance] = dispatch(heuristic, times, inputs["machines"][instance], instance)
    return {"sequence": sequence}


def dispatch(
    heuristic: Callable[..., Any], times: np.ndarray, machines: np.ndarray, instance: int
) -> list[int]:
    """Return the dispatched jobs of one instance."""
    jobs, count = times.shape
    everyone = np.arange(jobs)
    done = np.zeros(jobs, dtype=np.int64)
    ready, free = np.zeros(jobs), np.zeros(count)
    work, load = times.sum(axis=1), np.bincount(machines.ravel(), times.ravel(), count)
    sequence: list[int] = []
    for step in range(jobs * count):
        at = np.minimum(done, count - 1)
        time, machine = times[everyone, at], machines[everyone, at]
        start = np.maximum(ready, free[machine])
        end = np.where(done == count, np.inf, start + time)
        first = int(end.argmin())
        waiting = (machine == machine[first]) & (done < count) & (start < end[first])
        waiting[first] = True
        who = np.flatnonzero(waiting)
        shown = (time[who], start[who], work[who], (count - done[who]) * 1.0, load[machine[who]])
        scores = checked(heuristic(*shown), len(who), f"instance {instance}, step {step}")
        job = int(who[scores.argmax()])
        ready[job] = free[machine[job]] = end[job]
        work[job] -= time[job]
        load[machine[job]] -= time[job]
        done[job] += 1
        sequence.append(job)
    return sequence


def checked(scores: Any, jobs: int, where: str) -> np.ndarray:
    """Return the scores as an array of ``jobs`` numbers without NaN."""
    array = np.asarray(scores)
    if array.dtype.kind not in "iuf" or array.shape != (jobs,):
        raise BadResult(
            f"{where}: the heuristic returned {type(scores).__name__} of shape "
            f"{list(array.shape)} and type {array.dtype}, wanted {jobs} numbers"
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise BadResult(f"{where}: the score of waiting job {np.isnan(array).argmax()} is NaN")
    return array
