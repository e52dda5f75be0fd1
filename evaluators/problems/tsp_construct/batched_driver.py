"""Builds tours of all instances in lockstep, one call of the heuristic per step.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
The heuristic gets copies of what steers the construction: current and unvisited. Distances and
start are copies made once for the whole run: a heuristic that writes into them misleads itself in
later steps and nobody else, because lengths are computed outside from the original.
"""

import math
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
    """Build closed tours from city 0 by always visiting the unvisited city of highest score.

    Args:
        heuristic: ``score_next(current, start, unvisited, distances) -> scores [B, N]``.
        inputs: ``distances`` ``[B, N, N]`` float64.
        device: torch device.

    Returns:
        ``tours`` ``[B, N]`` int64; each row starts with 0.
    """
    # np.array copies: the inputs are shared read-only memory.
    distances = torch.from_numpy(np.array(inputs["distances"], dtype=np.float64)).to(device)
    batch, cities = distances.shape[0], distances.shape[1]
    current = torch.zeros(batch, dtype=torch.int64, device=device)
    unvisited = torch.ones((batch, cities), dtype=torch.bool, device=device)
    unvisited[:, 0] = False
    start = torch.zeros_like(current)
    visits = [current]
    with torch.no_grad():
        for step in range(1, cities - 1):
            scores = heuristic(current.clone(), start, unvisited.clone(), distances)
            current = choose(scores, unvisited, step)
            unvisited.scatter_(1, current.unsqueeze(1), False)
            visits.append(current)
        if cities > 1:
            visits.append(unvisited.to(torch.uint8).argmax(dim=1))  # the last city is forced
    return {"tours": torch.stack(visits, dim=1).cpu().numpy()}


def choose(scores: Any, unvisited: torch.Tensor, step: int) -> torch.Tensor:
    """Return the unvisited city of highest score per instance; ties go to the lowest index."""
    if not isinstance(scores, torch.Tensor):
        raise BadResult(
            f"step {step}: the heuristic returned {type(scores).__name__}, "
            f"wanted a torch.Tensor of shape {list(unvisited.shape)} and dtype torch.float64"
        )
    if scores.shape != unvisited.shape or scores.dtype != torch.float64:
        raise BadResult(
            f"step {step}: the heuristic returned shape {list(scores.shape)} and dtype "
            f"{scores.dtype}, wanted shape {list(unvisited.shape)} and dtype torch.float64"
        )
    # max() takes the first of equal values, and NaN where there is one.
    best, city = torch.where(unvisited, scores, -torch.inf).max(dim=1)
    if not math.isfinite(best.sum().item()):
        if bool(best.isnan().any()):
            instance = int(best.isnan().to(torch.uint8).argmax())
            missing = (scores[instance].isnan() & unvisited[instance]).to(torch.uint8)
            raise BadResult(
                f"step {step}: the score of unvisited city {int(missing.argmax())} "
                f"in instance {instance} is NaN"
            )
        # Where all scores are -inf, visited cities tie with unvisited ones.
        city = torch.where(best == -torch.inf, unvisited.to(torch.uint8).argmax(dim=1), city)
    return city
