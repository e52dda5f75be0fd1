"""Data sets of cvrp_construct: seeded uniform instances with stored references."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ...generated import Family
from ...problem import Array, Dataset


@dataclass(frozen=True)
class Uniform:
    """Recipe: depot and customers uniform in the unit square, demands from 1 to 9."""

    instances: int
    customers: int
    capacity: int
    seed: int


# Sizes and capacities of the literature on learned construction (Nazari et al., Kool et al.).
UNIFORM = {
    "uniform-50-search": Uniform(instances=16, customers=50, capacity=40, seed=810_050),
    "uniform-50-validation": Uniform(instances=16, customers=50, capacity=40, seed=811_050),
    "uniform-50-test": Uniform(instances=16, customers=50, capacity=40, seed=812_050),
    "uniform-100-test": Uniform(instances=8, customers=100, capacity=50, seed=812_100),
}

FAMILY = Family("uniform", ("customers",), least=(2,), most=3000, power=2)


def recipe_of(name: str) -> Uniform:
    """Return the recipe of a data set by its name, of this package or of any size.

    Capacities are 30 + customers / 5: those of the literature for 50, 100 and 200 customers.
    """
    recipe = FAMILY.read(name)
    if recipe is None:
        return UNIFORM[name]
    customers = recipe.size[0]
    return Uniform(recipe.instances, customers, 30 + customers // 5, recipe.stream)


def uniform_arrays(recipe: Uniform) -> dict[str, Array]:
    """Return ``distances`` ``[B, N, N]`` (node 0 is the depot), ``demands`` and ``capacity``.

    NumPy's frozen legacy generator draws, instance by instance, coordinates and then demands.
    """
    distances, demands = [], []
    for points, demand in draw_instances(recipe):
        difference = points[:, None] - points[None]
        squares = difference * difference
        distances.append(np.sqrt(squares[..., 0] + squares[..., 1]))
        demands.append(demand)
    capacity = np.full(recipe.instances, recipe.capacity, dtype=np.int64)
    return {
        "distances": np.stack(distances),
        "demands": np.stack(demands).astype(np.int64),
        "capacity": capacity,
    }


def draw_instances(recipe: Uniform) -> Iterator[tuple[Array, Array]]:
    """Yield the coordinates ``[N, 2]`` and demands ``[N]`` of each instance."""
    random = np.random.RandomState(recipe.seed)
    nodes = recipe.customers + 1
    for _ in range(recipe.instances):
        points = random.rand(nodes, 2)
        demand = random.randint(1, 10, nodes)
        demand[0] = 0
        yield points, demand


def uniform_dataset(name: str, recipe: Uniform) -> Dataset:
    """Generate a data set, with its reference lengths where the package stores them."""
    origin = (
        f"{recipe.instances} instances of {recipe.customers} customers and a depot, uniform in the "
        f"unit square, demands 1 to 9, capacity {recipe.capacity}, NumPy RandomState({recipe.seed})"
    )
    stored = references()["datasets"].get(name)
    reference = None if stored is None else np.array(stored)
    if stored is not None:
        origin += f"; references: {references()['origin']}"
    return Dataset(name, uniform_arrays(recipe), reference, origin)


@cache
def references() -> dict[str, Any]:
    """Return the stored reference lengths and their origin."""
    text = files(__package__).joinpath("references.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored
