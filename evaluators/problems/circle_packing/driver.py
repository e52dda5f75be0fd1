"""Calls the program once and hands its packing over.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The program returned something that is not centres and radii."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Return ``centres`` ``[1, n, 2]`` and ``radii`` ``[1, n]`` of ``pack_circles(n)``."""
    count = int(inputs["circles"][0])
    answer = heuristic(count)
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise BadResult(
            f"the program returned {type(answer).__name__}, wanted the pair (centres, radii)"
        )
    centres = numbers(answer[0], (count, 2), "centres")
    radii = numbers(answer[1], (count,), "radii")
    return {"centres": centres[None], "radii": radii[None]}


def numbers(value: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return a float64 array of this shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise BadResult(f"{name} is no array of shape {list(shape)}") from None
    if array.dtype.kind not in "iuf" or array.shape != shape:
        raise BadResult(
            f"{name} has shape {list(array.shape)} and type {array.dtype}, wanted {list(shape)} "
            "numbers"
        )
    return array.astype(np.float64)
