"""Data sets of bin_packing_online: seeded Weibull items, and files in the format of BPPLIB."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...generated import Family, Recipe
from ...problem import Array, Dataset

SHAPE, SCALE = 3.0, 45.0
LARGEST = 100  # sizes are clipped to [1, 100] whatever the capacity
MAX_ITEMS = 200_000


@dataclass(frozen=True)
class Weibull:
    """Recipe of a data set: item sizes from Weibull(3, 45), clipped to [1, 100] and rounded."""

    instances: int
    items: int
    capacity: int
    seed: int


_SIZES = {"1k": 1_000, "5k": 5_000, "10k": 10_000}

WEIBULL = {
    "weibull-5k-c100-search": Weibull(5, 5_000, 100, seed=450_500),
    "weibull-5k-c100-validation": Weibull(5, 5_000, 100, seed=451_500),
} | {
    # The same items at each capacity, as in the published tables.
    f"weibull-{label}-c{capacity}-test": Weibull(5, items, capacity, seed=452_000 + items // 10)
    for capacity in (100, 300, 500)
    for label, items in _SIZES.items()
}

FAMILY = Family("weibull", ("items",), least=(1,), most=MAX_ITEMS)


def weibull_items(instances: int, items: int, seed: int) -> Array:
    """Return integer sizes ``[instances, items]``, the same on every machine and for ever.

    NumPy's frozen legacy generator draws them; clipping comes before rounding, as published.
    """
    random = np.random.RandomState(seed)
    drawn = SCALE * random.weibull(SHAPE, (instances, items))
    sizes: Array = np.rint(np.clip(drawn, 1, LARGEST)).astype(np.int64)
    return sizes


def lower_bound(items: Array, capacity: Array) -> Array:
    """Return the bound L1 ``[instances]``: total size over capacity, rounded up."""
    bound: Array = -(-items.sum(axis=1) // capacity)
    return bound


def packing_dataset(name: str, items: Array, capacity: Array, origin: str) -> Dataset:
    """Make a data set from sizes ``[instances, items]`` and capacities ``[instances]``."""
    reference = lower_bound(items, capacity).astype(np.float64)
    origin += (
        "; references: L1 = ceil(total size / capacity), a lower bound that may be out of reach"
    )
    return Dataset(name, {"items": items, "capacity": capacity}, reference, origin)


def weibull_dataset(name: str, recipe: Weibull) -> Dataset:
    """Generate a data set."""
    items = weibull_items(recipe.instances, recipe.items, recipe.seed)
    capacity = np.full(recipe.instances, recipe.capacity, dtype=np.int64)
    origin = (
        f"{recipe.instances} instances of {recipe.items} items, Weibull({SHAPE:g}, {SCALE:g}) "
        f"clipped to [1, {LARGEST}] and rounded, capacity {recipe.capacity} for all instances, "
        f"NumPy RandomState({recipe.seed})"
    )
    return packing_dataset(name, items, capacity, origin)


def generated_dataset(recipe: Recipe) -> Dataset:
    """Generate a data set of any size, with capacity 100."""
    return weibull_dataset(
        recipe.name, Weibull(recipe.instances, recipe.size[0], LARGEST, recipe.stream)
    )


def load_bpplib(path: str | Path) -> Dataset:
    """Read a file of BPPLIB as one instance: number of items, capacity, then one size per item.

    The items arrive in the order of the file.

    Raises:
        InputError: the file is missing, broken, or has an item that fits into no bin.
    """
    path = Path(path)
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from error
    try:
        numbers = [int(word) for word in words]
    except ValueError as error:
        raise InputError(
            f"{path} is no bin packing file: wanted integers only ({error})."
        ) from None
    if len(numbers) < 3 or numbers[0] != len(numbers) - 2 or numbers[0] > MAX_ITEMS:
        raise InputError(
            f"{path} must hold the number of items (at most {MAX_ITEMS}), the capacity, and then "
            f"as many sizes; it announces {numbers[0] if numbers else 'nothing'} and holds "
            f"{max(0, len(numbers) - 2)}."
        )
    capacity, sizes = numbers[1], numbers[2:]
    if not 1 <= min(sizes) <= max(sizes) <= capacity < 2**31:
        raise InputError(f"{path}: every size must lie between 1 and the capacity {capacity}.")
    origin = f"file {path.name} ({len(sizes)} items, capacity {capacity})"
    return packing_dataset(path.name, np.array([sizes]), np.array([capacity]), origin)
