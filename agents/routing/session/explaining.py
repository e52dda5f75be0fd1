"""Why there is no solution: what the analysis finds, which rule blocks whom, and what would help."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....evaluators.routing.analysis import Analysis, Finding, Severity
from ..changes import Change, RoutingTask
from .relaxing import changes_of

if TYPE_CHECKING:
    from ....evaluators.routing.explain import Explanation


@dataclass(frozen=True)
class Way:
    """One change that makes a plan possible; ``cost`` is of the plan that shows it.

    ``changes`` are empty where no typed change says it: then the rule or the file must be changed
    in other words.
    """

    text: str
    cost: float
    changes: tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class Why:
    """What stands against a solution.

    ``explanation`` is None where no reference solver is installed; ``note`` says so.
    """

    errors: tuple[Finding, ...] = ()
    explanation: "Explanation | None" = None
    ways: tuple[Way, ...] = ()
    note: str = ""


def explain_task(task: RoutingTask, analysis: Analysis, seconds: float, seed: int = 0) -> Why:
    """Return what stands against a solution of a problem.

    Args:
        task: the problem as it stands.
        analysis: of it.
        seconds: limit of the search for blocks and ways out.
        seed: of the reference solver.
    """
    from ....evaluators.routing.explain import explain
    from ....evaluators.routing.reference import SolverMissing

    errors = tuple(one for one in analysis.findings if one.severity is Severity.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyVRP warns of what is just being explained
            found = explain(task.instance, task.names, seconds=seconds, seed=seed)
    except SolverMissing as error:
        return Why(errors, note=str(error))
    ways = tuple(
        Way(one.change, one.report.cost, changes_of(one, task)) for one in found.relaxations
    )
    return Why(errors, found, ways)
