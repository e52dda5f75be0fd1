"""Travelling salesman problem by guided local search; the heuristic gives the guide matrix."""

from .guided import TspGls, problem

__all__ = ["TspGls", "problem"]
