"""Packs one item per instance and step into the bin of highest score, all instances at once.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
The bins are kept here, beside the heuristic; the sandbox's parent keeps its own and checks every
decision. Bins that a heuristic changes in place are restored after its call.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch


class BadResult(Exception):
    """The heuristic returned something that is not a matrix of scores."""

    outcome = "bad_result"


def start(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """Return the function that packs the items of one step.

    Args:
        heuristic: ``score_bins(items, bins) -> scores [B, N]``.
        inputs: ``capacity`` ``[B]``; ``bins`` ``[1]``: number of bins at the start, 0 for "the
            open bins and an empty one".
        device: not used, sessions run on the processor.
    """
    torch.set_grad_enabled(False)  # for good: entering no_grad() at each item takes 4 us
    return Packing(heuristic, inputs["capacity"], int(inputs["bins"][0])).pack


class Packing:
    """Remaining capacities of all bins.

    ``left`` ``[B, room]`` is the truth, in the smallest integers that hold it, since it is read as a
    whole for each item. ``shown`` is the tensor of the same values for the heuristic, which sees its
    first ``width`` columns. Bins from ``reach`` on are untouched. ``flat`` and ``flat_copy`` are the
    same memory as ``left`` and ``shown``.
    """

    def __init__(self, heuristic: Callable[..., Any], capacity: np.ndarray, bins: int) -> None:
        self.heuristic = heuristic
        self.capacity = capacity.astype(np.min_scalar_type(capacity.max()))[:, None]
        self.instances = np.arange(len(capacity))
        self.all_bins = bins > 0
        self.reach = 1
        self.step = 0
        self.width = bins or 1
        self.opened = np.zeros(len(capacity), dtype=np.int64)
        self.left = np.empty((len(capacity), 0), dtype=self.capacity.dtype)
        self.resize(bins or 64)

    def resize(self, room: int) -> None:
        """Make room for more columns; without ``all_bins`` unopened ones hold 0."""
        left = np.zeros((len(self.capacity), room), dtype=self.capacity.dtype)
        if not self.step:
            left[:, : self.width] = self.capacity
        left[:, : self.left.shape[1]] = self.left
        self.left, self.copy = left, left.astype(np.float64)
        self.flat, self.flat_copy = left.reshape(-1), self.copy.reshape(-1)
        self.begins = self.instances * room
        self.shown = torch.from_numpy(self.copy)
        self.version = self.shown._version
        self.show()

    def show(self) -> None:
        """Set what the heuristic sees and what it must return."""
        self.bins = self.shown[:, : self.width]
        self.shape = self.bins.shape

    def pack(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Ask the heuristic and pack; return the chosen bins ``[B]``."""
        sizes = observation["item"].astype(self.left.dtype)
        items = sizes[:, None]
        # a tensor of its own: a heuristic may change or keep it
        scores = self.heuristic(torch.from_numpy(items.astype(np.float64)), self.bins)
        chosen = self.choose(self.checked(scores), items)
        if self.shown._version != self.version:  # it worked in place
            self.copy[:] = self.left
            self.version = self.shown._version
        at = self.begins + chosen
        left = self.flat[at]
        left -= sizes
        self.flat[at] = self.flat_copy[at] = left
        self.step += 1
        if not self.all_bins:
            self.open_bins(chosen)
        return {"bin": chosen}

    def open_bins(self, chosen: np.ndarray) -> None:
        """Offer a new empty bin where the last one has been used."""
        new = (chosen == self.opened).nonzero()[0]
        if not new.size:
            return
        self.opened[new] += 1
        width = int(self.opened.max()) + 1
        if width > self.width:
            self.width = self.reach = width
            if width > self.left.shape[1]:
                self.resize(2 * self.left.shape[1])
            self.show()
        fresh = self.begins[new] + self.opened[new]
        self.flat[fresh] = self.flat_copy[fresh] = self.capacity[new, 0]

    def checked(self, scores: Any) -> np.ndarray:
        """Return the scores as an array, if they are a matrix of float64."""
        if not isinstance(scores, torch.Tensor):
            raise BadResult(
                f"item {self.step}: the heuristic returned {type(scores).__name__}, "
                f"wanted a torch.Tensor of shape {list(self.shape)} and dtype torch.float64"
            )
        if scores.shape != self.shape or scores.dtype is not torch.float64:
            raise BadResult(
                f"item {self.step}: the heuristic returned shape {list(scores.shape)} and dtype "
                f"{scores.dtype}, wanted shape {list(self.shape)} and dtype torch.float64"
            )
        array: np.ndarray = scores.numpy()
        return array

    def choose(self, scores: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return the bin of highest score among those with room; ties go to the lowest index.

        Untouched bins have room for any item: their scores are searched where they are. NaN counts
        as the highest score of all.
        """
        reach = self.reach
        full = self.left[:, :reach] < items
        head = np.where(full, -math.inf, scores[:, :reach])
        chosen: np.ndarray = head.argmax(axis=1)
        best = head[self.instances, chosen].tolist()
        if reach < self.width:
            tail = scores[:, reach:]
            for instance, score in enumerate(np.maximum.reduce(tail, axis=1).tolist()):
                if not score <= best[instance] and not math.isnan(best[instance]):
                    chosen[instance] = reach + tail[instance].argmax()
                    best[instance] = score
                    self.reach = max(self.reach, int(chosen[instance]) + 1)
        if not math.isfinite(sum(best)):
            self.unusual(items, best, chosen)
        return chosen

    def unusual(self, items: np.ndarray, best: list[float], chosen: np.ndarray) -> None:
        """Refuse NaN; where all scores are minus infinity, take the first bin with room."""
        for instance, value in enumerate(best):
            if math.isnan(value):
                raise BadResult(
                    f"item {self.step}: the score of bin {chosen[instance]} in instance {instance}, "
                    "which has room for the item, is NaN"
                )
            if value == -math.inf:
                chosen[instance] = (self.left[instance, : self.width] >= items[instance]).argmax()
                self.reach = max(self.reach, int(chosen[instance]) + 1)
