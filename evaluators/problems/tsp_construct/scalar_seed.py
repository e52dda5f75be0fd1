"""Nearest neighbour: go to the unvisited node that is closest to the current one."""

import numpy as np


def select_next_node(
    current_node: int,
    destination_node: int,
    unvisited_nodes: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """Return the unvisited node at the smallest distance."""
    distances = distance_matrix[current_node][unvisited_nodes]
    return int(unvisited_nodes[distances.argmin()])
