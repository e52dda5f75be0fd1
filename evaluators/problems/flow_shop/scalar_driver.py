"""Inserts jobs by NEH in the order of their indices, instance by instance.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The heuristic returned something that is not one index per job."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Rank the jobs of each instance once and insert them.

    Args:
        heuristic: ``rank_jobs(times) -> indices``, one per job; the highest is inserted first.
        inputs: ``times`` ``[B, N, M]``.
        device: not used, numpy is on the processor.

    Returns:
        ``orders`` ``[B, N]`` int64.
    """
    orders = np.empty(inputs["times"].shape[:2], dtype=np.int64)
    for instance, integers in enumerate(inputs["times"]):
        times = integers.astype(np.float64)
        ranks = checked(heuristic(times.copy()), len(times), instance)
        orders[instance] = insert_all(times, np.argsort(-ranks, kind="stable"))
    return {"orders": orders}


def checked(ranks: Any, jobs: int, instance: int) -> np.ndarray:
    """Return the indices as ``jobs`` numbers without NaN."""
    array = np.asarray(ranks)
    if array.dtype.kind not in "iuf" or array.shape != (jobs,):
        raise BadResult(
            f"instance {instance}: the heuristic returned {type(ranks).__name__} of shape "
            f"{list(array.shape)} and type {array.dtype}, wanted {jobs} numbers"
        )
    array = array.astype(np.float64)
    if np.isnan(array).any():
        raise BadResult(f"instance {instance}: the index of job {np.isnan(array).argmax()} is NaN")
    return array


def insert_all(times: np.ndarray, queue: np.ndarray) -> list[int]:
    """Insert the jobs of ``queue`` where the partial makespan is smallest, at the first of equals."""
    order: list[int] = [int(queue[0])]
    for job in queue[1:].tolist():
        spans = insertion_spans(times[order], times[job])
        order.insert(int(spans.argmin()), job)
    return order


def insertion_spans(placed: np.ndarray, job: np.ndarray) -> np.ndarray:
    """Return makespans ``[k + 1]`` of inserting a job at each position (Taillard's acceleration)."""
    nothing = np.zeros((1, placed.shape[1]))
    heads = np.concatenate([nothing, completions(placed)])
    tails = np.concatenate([completions(placed[::-1, ::-1])[::-1, ::-1], nothing])
    left = np.zeros(len(heads))
    spans = np.zeros(len(heads))
    for machine, time in enumerate(job):
        left = np.maximum(left, heads[:, machine]) + time
        spans = np.maximum(spans, left + tails[:, machine])
    return spans


def completions(placed: np.ndarray) -> np.ndarray:
    """Return when each job of a sequence leaves each machine, ``[k, M]``.

    On one machine c[i] = max(c[i-1], r[i]) + p[i] for release times r: a running maximum once the
    sums of p are taken off.
    """
    sums = placed.cumsum(axis=0)
    before = sums - placed
    done = np.empty_like(placed)
    release = np.zeros(len(placed))
    for machine in range(placed.shape[1]):
        release = np.maximum.accumulate(release - before[:, machine]) + sums[:, machine]
        done[:, machine] = release
    return done
