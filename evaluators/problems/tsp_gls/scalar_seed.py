"""Guided local search: lengthen each edge of the tour by its utility (Voudouris & Tsang 1999)."""

import numpy as np


def update_edge_distance(
    edge_distance: np.ndarray, local_opt_tour: np.ndarray, edge_n_used: np.ndarray
) -> np.ndarray:
    """Return the distances, plus the distance over 1 + penalty on the edges of the tour."""
    one, other = local_opt_tour, np.roll(local_opt_tour, -1)
    utility = edge_distance[one, other] / (1 + edge_n_used[one, other])
    updated_edge_distance = edge_distance.copy()
    updated_edge_distance[one, other] += utility
    updated_edge_distance[other, one] += utility
    return updated_edge_distance
