"""Bayesian optimisation of unknown functions; the heuristic is its acquisition function."""

from .loops import Acquisition, problem

__all__ = ["Acquisition", "problem"]
