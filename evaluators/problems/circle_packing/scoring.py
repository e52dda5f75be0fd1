"""Trusted, exact checks of packings; runs outside the sandbox.

Coordinates are floating-point numbers, and each of those is a fraction. Sums and squares of
fractions are exact, so the tolerance is really zero: nothing is rounded before it is compared.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np

from ...problem import Array, Infeasible


def sum_of_radii(centres: Array, radii: Array, instance: int = 0) -> float:
    """Check one packing and return the sum of its radii, rounded once.

    Args:
        centres: ``[n, 2]`` float64.
        radii: ``[n]`` float64.
        instance: index for messages.

    Raises:
        Infeasible: a value is not finite, a radius negative, a circle outside of the unit square,
            or two circles overlap; names the first one.
    """
    if not (np.isfinite(centres).all() and np.isfinite(radii).all()):
        raise Infeasible(instance, "a coordinate or radius is not finite")
    points = [(Fraction(x), Fraction(y)) for x, y in centres.tolist()]
    sizes = [Fraction(radius) for radius in radii.tolist()]
    for number, ((x, y), radius) in enumerate(zip(points, sizes, strict=True)):
        if radius < 0:
            raise Infeasible(instance, f"circle {number} has the radius {float(radius):g}")
        out = max(radius - x, x + radius - 1, radius - y, y + radius - 1)
        if out > 0:
            raise Infeasible(
                instance, f"circle {number} sticks out of the unit square by {float(out):.3g}"
            )
    for one, two in combinations(range(len(sizes)), 2):
        across = points[one][0] - points[two][0]
        up = points[one][1] - points[two][1]
        reach = sizes[one] + sizes[two]
        if across * across + up * up < reach * reach:
            apart = float(across * across + up * up) ** 0.5
            raise Infeasible(
                instance, f"circles {one} and {two} overlap by {float(reach) - apart:.3g}"
            )
    return float(sum(sizes, Fraction(0)))
