"""Builds one tour after the other, one call of the heuristic per city.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
The heuristic gets fresh arrays at each step, and its own writable copy of the instance's matrix:
a heuristic that writes into it misleads itself in later steps of that instance and nobody else,
because lengths are computed outside from the original.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The heuristic returned something that is not a city."""

    outcome = "bad_result"


class Infeasible(Exception):
    """The heuristic chose a city that cannot be visited now."""

    outcome = "infeasible"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Build closed tours from city 0; the heuristic chooses each next city but the last.

    Args:
        heuristic: ``select_next_node(current_node, destination_node, unvisited_nodes,
            distance_matrix) -> node``; ``unvisited_nodes`` is sorted by distance from the current
            node, equal distances by index.
        inputs: ``distances`` ``[B, N, N]`` float64, and ``neighbours`` ``[B, N, N]`` integer: per
            node all nodes by distance.
        device: not used, numpy is on the processor.

    Returns:
        ``tours`` ``[B, N]`` int64; each row starts with 0.
    """
    distances = inputs["distances"]
    tours = np.zeros(distances.shape[:2], dtype=np.int64)
    for instance in range(distances.shape[0]):
        matrix = np.array(distances[instance])
        neighbours = inputs["neighbours"][instance].astype(np.int64)
        build(heuristic, matrix, neighbours, tours[instance], instance)
    return {"tours": tours}


def build(
    heuristic: Callable[..., Any],
    matrix: np.ndarray,
    neighbours: np.ndarray,
    tour: np.ndarray,
    instance: int,
) -> None:
    """Fill ``tour`` for one instance."""
    cities = len(tour)
    unvisited = np.ones(cities, dtype=np.bool_)
    unvisited[0] = False
    current = 0
    for step in range(1, cities - 1):
        nearest = neighbours[current]
        answer = heuristic(current, 0, nearest[unvisited[nearest]], matrix)
        node = answer if type(answer) is int else to_node(answer, step, instance)
        if not 0 <= node < cities:
            raise Infeasible(
                f"instance {instance}, step {step}: node {node} does not exist, "
                f"nodes are 0 to {cities - 1}"
            )
        if not unvisited[node]:
            raise Infeasible(
                f"instance {instance}, step {step}: node {node} has been visited already"
            )
        unvisited[node] = False
        tour[step] = current = node
    if cities > 1:
        tour[-1] = unvisited.argmax()  # the last city is forced


def to_node(answer: Any, step: int, instance: int) -> int:
    """Return the node that an answer means.

    Published evaluators call ``int()`` on the answer. Accepted here: integers of Python and numpy,
    floats of integral value, and arrays with one such element. Anything that ``int()`` would have
    to cut or guess (1.7, NaN, True, text) is refused.
    """
    if isinstance(answer, np.ndarray) and answer.size == 1:
        answer = answer.reshape(-1)[0]
    if not isinstance(answer, (bool, np.bool_)):
        if isinstance(answer, (int, np.integer)):
            return operator.index(answer)
        if isinstance(answer, (float, np.floating)) and float(answer).is_integer():
            return int(answer)
    what = f"shape {list(answer.shape)}" if isinstance(answer, np.ndarray) else repr(answer)[:80]
    raise BadResult(
        f"instance {instance}, step {step}: the heuristic returned {type(answer).__name__} "
        f"({what}), wanted one node of unvisited_nodes as an integer"
    )
