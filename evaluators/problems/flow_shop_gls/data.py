"""Data sets of flow_shop_gls: parts of those of flow_shop, which fit into a candidate's time."""

from ...problem import Dataset
from ..flow_shop.data import RANDOM, random_dataset, taillard_dataset

PARTS = {
    "random-50x10x8-search": ("random-50x10-search", 8),
    "random-100x10x4-validation": ("random-100x10-validation", 4),
    **{
        f"taillard-{size}": (f"taillard-{size}", 10)
        for size in ("20x10", "20x20", "50x10", "50x20", "100x10", "100x20")
    },
}
"""By name: the data set of flow_shop, and how many of its instances, from the first one on."""


def part_dataset(name: str) -> Dataset:
    """Return the first instances of a data set of flow_shop, with their references."""
    whole, instances = PARTS[name]
    data = random_dataset(whole, RANDOM[whole]) if whole in RANDOM else taillard_dataset(whole)
    if instances == data.instances:
        return data
    assert data.reference is not None  # every data set of flow_shop has bounds
    origin = f"the first {instances} of flow_shop's {whole}: {data.origin}"
    times = data.arrays["times"][:instances]
    return Dataset(name, {"times": times}, data.reference[:instances], origin)
