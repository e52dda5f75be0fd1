"""Best fit: the fuller a bin is, the higher its score."""

import numpy as np


def score(item: int, bins: np.ndarray) -> np.ndarray:
    """Return minus the capacity that would remain after packing."""
    return item - bins
