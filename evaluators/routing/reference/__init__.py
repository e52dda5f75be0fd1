"""Reference solutions by PyVRP and OR-Tools, always verified by the independent checker."""

from .errors import SolverFailed, SolverMissing, Unmodelled
from .result import Reference
from .solve import default_objective, models, solve_reference

__all__ = [
    "Reference",
    "SolverFailed",
    "SolverMissing",
    "Unmodelled",
    "default_objective",
    "models",
    "solve_reference",
]
