"""Expected improvement (Mockus 1975, Jones et al. 1998)."""

import torch


def utility(
    mean: torch.Tensor,
    std: torch.Tensor,
    best: torch.Tensor,
    remaining: torch.Tensor,
    dimension: torch.Tensor,
    count: torch.Tensor,
) -> torch.Tensor:
    """Return the expected improvement on the best value."""
    z = (best - mean) / std
    density = torch.exp(-0.5 * z**2) / (2 * torch.pi) ** 0.5
    improvement: torch.Tensor = std * (z * torch.special.ndtr(z) + density)
    return improvement
