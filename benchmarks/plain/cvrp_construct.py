"""Nearest customer that fits, else back to the depot, in plain Python."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield total lengths, instance by instance; nothing is random."""
    columns = (arrays[key].tolist() for key in ("distances", "demands", "capacity"))
    for distances, demands, capacity in zip(*columns, strict=True):
        left, walk, room = set(range(1, len(demands))), [0], capacity
        while left:
            row = distances[walk[-1]]
            fits = [node for node in left if demands[node] <= room]
            node = min(fits, key=lambda one, row=row: (row[one], one)) if fits else 0
            room = room - demands[node] if node else capacity
            left.discard(node)
            walk.append(node)
        yield sum(distances[i][j] for i, j in pairwise([*walk, 0]))
