"""Solves an instance with the solvers that model it, and verifies what they return."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..checker import Report, check
from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan
from . import ortools_rules, pyvrp_rules
from .budget import Budget
from .errors import SOLVERS, SolverFailed, SolverMissing, Unmodelled
from .pyvrp_solve import solve_pyvrp
from .result import Reference
from .worker import ask_ortools

Refuse = Callable[[RoutingInstance, frozenset[str], Objective], None]
Solve = Callable[
    [RoutingInstance, frozenset[str], Objective, Budget], tuple[list[Plan], tuple[str, ...]]
]
_SOLVERS: dict[str, tuple[Refuse, Solve]] = {
    "pyvrp": (pyvrp_rules.refuse, solve_pyvrp),
    "ortools": (ortools_rules.refuse, ask_ortools),
}
_SMALL = 20  # customers
_STARTS = 3
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
    packages, notes = _packages(instance, rules, goal)
    begun = time.perf_counter()
    tried: list[tuple[str, Plan, Report]] = []
    for package, budget in _attempts(instance, packages, Budget(seconds, seed, iterations, first)):
        try:
            plans, said = _SOLVERS[package][1](instance, rules, goal, budget)
        except (SolverMissing, SolverFailed) as error:
            if not tried:
                raise
            plans, said = [], (f"no second opinion: {error}",)
        notes += [note for note in said if note not in notes]
        tried += [(package, plan, check(instance, plan, rules, goal)) for plan in plans]
        if first and any(report.feasible for _, _, report in tried):
            break
    spent = time.perf_counter() - begun
    if not tried:
        return Reference(None, None, SOLVERS[packages[0]], spent, tuple(notes))
    package, plan, report = min(tried, key=_rank)
    return Reference(plan, report, SOLVERS[package], spent, tuple(notes))


def _packages(
    instance: RoutingInstance, names: frozenset[str], objective: Objective
) -> tuple[list[str], list[str]]:
    """Return the solvers that model it, the better one first, and why the best one does not."""
    refusals: list[Unmodelled] = []
    packages = []
    for package, (refuse, _) in _SOLVERS.items():
        try:
            refuse(instance, names, objective)
        except Unmodelled as error:
            refusals.append(error)
        else:
            packages.append(package)
    if not packages:
        raise refusals[-1] from refusals[0]
    return packages, [str(error) for error in refusals if packages[0] != "pyvrp"]


def _attempts(
    instance: RoutingInstance, packages: list[str], budget: Budget
) -> list[tuple[str, Budget]]:
    """Return who works how long.

    PyVRP's search gets stuck on very small instances, and where it moves pairs, so that there it
    starts from several seeds, and OR-Tools has half of the time where it models the rules.
    """
    small = len(instance.customers) <= _SMALL
    paired = len(instance.pairs) > 0
    second = len(packages) > 1 and (paired or (small and not budget.first))
    main = budget.part(2) if second else budget
    if packages[0] != "pyvrp":
        return [(packages[0], budget)]
    starts = _STARTS if small else 1
    attempts = [
        (packages[0], replace(main.part(starts), seed=budget.seed + number))
        for number in range(starts)
    ]
    return attempts + ([(packages[1], main)] if second else [])


def _rank(tried: tuple[str, Plan, Report]) -> tuple[float, ...]:
    """Prefer plans that keep all rules, then those that break fewest, then the objective."""
    report = tried[2]
    return (float(len(report.violations)), *(report.values or (math.inf,)))
