"""Inserts jobs by NEH in the order of their indices, all instances at once.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
Times are integers in float64, so that sums and maxima are exact.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch


class BadResult(Exception):
    """The heuristic returned something that is not one index per job."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Rank all jobs once and insert them.

    Args:
        heuristic: ``rank_jobs(times) -> indices [B, N]``; the highest index is inserted first.
        inputs: ``times`` ``[B, N, M]``.
        device: torch device.

    Returns:
        ``orders`` ``[B, N]`` int64.
    """
    times = torch.from_numpy(inputs["times"].astype(np.float64)).to(device)
    with torch.no_grad():
        ranks = checked(heuristic(times.clone()), times)
        queue = ranks.argsort(dim=1, descending=True, stable=True)
        orders = insert_all(times, queue)
    return {"orders": orders.cpu().numpy()}


def checked(ranks: Any, times: torch.Tensor) -> torch.Tensor:
    """Return the indices, if they are a matrix of float64 without NaN."""
    shape = list(times.shape[:2])
    if not isinstance(ranks, torch.Tensor):
        raise BadResult(
            f"the heuristic returned {type(ranks).__name__}, wanted a torch.Tensor of shape "
            f"{shape} and dtype torch.float64"
        )
    if list(ranks.shape) != shape or ranks.dtype != torch.float64:
        raise BadResult(
            f"the heuristic returned shape {list(ranks.shape)} and dtype {ranks.dtype}, wanted "
            f"shape {shape} and dtype torch.float64"
        )
    missing = ranks.isnan()
    if bool(missing.any()):
        instance, job = missing.nonzero()[0].tolist()
        raise BadResult(f"the index of job {job} in instance {instance} is NaN")
    return ranks


def insert_all(times: torch.Tensor, queue: torch.Tensor) -> torch.Tensor:
    """Insert the jobs of ``queue`` ``[B, N]`` where the partial makespan is smallest (first)."""
    batch, jobs = queue.shape
    rows = torch.arange(batch, device=times.device)
    order = queue[:, :1]
    for step in range(1, jobs):
        job = queue[:, step]
        spans = insertion_spans(times[rows[:, None], order], times[rows, job])
        # min() with an index may return any of equal values; the first one is wanted.
        best = (spans == spans.amin(dim=1, keepdim=True)).to(torch.uint8).argmax(dim=1)
        places = torch.arange(step + 1, device=times.device)[None]
        before = (places - (places > best[:, None]).to(torch.int64)).clamp(max=step - 1)
        order = torch.where(places == best[:, None], job[:, None], order.gather(1, before))
    return order


def insertion_spans(placed: torch.Tensor, job: torch.Tensor) -> torch.Tensor:
    """Return makespans ``[B, k + 1]`` of inserting a job at each position of a sequence.

    Taillard's acceleration: heads of the jobs before, tails of the jobs behind. Completion times
    on one machine obey c[i] = max(c[i-1], r[i]) + p[i] for release times r, which is a running
    maximum once the sums of p are taken off.

    Args:
        placed: times of the sequence ``[B, k, M]``.
        job: times of the new job ``[B, M]``.
    """
    heads = completions(placed)
    tails = completions(placed.flip((1, 2))).flip((1, 2))
    left = torch.zeros((len(job), placed.shape[1] + 1), dtype=job.dtype, device=job.device)
    spans, before, behind = torch.zeros_like(left), left[:, 1:], torch.empty_like(left[:, 1:])
    for machine in range(job.shape[1]):
        torch.maximum(before, heads[:, :, machine], out=before)
        left += job[:, machine, None]
        torch.add(left[:, :-1], tails[:, :, machine], out=behind)
        torch.maximum(spans[:, :-1], behind, out=spans[:, :-1])
    torch.maximum(spans[:, -1], left[:, -1], out=spans[:, -1])
    return spans


def completions(placed: torch.Tensor) -> torch.Tensor:
    """Return when each job of a sequence leaves each machine, ``[B, k, M]``.

    Buffers are used again and again: memory that is new for each step costs more than the sums.
    """
    done = torch.empty_like(placed)
    sums, release = torch.empty_like(placed[:, :, 0]), torch.zeros_like(placed[:, :, 0])
    waited, which = torch.empty_like(sums), torch.empty_like(sums, dtype=torch.int64)
    for machine in range(placed.shape[2]):
        torch.cumsum(placed[:, :, machine], dim=1, out=sums)
        release += placed[:, :, machine]
        release -= sums  # release times less the sums of the jobs before
        torch.cummax(release, dim=1, out=(waited, which))
        torch.add(waited, sums, out=release)
        done[:, :, machine] = release
    return done
