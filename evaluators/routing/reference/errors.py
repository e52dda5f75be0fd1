"""Why there is no reference solution."""

import importlib
from typing import Any

from ..instance import RoutingError

SOLVERS = {"pyvrp": "PyVRP", "ortools": "OR-Tools"}  # package: name


class Unmodelled(RoutingError):
    """No reference solver models a rule: ``rule`` is its name, ``solver`` the one that was asked."""

    def __init__(self, rule: str, solver: str, reason: str) -> None:
        super().__init__(f"{solver} does not model {rule}: {reason}.")
        self.rule = rule
        self.solver = solver
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        """Pickle with the three arguments."""
        return Unmodelled, (self.rule, self.solver, self.reason)


class SolverMissing(RoutingError):
    """A reference solver is not installed."""


class SolverFailed(RoutingError):
    """A reference solver crashed."""


def load(module: str) -> Any:
    """Import a module of a reference solver.

    Raises:
        SolverMissing: its package is not installed, or is too old.
    """
    package = module.partition(".")[0]
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        name = SOLVERS[package]
        raise SolverMissing(f"{name} is not installed: pip install 'eurisko[routing]'.") from error
    if package == "pyvrp" and not hasattr(found, "Shipment") and module == "pyvrp":
        raise SolverMissing("PyVRP is older than 0.14: pip install 'eurisko[routing]'.")
    return found
