"""Capacitated vehicle routing by an ant colony; the heuristic says how promising each edge is."""

from .ants import CvrpAco, problem

__all__ = ["CvrpAco", "problem"]
