"""Builds active schedules by dispatching, all instances at once (Giffler and Thompson).

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
At each step the machine is taken on which an operation could end first; among the jobs that wait
for it and could start before that end, the heuristic's highest score is dispatched.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch


class BadResult(Exception):
    """The heuristic returned something that is not a matrix of scores."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Dispatch all operations.

    Args:
        heuristic: ``score_jobs(time, start, work, steps, load, waiting) -> scores [B, N]``.
        inputs: ``times`` and ``machines`` ``[B, N, M]``.
        device: torch device.

    Returns:
        ``sequence`` ``[B, N * M]`` int64, job numbers.
    """
    times = torch.from_numpy(inputs["times"].astype(np.float64)).to(device)
    machines = torch.from_numpy(inputs["machines"].copy()).to(device)
    with torch.no_grad():
        sequence = dispatch(heuristic, times, machines)
    return {"sequence": sequence.cpu().numpy()}


def dispatch(
    heuristic: Callable[..., Any], times: torch.Tensor, machines: torch.Tensor
) -> torch.Tensor:
    """Return the dispatched jobs ``[B, N * M]``."""
    batch, jobs, count = times.shape
    rows = torch.arange(batch, device=times.device)
    done = torch.zeros((batch, jobs), dtype=torch.int64, device=times.device)
    ready = torch.zeros_like(times[:, :, 0])
    free = torch.zeros((batch, count), dtype=times.dtype, device=times.device)
    work = times.sum(dim=2)
    load = torch.zeros_like(free).scatter_add_(1, machines.flatten(1), times.flatten(1))
    sequence = []
    for step in range(jobs * count):
        over = done == count
        at = done.clamp(max=count - 1)[:, :, None]
        time = times.gather(2, at)[:, :, 0].masked_fill(over, 0.0)
        machine = machines.gather(2, at)[:, :, 0]
        start = torch.maximum(ready, free.gather(1, machine))
        end = (start + time).masked_fill(over, torch.inf)
        first = first_place(end, end.amin(dim=1, keepdim=True))
        same = machine == machine[rows, first][:, None]
        waiting = same & ~over & (start < end[rows, first][:, None])
        waiting[rows, first] = True
        steps = (count - done).to(times.dtype)
        ahead = load.gather(1, machine).masked_fill(over, 0.0)
        shown = (time.clone(), start, work.clone(), steps, ahead, waiting.clone())
        job = choose(heuristic(*shown), waiting, step)
        finish = end[rows, job]
        where = machine[rows, job]
        ready[rows, job] = free[rows, where] = finish
        work[rows, job] -= time[rows, job]
        load[rows, where] -= time[rows, job]
        done[rows, job] += 1
        sequence.append(job)
    return torch.stack(sequence, dim=1)


def first_place(values: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return the first column of each row that equals ``wanted`` ``[B, 1]``."""
    return (values == wanted).to(torch.uint8).argmax(dim=1)


def choose(scores: Any, waiting: torch.Tensor, step: int) -> torch.Tensor:
    """Return the waiting job of highest score per instance; ties go to the lowest number."""
    if not isinstance(scores, torch.Tensor):
        raise BadResult(
            f"step {step}: the heuristic returned {type(scores).__name__}, wanted a torch.Tensor "
            f"of shape {list(waiting.shape)} and dtype torch.float64"
        )
    if scores.shape != waiting.shape or scores.dtype != torch.float64:
        raise BadResult(
            f"step {step}: the heuristic returned shape {list(scores.shape)} and dtype "
            f"{scores.dtype}, wanted shape {list(waiting.shape)} and dtype torch.float64"
        )
    missing = scores.isnan() & waiting
    if bool(missing.any()):
        instance, job = missing.nonzero()[0].tolist()
        raise BadResult(
            f"step {step}: the score of waiting job {job} in instance {instance} is NaN"
        )
    best = scores.masked_fill(~waiting, -torch.inf).amax(dim=1, keepdim=True)
    return ((scores == best) & waiting).to(torch.uint8).argmax(dim=1)
