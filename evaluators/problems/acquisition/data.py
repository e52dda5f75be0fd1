"""Data sets of acquisition: functions tabulated on a lattice, so that their optimum is known.

A function is known on ``POINTS`` points of the unit cube and exists nowhere else; its least value
there is its optimum, exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...problem import Array, Dataset
from .functions import KINDS, KNOWN, Function, Random

POINTS = 600
STARTS = 5
"""Points that are evaluated before the heuristic is asked."""

DIMENSIONS = (2, 3, 4)


@dataclass(frozen=True)
class Recipe:
    """How a data set is made.

    Args:
        copies: instances of each kind and dimension, or of each known function.
        steps: evaluations that the heuristic decides.
        seed: of everything random.
        known: published test functions instead of random ones.
    """

    copies: int
    steps: int
    seed: int
    known: bool = False


RECIPES = {
    "mixed-25-search": Recipe(copies=16, steps=20, seed=510_025),
    "mixed-25-validation": Recipe(copies=16, steps=20, seed=520_025),
    "mixed-25-test": Recipe(copies=16, steps=20, seed=530_025),
    "mixed-45-test": Recipe(copies=5, steps=40, seed=530_045),
    "known-25-test": Recipe(copies=12, steps=20, seed=530_099, known=True),
}


def generated_dataset(name: str, recipe: Recipe) -> Dataset:
    """Return a data set, the same on every machine as far as its cosines agree to nine digits.

    Arrays: ``points`` ``[B, N, D]`` in the unit cube, where coordinates from ``dimension`` ``[B]``
    on are 0; ``values`` ``[B, N]``, in units and from an origin that differ by instance; ``start``
    ``[B, S]``, indices of the first points; ``steps`` ``[B]``, evaluations after these.
    """
    random = Random(recipe.seed)
    functions = list(_known(recipe) if recipe.known else _random(recipe, random))
    widest = max(dimension for dimension, _ in functions)
    points = np.zeros((len(functions), POINTS, widest))
    values = np.empty(points.shape[:2])
    start = np.empty((len(functions), STARTS), dtype=np.int64)
    for at, (dimension, function) in enumerate(functions):
        points[at, :, :dimension] = lattice(POINTS, dimension, random)
        values[at] = _in_other_units(function(points[at, :, :dimension]), random)
        start[at] = random.choice(POINTS, STARTS, replace=False)
    arrays = {
        "points": points,
        "values": values,
        "dimension": np.array([dimension for dimension, _ in functions], dtype=np.int64),
        "start": start,
        "steps": np.full(len(functions), recipe.steps, dtype=np.int64),
    }
    kinds = ", ".join(KNOWN if recipe.known else KINDS)
    origin = (
        f"{len(functions)} functions ({kinds}) in {min(arrays['dimension'])} to {widest} dimensions, "
        f"each on {POINTS} points; NumPy RandomState({recipe.seed})"
    )
    return Dataset(name, arrays, None, origin)


def lattice(count: int, dimension: int, random: Random) -> Array:
    """Return ``count`` points of the R sequence (Roberts 2018), shifted at random, in random order.

    A Kronecker sequence: multiples of powers of 1/phi modulo 1, where phi^(d+1) = phi + 1.
    """
    phi = 2.0
    for _ in range(60):
        phi = (1 + phi) ** (1 / (dimension + 1))
    steps = np.arange(1, count + 1)[:, None] * phi ** -np.arange(1.0, dimension + 1)
    rows = (steps + random.uniform(size=dimension)) % 1
    return np.asarray(np.round(rows, 12)[random.permutation(count)])


def _random(recipe: Recipe, random: Random) -> Iterator[tuple[int, Function]]:
    for _ in range(recipe.copies):
        for kind in KINDS.values():
            for dimension in DIMENSIONS:
                yield dimension, kind(random, dimension)


def _known(recipe: Recipe) -> Iterator[tuple[int, Function]]:
    for _ in range(recipe.copies):
        yield from KNOWN.values()


def _in_other_units(values: Array, random: Random) -> Array:
    """Return the values with median - minimum = 1, in random units from a random origin.

    So neither the best value nor what is a good one can be told from the numbers.
    """
    least = values.min()
    scaled = (values - least) / (np.median(values) - least)
    return np.asarray(np.round(10 ** random.uniform(-1, 1) * (scaled + random.uniform(-3, 3)), 9))
