"""Circle packing: 26 circles in a unit square, the sum of their radii as large as possible."""

from .packing import CirclePacking, problem

__all__ = ["CirclePacking", "problem"]
