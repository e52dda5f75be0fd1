"""Plans of a reference solver: PyVRP, or OR-Tools for what PyVRP lacks.

Where neither has all rules, the problem is solved without those that are missing. The session checks
every plan against all rules, so such a plan counts only if it happens to keep them.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....evaluators.routing.constraints import VOCABULARY
from ....evaluators.routing.objectives import Objective
from .sources import Answer, Request

if TYPE_CHECKING:
    from ....evaluators.routing.reference import Reference, Unmodelled

_MOST_LEFT_OUT = 3
_NEVER_LEFT_OUT = frozenset({"visit", "depot", "closed", "open"})


@dataclass(frozen=True)
class _Model:
    """What a solver is asked to keep and to minimise, and what was left out for it."""

    names: frozenset[str]
    objective: Objective | None
    left_out: tuple[str, ...] = ()

    def without(self, error: "Unmodelled") -> "_Model | None":
        """Leave out what a solver lacks; None where that cannot be left out."""
        rule = error.rule
        if rule in self.names & VOCABULARY.keys() - _NEVER_LEFT_OUT:
            return _Model(self.names - {rule}, self.objective, (*self.left_out, rule))
        if rule not in VOCABULARY and self.objective is not None:
            return _Model(self.names, None, (*self.left_out, "the objective"))
        return None


class ReferenceSource:
    """Asks the first reference solver that models the problem, or the most of it."""

    name = "reference"

    def solve(self, request: Request) -> Answer:
        """Return its plan, or which rule it lacks."""
        from ....evaluators.routing.reference import SolverMissing, Unmodelled

        task = request.task
        model: _Model | None = _Model(task.names, task.objective)
        why = ""
        for _ in range(_MOST_LEFT_OUT + 1):
            if model is None:
                break
            try:
                return _answer(self._ask(request, model), model)
            except SolverMissing as error:
                return Answer("reference solver", why=str(error).rstrip("."))
            except Unmodelled as error:
                first = error.__cause__ if isinstance(error.__cause__, Unmodelled) else error
                why = why or str(error).rstrip(".")
                model = model.without(first)
                request.listener(f"{str(first).rstrip('.')}; trying without, the checker decides")
        return Answer("reference solver", why=why)

    def _ask(self, request: Request, model: _Model) -> "Reference":
        from ....evaluators.routing.reference import solve_reference

        request.listener(f"reference solver, up to {request.seconds:g} s")
        with warnings.catch_warnings():
            # PyVRP warns where it finds nothing feasible; the checker says so with the rule
            warnings.simplefilter("ignore")
            return solve_reference(
                request.task.instance,
                model.names,
                model.objective,
                seconds=request.seconds,
                seed=request.seed,
            )


def _answer(found: "Reference", model: _Model) -> Answer:
    left_out = ", ".join(model.left_out)
    solver = f"{found.solver} without {left_out}" if left_out else found.solver
    if found.plan is None:
        return Answer(solver, why=f"it found no plan in {found.seconds:.1f} s")
    if found.report is not None and not found.report.feasible:
        first = found.report.violations[0]
        why = f"it found no plan that keeps all rules in {found.seconds:.1f} s; its best breaks "
        return Answer(solver, why=f"{why}{first.constraint}: {first.message}")
    notes = found.notes
    if left_out:
        instead = "; its plan is one of low cost" if model.objective is None else ""
        notes = (f"no reference solver has {left_out}: solved without{instead}", *notes)
    return Answer(solver, found.plan, claimed=found.cost, seconds=found.seconds, notes=notes)


def reference_solvers(names: Iterable[str]) -> list[str]:
    """Return the reference solvers whose vocabulary has all the rules, the better one first."""
    from ....evaluators.routing.reference import models

    return models(names)
