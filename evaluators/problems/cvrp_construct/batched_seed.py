"""Nearest neighbour: go to the nearest customer that fits, to the depot when none does."""

import torch


def score_next(
    current: torch.Tensor,
    room: torch.Tensor,
    allowed: torch.Tensor,
    demands: torch.Tensor,
    distances: torch.Tensor,
) -> torch.Tensor:
    """Return minus the distance from the current node; the depot comes last."""
    instances = torch.arange(len(current), device=current.device)
    scores = -distances[instances, current]
    scores[:, 0] = -torch.inf
    return scores
