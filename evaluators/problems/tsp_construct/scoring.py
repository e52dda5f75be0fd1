"""Trusted checks and lengths of tours; runs outside the sandbox, on the data set's own arrays."""

import numpy as np

from ...problem import Array, Infeasible


def check_tours(tours: Array, instances: int, cities: int) -> None:
    """Check that each row is a permutation of all cities that starts with city 0.

    Args:
        tours: integers ``[instances, cities]``.
        instances: number of instances.
        cities: number of cities of each instance.

    Raises:
        Infeasible: names the first instance and its first offending city.
        ValueError: shape or type is wrong (the sandbox checks them first).
    """
    if tours.shape != (instances, cities) or tours.dtype.kind != "i":
        raise ValueError(f"tours {tours.dtype}{list(tours.shape)}, wanted [{instances}, {cities}]")
    legal = (np.sort(tours, axis=1) == np.arange(cities)).all(axis=1) & (tours[:, 0] == 0)
    if not legal.all():
        instance = int(np.argmin(legal))
        raise Infeasible(instance, _complaint(tours[instance], cities))


def tour_lengths(distances: Array, tours: Array) -> Array:
    """Return the lengths ``[instances]`` of closed tours ``[instances, cities]`` in float64.

    Args:
        distances: ``[instances, cities, cities]``.
        tours: permutations of the cities, one per instance.
    """
    instance = np.arange(len(tours))[:, None]
    edges = distances[instance, tours, np.roll(tours, -1, axis=1)]
    lengths: Array = edges.sum(axis=1, dtype=np.float64)
    return lengths


def _complaint(tour: Array, cities: int) -> str:
    outside = tour[(tour < 0) | (tour >= cities)]
    if outside.size:
        return f"city {outside[0]} does not exist, cities are 0 to {cities - 1}"
    visits = np.bincount(tour, minlength=cities)
    if visits.max() > 1:
        city = int(visits.argmax())
        return f"city {city} is visited {visits[city]} times, city {visits.argmin()} never"
    return f"the tour starts at city {tour[0]}, wanted city 0"
