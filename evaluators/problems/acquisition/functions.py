"""Seeded random functions on the unit cube of several kinds, and known test functions.

Every function maps points ``[N, d]`` to values ``[N]``, small being good.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from ...problem import Array

Random = np.random.RandomState
Function = Callable[[Array], Array]

WAVES = 256
"""Cosines of a Gaussian-process sample."""


def sample_path(random: Random, dimension: int) -> Function:
    """Return a sample of a Gaussian process with a Matérn-5/2 kernel, in random Fourier features.

    Rahimi and Recht (2007); frequencies of the kernel are t-distributed with 5 degrees of freedom.
    Length scales are 0.15 to 0.6 times the square root of the dimension, and vary by axis.
    """
    length = (
        random.uniform(0.15, 0.6)
        * math.sqrt(dimension)
        * np.exp(random.uniform(-0.5, 0.5, dimension))
    )
    normal = random.standard_normal((WAVES, dimension))
    frequency = normal / np.sqrt(random.chisquare(5, (WAVES, 1)) / 5) / length
    phase, weight = random.uniform(0, 2 * np.pi, WAVES), random.standard_normal(WAVES)
    return lambda points: np.cos(points @ frequency.T + phase) @ weight


def valley(random: Random, dimension: int) -> Function:
    """Return the logarithm of a curved, narrow valley around a random point, turned at random."""
    centre = random.uniform(0.1, 0.9, dimension)
    turn, _ = np.linalg.qr(random.standard_normal((dimension, dimension)))
    narrow, bend = 10 ** random.uniform(1, 2), random.uniform(-1, 1)

    def value(points: Array) -> Array:
        along, *across = ((points - centre) @ turn).T
        squares = along**2 + sum(narrow * (one - bend * along**2) ** 2 for one in across)
        return np.asarray(np.log(0.01 + squares))

    return value


def ripples(random: Random, dimension: int) -> Function:
    """Return a bowl with many local minima: a quadratic and cosines along random axes."""
    centre = random.uniform(0.1, 0.9, dimension)
    turn, _ = np.linalg.qr(random.standard_normal((dimension, dimension)))
    waves, height = random.uniform(1.5, 4), random.uniform(0.03, 0.15)

    def value(points: Array) -> Array:
        steps = (points - centre) @ turn
        return np.asarray((steps**2 + height * (1 - np.cos(2 * np.pi * waves * steps))).sum(axis=1))

    return value


def cliff(random: Random, dimension: int) -> Function:
    """Return a wall that rises exponentially to one side, with a narrow basin somewhere."""
    centre = random.uniform(0.1, 0.9, dimension)
    side = random.standard_normal(dimension)
    side /= np.linalg.norm(side)
    rise, width = random.uniform(2, 6), random.uniform(0.1, 0.25) * math.sqrt(dimension)

    def value(points: Array) -> Array:
        steps = points - centre
        basin = np.exp(-(steps**2).sum(axis=1) / (2 * width**2))
        return np.asarray(0.2 * np.exp(rise * (steps @ side)) - basin)

    return value


def basins(random: Random, dimension: int) -> Function:
    """Return a plain with a few round basins of different depths and widths, the deepest narrow."""
    centres = random.uniform(0.05, 0.95, (5, dimension))
    widths = random.uniform(0.15, 0.4, 5) * math.sqrt(dimension)
    depths = random.uniform(0.3, 0.8, 5)
    depths[0], widths[0] = 1.0, random.uniform(0.12, 0.25) * math.sqrt(dimension)

    def value(points: Array) -> Array:
        squares = ((points[:, None] - centres) ** 2).sum(axis=2)
        return np.asarray(-np.exp(-squares / (2 * widths**2)) @ depths)

    return value


KINDS: Mapping[str, Callable[[Random, int], Function]] = {
    "sample path": sample_path,
    "valley": valley,
    "ripples": ripples,
    "cliff": cliff,
    "basins": basins,
}


def branin(points: Array) -> Array:
    """Branin on [-5, 10] x [0, 15], scaled to the unit square."""
    x, y = 15 * points[:, 0] - 5, 15 * points[:, 1]
    bend = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return np.asarray(bend**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10)


def six_hump_camel(points: Array) -> Array:
    """Six-hump camel on [-3, 3] x [-2, 2], scaled to the unit square."""
    x, y = 6 * points[:, 0] - 3, 4 * points[:, 1] - 2
    return np.asarray((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2)


def hartmann_3(points: Array) -> Array:
    """Hartmann in 3 dimensions, on the unit cube."""
    weights = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
    centres = 1e-4 * np.array(
        [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
    )
    squares = (weights * (points[:, None] - centres) ** 2).sum(axis=2)
    return np.asarray(-np.exp(-squares) @ np.array([1.0, 1.2, 3.0, 3.2]))


def levy_4(points: Array) -> Array:
    """Levy in 4 dimensions on [-10, 10]^4, scaled to the unit cube."""
    w = 1 + (20 * points - 11) / 4
    inner = (w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2)
    return np.asarray(np.sin(np.pi * w[:, 0]) ** 2 + inner.sum(axis=1) + last)


KNOWN: Mapping[str, tuple[int, Function]] = {
    "branin": (2, branin),
    "six-hump camel": (2, six_hump_camel),
    "hartmann-3": (3, hartmann_3),
    "levy-4": (4, levy_4),
}
"""Dimension and function by name."""
