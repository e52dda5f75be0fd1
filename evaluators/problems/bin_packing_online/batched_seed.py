"""Best fit: the fuller a bin is, the higher its score."""

import torch


def score_bins(items: torch.Tensor, bins: torch.Tensor) -> torch.Tensor:
    """Return minus the capacity that would remain after packing."""
    return items - bins
