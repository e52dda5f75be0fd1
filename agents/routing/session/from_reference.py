"""Plans of a reference solver: PyVRP, or OR-Tools for what PyVRP lacks."""

import warnings
from collections.abc import Iterable

from .sources import Answer, Request


class ReferenceSource:
    """Asks the first reference solver that models the problem."""

    name = "reference"

    def solve(self, request: Request) -> Answer:
        """Return its plan, or which rule it lacks."""
        from ....evaluators.routing.reference import SolverMissing, Unmodelled, solve_reference

        task = request.task
        known = reference_solvers(task.names)
        request.listener(f"{known[0] if known else 'reference'}, up to {request.seconds:g} s")
        try:
            with warnings.catch_warnings():
                # PyVRP warns where it finds nothing feasible; the checker says so with the rule
                warnings.simplefilter("ignore")
                found = solve_reference(
                    task.instance,
                    task.names,
                    task.objective,
                    seconds=request.seconds,
                    seed=request.seed,
                )
        except (Unmodelled, SolverMissing) as error:
            return Answer("reference solver", why=str(error).rstrip("."))
        if found.plan is None:
            return Answer(found.solver, why=f"it found no plan in {found.seconds:.1f} s")
        if found.report is not None and not found.report.feasible:
            first = found.report.violations[0]
            best = f"its best breaks {first.constraint}: {first.message}"
            return Answer(
                found.solver,
                why=f"it found no plan that keeps all rules in {found.seconds:.1f} s; {best}",
            )
        return Answer(
            found.solver,
            found.plan,
            claimed=found.cost,
            seconds=found.seconds,
            notes=found.notes,
        )


def reference_solvers(names: Iterable[str]) -> list[str]:
    """Return the reference solvers whose vocabulary has all the rules, the better one first."""
    from ....evaluators.routing.reference import models

    return models(names)
