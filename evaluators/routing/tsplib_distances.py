"""Edge weights of TSPLIB95 (G. Reinelt, TSPLIB 95, section 2): from coordinates, or listed."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BLOCK = 256  # rows at a time: differences of all pairs of 5,000 cities would need a gigabyte
_PI = 3.141592  # as printed in TSPLIB95; the exact value gives other distances
_EARTH_RADIUS_KM = 6378.388


def nint(x: Floats) -> Floats:
    """Round half up, as TSPLIB95 does (not half to even)."""
    return np.floor(x + 0.5)


def _euclidean(difference: Floats) -> Floats:
    root: Floats = np.sqrt((difference * difference).sum(axis=-1))
    return root


def _att(difference: Floats) -> Floats:
    """Pseudo-Euclidean: the root of a tenth, rounded up where rounding to nearest went down."""
    root = np.sqrt((difference * difference).sum(axis=-1) / 10.0)
    rounded = nint(root)
    return np.where(rounded < root, rounded + 1.0, rounded)


_FROM_DIFFERENCES: dict[str, tuple[int, Callable[[Floats], Floats]]] = {
    "EUC_2D": (2, lambda d: nint(_euclidean(d))),
    "EUC_3D": (3, lambda d: nint(_euclidean(d))),
    "CEIL_2D": (2, lambda d: np.ceil(_euclidean(d))),
    "MAN_2D": (2, lambda d: nint(np.abs(d).sum(axis=-1))),
    "MAN_3D": (3, lambda d: nint(np.abs(d).sum(axis=-1))),
    "MAX_2D": (2, lambda d: nint(np.abs(d)).max(axis=-1)),
    "MAX_3D": (3, lambda d: nint(np.abs(d)).max(axis=-1)),
    "ATT": (2, _att),
}

COORDINATE_COUNT = {name: count for name, (count, _) in _FROM_DIFFERENCES.items()} | {"GEO": 2}

# Upper triangles column by column are lower triangles row by row, and so on.
MATRIX_FORMATS = {
    "FULL_MATRIX": "FULL_MATRIX",
    "UPPER_ROW": "UPPER_ROW",
    "LOWER_ROW": "LOWER_ROW",
    "UPPER_DIAG_ROW": "UPPER_DIAG_ROW",
    "LOWER_DIAG_ROW": "LOWER_DIAG_ROW",
    "UPPER_COL": "LOWER_ROW",
    "LOWER_COL": "UPPER_ROW",
    "UPPER_DIAG_COL": "LOWER_DIAG_ROW",
    "LOWER_DIAG_COL": "UPPER_DIAG_ROW",
}


def matrix_size(form: str, dimension: int) -> int:
    """Return how many numbers an EDGE_WEIGHT_SECTION of this format holds."""
    if form == "FULL_MATRIX":
        return dimension * dimension
    return dimension * (dimension + 1 if "DIAG" in form else dimension - 1) // 2


def distances_from_coordinates(kind: str, coordinates: Floats) -> Floats:
    """Return integer-valued distances ``[N, N]`` with a zero diagonal.

    Args:
        kind: a key of ``COORDINATE_COUNT``.
        coordinates: ``[N, 2]`` or ``[N, 3]``; for GEO latitude and longitude as DDD.MM.
    """
    cities = len(coordinates)
    distances = np.empty((cities, cities))
    for first in range(0, cities, _BLOCK):
        rows = slice(first, first + _BLOCK)
        if kind == "GEO":
            distances[rows] = _geographical(coordinates[rows], coordinates)
        else:
            difference = coordinates[rows, None, :] - coordinates[None, :, :]
            with np.errstate(over="ignore"):  # infinite distances: the reader refuses them
                distances[rows] = _FROM_DIFFERENCES[kind][1](difference)
    np.fill_diagonal(distances, 0.0)
    return distances


def _geographical(some: Floats, others: Floats) -> Floats:
    """Kilometres on an idealised sphere, truncated after adding 1."""
    latitude, longitude = np.moveaxis(_radians(some)[:, None, :], -1, 0)
    other_latitude, other_longitude = np.moveaxis(_radians(others)[None, :, :], -1, 0)
    q1 = np.cos(longitude - other_longitude)
    q2 = np.cos(latitude - other_latitude)
    q3 = np.cos(latitude + other_latitude)
    cosine = np.clip(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3), -1.0, 1.0)
    kilometres: Floats = np.trunc(_EARTH_RADIUS_KM * np.arccos(cosine) + 1.0)
    return kilometres


def _radians(degrees_and_minutes: Floats) -> Floats:
    degrees = np.trunc(degrees_and_minutes)
    minutes = degrees_and_minutes - degrees
    return _PI * (degrees + 5.0 * minutes / 3.0) / 180.0


def distances_from_list(form: str, numbers: Floats, dimension: int) -> Floats:
    """Return the symmetric matrix ``[N, N]`` that an EDGE_WEIGHT_SECTION lists; zero diagonal.

    Args:
        form: a key of ``MATRIX_FORMATS``.
        numbers: exactly ``matrix_size(form, dimension)`` of them.
        dimension: number of cities.
    """
    rows = MATRIX_FORMATS[form]
    if rows == "FULL_MATRIX":
        distances = numbers.reshape(dimension, dimension).copy()
        np.fill_diagonal(distances, 0.0)
        return distances
    distances = np.zeros((dimension, dimension))
    skip = 0 if "DIAG" in rows else 1
    position = 0
    for row in range(dimension):
        low, high = (row + skip, dimension) if rows.startswith("UPPER") else (0, row + 1 - skip)
        part = numbers[position : position + high - low]
        distances[row, low:high] = part
        distances[low:high, row] = part
        position += high - low
    np.fill_diagonal(distances, 0.0)
    return distances
