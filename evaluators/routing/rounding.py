"""Rounding conventions of Euclidean distances: they are not in a file, and decide its optimum."""

from collections.abc import Callable

import numpy as np

from .instance import Floats, RoutingError
from .tsplib_distances import nint

ROUNDINGS: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "none": ("unrounded", lambda d: d),
    "nearest": ("to the nearest integer, halves up (TSPLIB's definition of EUC_2D)", nint),
    "ceil": ("up to the next integer", np.ceil),
    "floor": ("down to the next integer", np.floor),
    "dimacs": ("to one decimal, cut (12th DIMACS challenge)", lambda d: np.floor(d * 10.0) / 10.0),
    "exact": ("to three decimals, nearest (PyVRP's `exact`)", lambda d: nint(d * 1000.0) / 1000.0),
}

_BLOCK = 256  # rows at a time, to spare memory


def euclidean(coordinates: Floats, rounding: str) -> Floats:
    """Return the Euclidean distances ``[N, N]`` of points ``[N, 2]`` under a convention.

    Raises:
        RoutingError: no convention of this name is known.
    """
    if rounding not in ROUNDINGS:
        raise RoutingError(f"rounding {rounding!r} is not known; use one of {sorted(ROUNDINGS)}.")
    nodes = len(coordinates)
    distances = np.empty((nodes, nodes))
    for first in range(0, nodes, _BLOCK):
        rows = slice(first, first + _BLOCK)
        difference = coordinates[rows, None, :] - coordinates[None, :, :]
        distances[rows] = ROUNDINGS[rounding][1](np.sqrt((difference**2).sum(axis=-1)))
    np.fill_diagonal(distances, 0.0)
    return distances
