"""Builds routes of all instances in lockstep, one call of the heuristic per stop.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
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
    """Build walks from the depot by always going to the allowed node of highest score.

    Allowed are customers that have not been visited and whose demand fits, and the depot unless
    the vehicle stands there. Instances that are done wait at the depot.

    Args:
        heuristic: ``score_next(current, room, allowed, demands, distances) -> scores [B, N]``.
        inputs: ``distances`` ``[B, N, N]``, ``demands`` ``[B, N]``, ``capacity`` ``[B]``.
        device: torch device.

    Returns:
        ``visits`` ``[B, 2 * N - 1]`` int64, padded with 0.
    """
    distances = torch.from_numpy(np.array(inputs["distances"])).to(device)
    demands = torch.from_numpy(inputs["demands"].astype(np.float64)).to(device)
    capacity = torch.from_numpy(inputs["capacity"].astype(np.float64)).to(device)
    batch, nodes = demands.shape
    rows = torch.arange(batch, device=device)
    current = torch.zeros(batch, dtype=torch.int64, device=device)
    room = capacity.clone()
    unvisited = torch.ones((batch, nodes), dtype=torch.bool, device=device)
    unvisited[:, 0] = False
    visits = torch.zeros((batch, 2 * nodes - 1), dtype=torch.int64, device=device)
    with torch.no_grad():
        for step in range(1, 2 * nodes - 1):
            if not bool(unvisited.any()):
                break
            allowed = unvisited & (demands <= room[:, None])
            allowed[:, 0] = (current != 0) | ~unvisited.any(dim=1)
            shown = (current.clone(), room.clone(), allowed.clone(), demands.clone(), distances)
            current = choose(heuristic(*shown), allowed, step)
            unvisited[rows, current] = False
            room = torch.where(current == 0, capacity, room - demands[rows, current])
            visits[:, step] = current
    return {"visits": visits.cpu().numpy()}


def choose(scores: Any, allowed: torch.Tensor, step: int) -> torch.Tensor:
    """Return the allowed node of highest score per instance; ties go to the lowest index."""
    if not isinstance(scores, torch.Tensor):
        raise BadResult(
            f"step {step}: the heuristic returned {type(scores).__name__}, wanted a torch.Tensor "
            f"of shape {list(allowed.shape)} and dtype torch.float64"
        )
    if scores.shape != allowed.shape or scores.dtype != torch.float64:
        raise BadResult(
            f"step {step}: the heuristic returned shape {list(scores.shape)} and dtype "
            f"{scores.dtype}, wanted shape {list(allowed.shape)} and dtype torch.float64"
        )
    # An instance without a choice (done, or nothing fits) may be scored anyhow, also with NaN.
    several = allowed.sum(dim=1, keepdim=True) > 1
    missing = scores.isnan() & allowed & several
    if bool(missing.any()):
        instance, node = missing.nonzero()[0].tolist()
        raise BadResult(
            f"step {step}: the score of allowed node {node} in instance {instance} is NaN"
        )
    masked = scores.masked_fill(~allowed, -torch.inf)
    best = masked.amax(dim=1, keepdim=True)
    chosen = ((masked == best) & allowed | ~several & allowed).to(torch.uint8)
    return chosen.argmax(dim=1)
