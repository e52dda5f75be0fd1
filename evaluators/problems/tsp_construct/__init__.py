"""Travelling salesman problem, tour built step by step; the heuristic chooses the next city."""

from .construct import TspConstruct, problem

__all__ = ["TspConstruct", "problem"]
