"""Capacitated vehicle routing, routes built step by step; the heuristic chooses the next stop."""

from .construct import CvrpConstruct, problem

__all__ = ["CvrpConstruct", "problem"]
