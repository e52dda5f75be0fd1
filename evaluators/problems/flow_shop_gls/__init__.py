"""Permutation flow shop by guided local search; the heuristic perturbs times and chooses jobs."""

from .guided import FlowShopGls, problem

__all__ = ["FlowShopGls", "problem"]
