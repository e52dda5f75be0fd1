"""Small travelling-salesman data sets for tests."""

from eurisko.evaluators import Dataset
from eurisko.evaluators.problems.tsp_construct.data import (
    euclidean,
    tsp_dataset,
    uniform_coordinates,
)


def small_uniform(instances: int, cities: int, seed: int = 1) -> Dataset:
    """Return uniform instances without references."""
    distances = euclidean(uniform_coordinates(instances, cities, seed))
    return tsp_dataset(f"small-{cities}", distances, None, "made for a test")
