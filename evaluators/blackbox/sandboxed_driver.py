"""Driver of a user's objective, run inside the sandbox: numpy and the standard library only."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The objective returned something else than a number."""

    outcome = "bad_result"


def solve(heuristic: Callable[..., Any], inputs: dict[str, Any], device: str) -> dict[str, Any]:
    """Call the objective with the point in ``inputs['point']`` (JSON as bytes)."""
    point = json.loads(bytes(inputs["point"]).decode())
    answer = heuristic(**point)
    value, noise = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, -1.0)
    try:
        result = np.array([float(value), float(noise)], dtype="<f8")
    except (TypeError, ValueError):
        kind = type(answer).__name__
        raise BadResult(f"objective returned a {kind}, not a number or (number, noise)") from None
    return {"result": result}
