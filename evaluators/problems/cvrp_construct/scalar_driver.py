"""Builds routes one instance after the other, one call of the heuristic per choice.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The heuristic returned something that is not a node."""

    outcome = "bad_result"


class Infeasible(Exception):
    """The heuristic chose a node that cannot be visited now."""

    outcome = "infeasible"


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Build walks from the depot.

    Args:
        heuristic: ``select_next_node(current_node, depot, unvisited_nodes, rest_capacity, demands,
            distance_matrix) -> node``: one of ``unvisited_nodes``, which all fit, or the depot
            unless the vehicle stands there. Without a node that fits it is not asked.
        inputs: ``distances`` ``[B, N, N]``, ``demands`` ``[B, N]``, ``capacity`` ``[B]``.
        device: not used, numpy is on the processor.

    Returns:
        ``visits`` ``[B, 2 * N - 1]`` int64, padded with 0.
    """
    batch, nodes = inputs["demands"].shape
    visits = np.zeros((batch, 2 * nodes - 1), dtype=np.int64)
    for instance in range(batch):
        distances, demands = (
            inputs["distances"][instance].copy(),
            inputs["demands"][instance].copy(),
        )
        walk = build(heuristic, distances, demands, int(inputs["capacity"][instance]), instance)
        visits[instance, : len(walk)] = walk
    return {"visits": visits}


def build(
    heuristic: Callable[..., Any],
    distances: np.ndarray,
    demands: np.ndarray,
    capacity: int,
    instance: int,
) -> list[int]:
    """Return the walk of one instance, without its last return to the depot."""
    need = demands.copy()
    unvisited = np.ones(len(need), dtype=np.bool_)
    unvisited[0] = False
    current, room = 0, capacity
    walk = [0]
    while unvisited.any():
        choices = np.flatnonzero(unvisited & (need <= room))
        node = 0
        if choices.size:
            answer = heuristic(current, 0, choices.copy(), room, demands, distances)
            node = checked(answer, choices, current, f"instance {instance}, step {len(walk)}")
        unvisited[node] = False
        room = capacity if node == 0 else room - int(need[node])
        walk.append(node)
        current = node
    return walk


def checked(answer: Any, choices: np.ndarray, current: int, where: str) -> int:
    """Return the node that an answer means, if the vehicle may go there."""
    array = np.asarray(answer)
    if array.dtype.kind not in "iuf" or array.size != 1 or int(array.flat[0]) != array.flat[0]:
        raise BadResult(
            f"{where}: the heuristic returned {type(answer).__name__} ({str(answer)[:80]}), wanted "
            "one node as an integer"
        )
    node = int(array.flat[0])
    if node not in choices and (node != 0 or current == 0):
        raise Infeasible(f"{where}: node {node} cannot be visited from node {current} now")
    return node
