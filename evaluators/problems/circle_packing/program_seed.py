"""A grid: equal circles in rows, shrunk a little so that rounding makes none overlap."""

import numpy as np


def pack_circles(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return centres [count, 2] and radii [count] of circles in the unit square."""
    side = int(np.ceil(np.sqrt(count)))
    places = np.arange(count)
    centres = np.stack([places % side + 0.5, places // side + 0.5], axis=1) / side
    radii = np.full(count, 0.5 / side * (1 - 1e-9))
    return centres, radii
