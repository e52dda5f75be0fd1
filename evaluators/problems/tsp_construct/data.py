"""Data sets of tsp_construct: seeded uniform instances with stored references, and TSPLIB files."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...generated import Family, Recipe
from ...problem import Array, Dataset
from ...routing.tsplib import read_instance, read_tour
from .scoring import tour_lengths

MAX_CITIES = 5000  # a matrix takes 200 MB, and three copies of it live at once


@dataclass(frozen=True)
class Uniform:
    """Recipe of a data set: cities uniform in the unit square."""

    instances: int
    cities: int
    seed: int


UNIFORM = {
    # LLM4AD's standard search set: seed 2024, one rand(50, 2) per instance.
    "uniform-50-search": Uniform(instances=64, cities=50, seed=2024),
    "uniform-100-validation": Uniform(instances=64, cities=100, seed=310_100),
    "uniform-50-test": Uniform(instances=64, cities=50, seed=720_050),
    "uniform-100-test": Uniform(instances=64, cities=100, seed=720_100),
    "uniform-200-test": Uniform(instances=64, cities=200, seed=720_200),
}

FAMILY = Family("uniform", ("cities",), least=(3,), most=MAX_CITIES, power=2)


def uniform_coordinates(instances: int, cities: int, seed: int) -> Array:
    """Return coordinates ``[instances, cities, 2]``, the same on every machine and for ever.

    ``RandomState`` is NumPy's frozen legacy generator: its stream equals that of
    ``numpy.random.seed(seed)`` without touching the global state.
    """
    random = np.random.RandomState(seed)
    return np.stack([random.rand(cities, 2) for _ in range(instances)])


def euclidean(coordinates: Array) -> Array:
    """Return unrounded distances ``[instances, cities, cities]`` in float64.

    Squares, one sum and a square root: each rounded once by IEEE rules, so equal on any machine.
    """
    difference = coordinates[:, :, None, :] - coordinates[:, None, :, :]
    squares = difference * difference
    distances: Array = np.sqrt(squares[..., 0] + squares[..., 1])
    return distances


def tsp_dataset(name: str, distances: Array, reference: Array | None, origin: str) -> Dataset:
    """Make a data set that both drivers can use.

    Args:
        name: name of the data set.
        distances: ``[instances, cities, cities]`` float64, symmetric, zero diagonal.
        reference: best known lengths ``[instances]``, or None.
        origin: where instances and references come from.

    Returns:
        Arrays ``distances``, and ``neighbours`` ``[instances, cities, cities]`` int32: per city all
        cities by distance, equal distances by index. The scalar driver would otherwise sort again
        for every candidate, which took a third of its time.
    """
    neighbours = np.empty(distances.shape, dtype=np.int32)
    for table, matrix in zip(neighbours, distances, strict=True):
        table[:] = np.argsort(matrix, axis=1, kind="stable")
    neighbours.setflags(write=False)
    return Dataset(name, {"distances": distances, "neighbours": neighbours}, reference, origin)


def uniform_dataset(name: str, recipe: Uniform) -> Dataset:
    """Generate a data set, with its reference lengths where the package stores them."""
    coordinates = uniform_coordinates(recipe.instances, recipe.cities, recipe.seed)
    origin = (
        f"{recipe.instances} instances of {recipe.cities} cities, uniform in the unit square, "
        f"NumPy RandomState({recipe.seed})"
    )
    stored = references()["datasets"].get(name)
    reference = None
    if stored is not None:
        reference = np.array(stored["lengths"])
        origin += f"; references: {references()['origin']['method']}"
    return tsp_dataset(name, euclidean(coordinates), reference, origin)


def generated_dataset(recipe: Recipe) -> Dataset:
    """Generate a data set of any size; without references."""
    return uniform_dataset(recipe.name, Uniform(recipe.instances, recipe.size[0], recipe.stream))


@cache
def references() -> dict[str, Any]:
    """Return the stored reference lengths and their origin."""
    text = files(__package__).joinpath("references.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def load_tsplib(path: str | Path) -> Dataset:
    """Read a TSPLIB file as a data set of one instance.

    The reference is the length of the tour in ``NAME.opt.tour`` beside ``NAME.tsp``, computed here
    in the rounding of the file's edge weight type; without such a file there is none, and the
    objective is the length itself.

    Raises:
        InputError: the file is missing, broken, too large, or not a symmetric TSP.
    """
    path = Path(path)
    instance = read_instance(path, max_dimension=MAX_CITIES)
    if instance.dimension < 3:
        raise InputError(
            f"{path} has {instance.dimension} cities: a tour to choose needs at least 3."
        )
    distances = instance.distances[None]
    distances.setflags(write=False)
    origin = f"TSPLIB file {path.name} ({instance.edge_weight_type}, {instance.dimension} cities)"
    tour_path = path.with_suffix(".opt.tour")
    reference = None
    if tour_path.is_file():
        tour = read_tour(tour_path).positions(instance)
        length = tour_lengths(distances, tour[None])
        reference = length if length[0] > 0 else None
        origin += f"; reference: {length[0]:.0f}, length of the tour in {tour_path.name}"
        origin += "" if length[0] > 0 else ", which allows no gap in %"
    else:
        origin += f"; no reference: there is no {tour_path.name} beside it"
    return tsp_dataset(path.name, distances, reference, origin)
