"""The reciprocal of the distance, the visibility of the first ant systems."""

import torch


def score_edges(
    distances: torch.Tensor,
    coordinates: torch.Tensor,
    demands: torch.Tensor,
    capacity: torch.Tensor,
) -> torch.Tensor:
    """Return one over the distance of each edge."""
    return 1 / distances
