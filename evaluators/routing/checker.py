"""The independent checker: is a plan feasible, what does it cost, where does it break a rule.

Everything is recomputed from the routes and the instance; nothing that a solver says is believed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from .constraints import VOCABULARY, Context, Verdict, Violation
from .instance import RoutingError, RoutingInstance
from .objectives import Objective
from .plan import Plan
from .trace import Trace, trace_plan


@dataclass(frozen=True, eq=False)
class Report:
    """What the checker found.

    ``verdicts`` by constraint in the vocabulary's order; ``values`` by level of the objective;
    both are empty, and ``trace`` is None, where the plan names nodes or vehicles that do not exist.
    """

    verdicts: dict[str, Verdict]
    violations: tuple[Violation, ...]
    values: tuple[float, ...]
    trace: Trace | None

    @property
    def feasible(self) -> bool:
        """Whether every constraint is kept."""
        return not self.violations

    @property
    def broken(self) -> frozenset[str]:
        """Names of the constraints that are broken."""
        return frozenset(violation.constraint for violation in self.violations)

    @property
    def cost(self) -> float:
        """Value of the first level of the objective, infinite for a plan that has none."""
        return self.values[0] if self.values else float("inf")


def check(
    instance: RoutingInstance,
    plan: Plan,
    constraints: Iterable[str],
    objective: Objective | None = None,
) -> Report:
    """Check a plan against named constraints.

    Args:
        instance: the data.
        plan: the routes.
        constraints: names of ``VOCABULARY``.
        objective: by default the cost.

    Raises:
        RoutingError: a constraint's name is not in the vocabulary.
    """
    names = frozenset(constraints)
    unknown = sorted(names - VOCABULARY.keys())
    if unknown:
        known = ", ".join(VOCABULARY)
        raise RoutingError(f"constraint {unknown[0]!r} is not known; known are {known}.")
    broken = _nonsense(instance, plan)
    if broken is not None:
        return Report({}, (broken,), (), None)
    trace = trace_plan(instance, plan)
    context = Context(instance, trace, names)
    verdicts = {name: rule.check(context) for name, rule in VOCABULARY.items() if name in names}
    violations = tuple(v.violation for v in verdicts.values() if v.violation is not None)
    values = (objective or Objective()).values(instance, trace)
    return Report(verdicts, violations, values, trace)


def _nonsense(instance: RoutingInstance, plan: Plan) -> Violation | None:
    """Return the violation of a plan whose numbers mean nothing, before anything is computed."""
    for index, route in enumerate(plan.routes):
        if not 0 <= route.vehicle < instance.fleet.types:
            message = f"route {index + 1} has vehicle type {route.vehicle}, which does not exist"
            return Violation("fleet", message, index)
        if not route.stops:
            return Violation("depot", f"route {index + 1} has no stop", index)
        for position, node in enumerate(route.stops):
            if not 0 <= node < instance.size:
                message = f"route {index + 1} visits node {node}, which does not exist"
                return Violation("visit", message, index, position)
    return None
