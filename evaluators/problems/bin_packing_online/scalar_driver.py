"""Packs items with the published signature ``score(item, bins)``, instance by instance.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
As in published evaluators the heuristic gets a fresh array of the remaining capacities of the bins
with room for the item, in order of their index, and the item goes into the first bin of highest
score.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class BadResult(Exception):
    """The heuristic returned something that is not one score per bin."""

    outcome = "bad_result"


def start(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """Return the function that packs the items of one step.

    Args:
        heuristic: ``score(item, bins) -> scores``, one per bin.
        inputs: ``capacity`` ``[B]``; ``bins`` ``[1]``: number of bins at the start, 0 for "the
            open bins and an empty one".
        device: not used, numpy is on the processor.
    """
    bins = int(inputs["bins"][0])
    packings = [Packing(heuristic, int(one), bins, b) for b, one in enumerate(inputs["capacity"])]

    def pack(observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        sizes = observation["item"].tolist()
        chosen = [one.pack(size) for one, size in zip(packings, sizes, strict=True)]
        return {"bin": np.array(chosen, dtype=np.int64)}

    return pack


class Packing:
    """The bins of one instance: remaining capacities, int64 as in published evaluators."""

    def __init__(
        self, heuristic: Callable[..., Any], capacity: int, bins: int, instance: int
    ) -> None:
        self.heuristic, self.capacity, self.instance = heuristic, capacity, instance
        self.all_bins = bins > 0
        self.width = bins or 1
        self.left = np.full(bins or 64, capacity, dtype=np.int64)
        self.item = 0

    def pack(self, size: int) -> int:
        """Ask the heuristic for scores of the bins with room, pack, and return the bin."""
        room = np.flatnonzero(self.left[: self.width] >= size)
        scores = self.checked(self.heuristic(size, self.left[room]), len(room))
        chosen = int(room[scores.argmax()])
        self.left[chosen] -= size
        self.item += 1
        if not self.all_bins and chosen == self.width - 1:
            self.width += 1
            if self.width > len(self.left):
                more = np.full(len(self.left), self.capacity, dtype=np.int64)
                self.left = np.concatenate([self.left, more])
        return chosen

    def checked(self, scores: Any, bins: int) -> np.ndarray:
        """Return the scores as an array of ``bins`` numbers without NaN."""
        where = f"instance {self.instance}, item {self.item}: "
        array = np.asarray(scores)
        if array.dtype.kind not in "iuf":
            raise BadResult(
                f"{where}the heuristic returned {type(scores).__name__} ({array.dtype}), "
                f"wanted {bins} numbers"
            )
        if array.shape != (bins,):
            raise BadResult(
                f"{where}the heuristic returned shape {list(array.shape)}, wanted [{bins}]"
            )
        if array.dtype.kind == "f" and np.isnan(array.max()):
            raise BadResult(
                f"{where}the score of bin {int(np.isnan(array).argmax())} of bins is NaN"
            )
        return array
