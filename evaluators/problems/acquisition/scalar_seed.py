"""Expected improvement (Mockus 1975, Jones et al. 1998)."""

import math

import numpy as np


def utility(
    mean: np.ndarray,
    std: np.ndarray,
    best: float,
    remaining: float,
    dimension: float,
    count: float,
) -> np.ndarray:
    """Return the expected improvement on the best value."""
    z = (best - mean) / std
    density = np.exp(-0.5 * z**2) / (2 * np.pi) ** 0.5
    below = np.array([0.5 * math.erfc(-one / 2**0.5) for one in z])
    improvement: np.ndarray = std * (z * below + density)
    return improvement
