"""Data sets of cvrp_aco: the instances of cvrp_construct, with the coordinates shown."""

import numpy as np

from ...problem import Dataset
from ..cvrp_construct.data import UNIFORM, Uniform, draw_instances, recipe_of, uniform_dataset

__all__ = ["UNIFORM", "coordinate_dataset", "recipe_of"]


def coordinate_dataset(name: str, recipe: Uniform) -> Dataset:
    """Return the data set of cvrp_construct with ``coordinates`` ``[B, N, 2]``.

    Distances, demands, capacities and references are the same; splits and names are, too.
    """
    drawn = uniform_dataset(name, recipe)
    coordinates = np.stack([points for points, _ in draw_instances(recipe)])
    arrays = {**drawn.arrays, "coordinates": coordinates}
    return Dataset(name, arrays, drawn.reference, drawn.origin)
