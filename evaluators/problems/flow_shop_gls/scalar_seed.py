"""Noising: make every time longer by chance, and move the jobs that it makes longest."""

import numpy as np


def get_matrix_and_jobs(
    current_sequence: list[int], time_matrix: np.ndarray, m: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Raise times by random shares; choose the five jobs whose totals rise by the largest share."""
    rise = time_matrix * np.random.rand(n, m)
    shares = rise.sum(axis=1) / (time_matrix.sum(axis=1) + 1e-12)
    return time_matrix + rise, np.argsort(-shares, kind="stable")[:5]
