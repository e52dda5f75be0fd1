"""Guided local search: lengthen each edge of the tour by its utility (Voudouris & Tsang 1999)."""

import torch


def update_guide(
    distances: torch.Tensor, tours: torch.Tensor, penalties: torch.Tensor
) -> torch.Tensor:
    """Return the distances, plus the distance over 1 + penalty on the edges of the tours."""
    rows = torch.arange(len(tours), device=tours.device)[:, None]
    one, other = tours, tours.roll(-1, 1)
    utility = distances[rows, one, other] / (1 + penalties[rows, one, other])
    guide = distances.clone()
    guide[rows, one, other] += utility
    guide[rows, other, one] += utility
    return guide
