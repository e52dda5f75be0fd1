"""Calls a created solver on the text of an instance and hands its decisions over.

This file runs inside the sandbox as text: it may use numpy and the standard library only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The program returned something that is not routes and a cost."""

    outcome = "bad_result"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Return padded ``stops`` ``[S]``, ``lengths`` and ``vehicles`` ``[R]``, ``cost`` ``[1]``.

    ``lengths`` and ``vehicles`` are -1 beyond the last route.
    """
    text = bytes(inputs["text"]).decode("utf-8")
    answer = heuristic(text, float(inputs["seconds"][0]), int(inputs["seed"][0]))
    if not isinstance(answer, dict) or "routes" not in answer or "cost" not in answer:
        got = sorted(map(str, answer)) if isinstance(answer, dict) else type(answer).__name__
        raise BadResult(f"solve returned {got}, wanted a dictionary with 'routes' and 'cost'")
    most_routes, most_stops = int(inputs["bounds"][0]), int(inputs["bounds"][1])
    routes = [_route(route, number) for number, route in enumerate(_list(answer["routes"]), 1)]
    vehicles = _whole(answer.get("vehicles", [0] * len(routes)), "vehicles")
    if len(routes) > most_routes:
        raise BadResult(f"solve returned {len(routes)} routes, at most {most_routes} make sense")
    if len(vehicles) != len(routes):
        raise BadResult(f"solve returned {len(vehicles)} vehicles for {len(routes)} routes")
    flat = [stop for route in routes for stop in route]
    if len(flat) > most_stops:
        raise BadResult(f"the routes have {len(flat)} stops, at most {most_stops} make sense")
    return {
        "stops": _padded(flat, most_stops),
        "lengths": _padded([len(route) for route in routes], most_routes),
        "vehicles": _padded(vehicles, most_routes),
        "cost": np.array([_number(answer["cost"])], dtype=np.float64),
    }


def _list(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise BadResult(f"'routes' is {type(value).__name__}, wanted a list of lists")
    return list(value)


def _route(value: Any, number: int) -> list[int]:
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise BadResult(f"route {number} is {type(value).__name__}, wanted a list of rows")
    return _whole(value, f"route {number}")


def _whole(values: Any, name: str) -> list[int]:
    numbers = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise BadResult(f"{name} holds {type(value).__name__} {value!r:.40}, wanted integers")
        if abs(int(value)) > 2**40:
            raise BadResult(f"{name} holds {value!r:.40}, which is no row of the instance")
        numbers.append(int(value))
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BadResult(f"'cost' is {type(value).__name__}, wanted a number")
    return float(value)


def _padded(values: list[int], size: int) -> np.ndarray:
    padded = np.full(size, -1, dtype=np.int64)
    padded[: len(values)] = values
    return padded
