"""Solves an instance with the first solver that models it, and verifies what it returns."""

import math
import time
from collections.abc import Callable, Iterable

from ..checker import Report, check
from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan
from . import ortools_rules, pyvrp_rules
from .budget import Budget
from .errors import SOLVERS, Unmodelled
from .ortools_solve import solve_ortools
from .pyvrp_solve import solve_pyvrp
from .result import Reference

Refuse = Callable[[RoutingInstance, frozenset[str], Objective], None]
Solve = Callable[
    [RoutingInstance, frozenset[str], Objective, Budget], tuple[list[Plan], tuple[str, ...]]
]
_SOLVERS: dict[str, tuple[Refuse, Solve]] = {
    "pyvrp": (pyvrp_rules.refuse, solve_pyvrp),
    "ortools": (ortools_rules.refuse, solve_ortools),
}
_RULES = {"pyvrp": pyvrp_rules.MODELLED, "ortools": ortools_rules.MODELLED}


def models(names: Iterable[str]) -> list[str]:
    """Return the solvers whose vocabulary has all the rules, the better one first.

    An instance's data may still keep one from modelling it; ``solve_reference`` tells.
    """
    wanted = frozenset(names)
    return [SOLVERS[package] for package, known in _RULES.items() if wanted <= known]


def default_objective(names: Iterable[str]) -> Objective:
    """Return cost, and prizes left behind with it where customers are optional."""
    level = (("cost", 1.0),)
    return Objective(((*level, ("uncollected_prizes", 1.0)),) if "prizes" in names else (level,))


def solve_reference(
    instance: RoutingInstance,
    names: Iterable[str],
    objective: Objective | None = None,
    *,
    seconds: float = 5.0,
    seed: int = 0,
    iterations: int | None = None,
    first: bool = False,
) -> Reference:
    """Solve with PyVRP, or with OR-Tools what PyVRP lacks; the checker judges the result.

    Args:
        instance: the data.
        names: rules of the vocabulary.
        objective: by default ``default_objective``.
        seconds: time for the solver's search.
        seed: of the solver's random numbers.
        iterations: also stop after so many (PyVRP) or so many solutions (OR-Tools); runs that stop
            by it repeat exactly.
        first: stop at the first feasible plan.

    Raises:
        Unmodelled: no solver models the rules; names the rule that the last one lacks.
        SolverMissing: the solver that models them is not installed.
    """
    rules = frozenset(names)
    goal = objective or default_objective(rules)
    package, passed = _choose(instance, rules, goal)
    budget = Budget(seconds, seed, iterations, first)
    begun = time.perf_counter()
    plans, notes = _SOLVERS[package][1](instance, rules, goal, budget)
    spent = time.perf_counter() - begun
    plan, report = _best(instance, rules, goal, plans)
    return Reference(plan, report, SOLVERS[package], spent, (*passed, *notes))


def _choose(
    instance: RoutingInstance, names: frozenset[str], objective: Objective
) -> tuple[str, tuple[str, ...]]:
    """Return the first solver that models it, and why those before it do not."""
    refusals: list[Unmodelled] = []
    for package, (refuse, _) in _SOLVERS.items():
        try:
            refuse(instance, names, objective)
        except Unmodelled as error:
            refusals.append(error)
        else:
            return package, tuple(str(error) for error in refusals)
    raise refusals[-1] from refusals[0]


def _best(
    instance: RoutingInstance, names: frozenset[str], objective: Objective, plans: list[Plan]
) -> tuple[Plan | None, Report | None]:
    """Return the best plan that keeps all rules; failing that the one that breaks fewest."""
    judged = [(plan, check(instance, plan, names, objective)) for plan in plans]
    if not judged:
        return None, None

    def key(pair: tuple[Plan, Report]) -> tuple[float, ...]:
        report = pair[1]
        return (float(len(report.violations)), *(report.values or (math.inf,)))

    return min(judged, key=key)
