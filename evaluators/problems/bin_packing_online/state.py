"""Trusted bins: applies and checks every decision when it is made, and all of them at the end."""

from dataclasses import dataclass, field

import numpy as np

from ...problem import Array, Dataset, Infeasible


@dataclass
class Play:
    """One play of all instances of a data set.

    ``rows`` are the sizes ``[n, B]``, ``left`` the remaining capacities of each instance's bins,
    ``chosen`` the bins of each step. Lists of integers: 5 instances a step are faster so than as
    arrays.
    """

    rows: Array
    sizes: list[list[int]]
    capacity: list[int]
    all_bins: bool
    left: list[list[int]]
    chosen: list[list[int]] = field(default_factory=list)

    @classmethod
    def new(cls, data: Dataset, *, all_bins: bool) -> "Play":
        """Return a play with as many empty bins as items, or with a single one to start with."""
        rows = np.ascontiguousarray(data.arrays["items"].T)
        capacity = data.arrays["capacity"].tolist()
        bins = len(rows) if all_bins else 1
        left = [[one] * bins for one in capacity]
        return cls(rows, rows.tolist(), capacity, all_bins, left)

    def next_items(self) -> dict[str, Array] | None:
        """Return the sizes of the next items ``[B]``, or None after the last."""
        step = len(self.chosen)
        return {"item": self.rows[step]} if step < len(self.rows) else None

    def pack(self, chosen: Array) -> None:
        """Pack the items of this step into the bins ``chosen`` ``[B]``.

        Raises:
            Infeasible: a bin does not exist or is too full.
        """
        step, bins = len(self.chosen), chosen.tolist()
        for instance, (size, bin_) in enumerate(zip(self.sizes[step], bins, strict=True)):
            left = self.left[instance]
            if not 0 <= bin_ < len(left):
                raise Infeasible(
                    instance,
                    f"item {step}: bin {bin_} does not exist, bins are 0 to {len(left) - 1}",
                )
            if size > left[bin_]:
                raise Infeasible(
                    instance,
                    f"item {step} of size {size} does not fit into bin {bin_}, "
                    f"whose remaining capacity is {left[bin_]}",
                )
            left[bin_] -= size
            if not self.all_bins and bin_ == len(left) - 1:
                left.append(self.capacity[instance])
        self.chosen.append(bins)

    def decisions(self) -> Array:
        """Return the bins of all items so far, ``[B, steps]``."""
        return np.array(self.chosen, dtype=np.int64).reshape(-1, len(self.capacity)).T


def bins_used(data: Dataset, decisions: Array) -> Array:
    """Check a whole packing ``[B, n]`` from the data alone; return bins used ``[B]`` in float64.

    Raises:
        Infeasible: an item is not packed, or a bin does not exist or is overfull.
    """
    items, capacity = data.arrays["items"], data.arrays["capacity"]
    used = np.empty(len(items))
    if decisions.shape != items.shape:
        raise Infeasible(0, f"{decisions.shape[1]} of {items.shape[1]} items are packed")
    for instance, (sizes, bins) in enumerate(zip(items, decisions, strict=True)):
        if bins.min() < 0 or bins.max() >= len(sizes):
            raise Infeasible(instance, f"a bin outside 0 to {len(sizes) - 1} is used")
        loads = np.bincount(bins, weights=sizes)
        if loads.max() > capacity[instance]:
            raise Infeasible(instance, f"bin {loads.argmax()} holds {loads.max():.0f}")
        used[instance] = np.count_nonzero(loads)
    return used
