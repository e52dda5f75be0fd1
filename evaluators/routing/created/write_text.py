"""Numbers and matrices as text, so that reading them again gives the same."""

from collections.abc import Iterable

import numpy as np

from ..instance import Floats, RoutingError
from ..tsplib_distances import MATRIX_FORMATS


def number(value: float) -> str:
    """Return the shortest text that reads as the same number; whole numbers without a point.

    Raises:
        RoutingError: the number is not finite.
    """
    value = float(value)
    if not np.isfinite(value):
        raise RoutingError(f"{value} cannot be written as a number of the file's format.")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def numbers(values: Iterable[float]) -> str:
    """Return numbers with blanks between them."""
    return " ".join(number(value) for value in values)


def matrix_lines(form: str, matrix: Floats) -> list[str]:
    """Return the lines of an EDGE_WEIGHT_SECTION in a layout of TSPLIB.

    Raises:
        RoutingError: the layout is not known, or holds symmetric matrices only and this is none.
    """
    if form not in MATRIX_FORMATS:
        raise RoutingError(f"the layout {form} is not known.")
    rows = MATRIX_FORMATS[form]
    if rows == "FULL_MATRIX":
        return [numbers(row) for row in matrix]
    if not np.array_equal(matrix, matrix.T):
        raise RoutingError(f"the layout {form} cannot hold distances that depend on the direction.")
    skip = 0 if "DIAG" in rows else 1
    size = len(matrix)
    lines = []
    for row in range(size):
        low, high = (row + skip, size) if rows.startswith("UPPER") else (0, row + 1 - skip)
        if high > low:
            lines.append(numbers(matrix[row, low:high]))
    return lines
