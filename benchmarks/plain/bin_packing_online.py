"""Best fit over the opened bins and an empty one in plain Python."""

from collections.abc import Iterator, Mapping
from typing import Any


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield numbers of bins, instance by instance; nothing is random.

    Best fit opens a bin only when no opened one has room, so that unopened ones need no score.
    """
    columns = (arrays[key].tolist() for key in ("items", "capacity"))
    for items, capacity in zip(*columns, strict=True):
        bins: list[int] = []
        for item in items:
            chosen, least = -1, capacity + 1
            for index, left in enumerate(bins):
                if item <= left < least:
                    chosen, least = index, left
            if chosen < 0:
                bins.append(capacity - item)
            else:
                bins[chosen] -= item
        yield float(len(bins))
