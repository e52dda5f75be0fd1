"""The reciprocal of the distance, the visibility of the first ant systems."""

import numpy as np


def heuristics(
    distance_matrix: np.ndarray, coordinates: np.ndarray, demands: np.ndarray, capacity: int
) -> np.ndarray:
    """Return one over the distance of each edge."""
    return 1 / distance_matrix
