"""Nearest neighbour: go to the nearest customer that fits."""

import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_capacity: int,
    demands: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """Return the unvisited node at the smallest distance."""
    return int(unvisited_nodes[distance_matrix[current_node][unvisited_nodes].argmin()])
