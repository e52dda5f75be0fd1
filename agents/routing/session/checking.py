"""Whether a plan keeps all rules of a problem, in one sentence."""

from ....evaluators.routing import Plan
from ....evaluators.routing.checker import check
from ..changes import RoutingTask


def broken(plan: Plan, task: RoutingTask) -> str:
    """Return the first rule that a plan breaks, or nothing."""
    report = check(task.instance, plan, task.names, task.objective)
    if report.feasible:
        return ""
    first = report.violations[0]
    return f"the checker rejects its plan: {first.constraint}: {first.message}"
