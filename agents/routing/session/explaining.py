"""Why there is no solution: what the analysis finds, and which rule blocks which customers."""

from dataclasses import dataclass

from ....evaluators.routing.analysis import Analysis, Finding, Severity
from ..changes import RoutingTask


@dataclass(frozen=True)
class Why:
    """What stands against a solution; all empty where nothing was found."""

    errors: tuple[Finding, ...] = ()


def explain_task(task: RoutingTask, analysis: Analysis, seconds: float) -> Why:
    """Return what stands against a solution of a problem."""
    errors = tuple(one for one in analysis.findings if one.severity is Severity.ERROR)
    return Why(errors)
