"""Most work remaining: the job with the longest rest goes first."""

import numpy as np


def priority(
    time: np.ndarray, start: np.ndarray, work: np.ndarray, steps: np.ndarray, load: np.ndarray
) -> np.ndarray:
    """Return the remaining processing time of each waiting job."""
    return work
