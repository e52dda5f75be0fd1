"""Solves with OR-Tools."""

from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan
from .budget import Budget


def solve_ortools(
    instance: RoutingInstance, names: frozenset[str], objective: Objective, budget: Budget
) -> tuple[list[Plan], tuple[str, ...]]:
    """Return plans to be verified, and notes about the model."""
    raise NotImplementedError
