"""Data sets of tsp_gls: its own search set, and parts of those of tsp_construct."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ...problem import Dataset
from ..tsp_construct.data import (
    UNIFORM,
    Uniform,
    euclidean,
    tsp_dataset,
    uniform_coordinates,
    uniform_dataset,
)

OWN = {"uniform-100x16-search": Uniform(instances=16, cities=100, seed=920_100)}

# Whole sets of 64 would take a minute of CPU; the first instances are as good as any others.
PARTS = {
    "uniform-100x16-validation": ("uniform-100-validation", 16),
    "uniform-100x32-test": ("uniform-100-test", 32),
    "uniform-200x16-test": ("uniform-200-test", 16),
}


def own_dataset(name: str) -> Dataset:
    """Generate a data set of this problem, with its stored reference lengths."""
    recipe = OWN[name]
    coordinates = uniform_coordinates(recipe.instances, recipe.cities, recipe.seed)
    origin = (
        f"{recipe.instances} instances of {recipe.cities} cities, uniform in the unit square, "
        f"NumPy RandomState({recipe.seed})"
    )
    stored = references()["datasets"].get(name)
    reference = None if stored is None else np.array(stored)
    if stored is not None:
        origin += f"; references: {references()['origin']}"
    return tsp_dataset(name, euclidean(coordinates), reference, origin)


def part_dataset(name: str) -> Dataset:
    """Return the first instances of a data set of tsp_construct, with their references."""
    whole, instances = PARTS[name]
    data = uniform_dataset(whole, UNIFORM[whole])
    reference = None if data.reference is None else data.reference[:instances]
    origin = f"the first {instances} of tsp_construct's {whole}: {data.origin}"
    return tsp_dataset(name, data.arrays["distances"][:instances], reference, origin)


@cache
def references() -> dict[str, Any]:
    """Return the stored reference lengths and their origin."""
    text = files(__package__).joinpath("references.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored
