"""Permutation flow shop: the heuristic ranks the jobs that NEH inserts one after the other."""

from .shop import FlowShop, problem

__all__ = ["FlowShop", "problem"]
