"""Rules outside the vocabulary in a creation: described like the others, checked by generated code."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....evaluators.routing import Plan, Route
from ....evaluators.routing.checker import check
from ....evaluators.routing.created import validate_answers
from ....evaluators.routing.generated import (
    GeneratedRule,
    check_rules,
    judge_plans,
    rule_violations,
)
from ....evaluators.routing.generated.probes import completed
from ..description import Description, Rule
from .verifying import Verified, Verifier

if TYPE_CHECKING:
    from ....sandbox import Sandbox
    from .task import Task


def with_rules(given: Description, rules: Sequence[GeneratedRule]) -> Description:
    """Return the description with generated rules behind those of the vocabulary."""
    added = tuple(
        Rule(
            name=rule.label,
            explanation=rule.meaning,
            evidence=f"the user said: {rule.request}; checked by a generated checker",
        )
        for rule in rules
    )
    return given.model_copy(update={"constraints": (*given.constraints, *added)})


class RuledVerifier:
    """The checks of another verifier, and generated rules on the plan and on ``validate``.

    Args:
        verifier: knows the vocabulary.
        sandbox: an open one.
        task: with generated rules.
    """

    def __init__(self, verifier: Verifier, sandbox: "Sandbox", task: "Task") -> None:
        self._verifier, self._sandbox, self._task = verifier, sandbox, task

    def verify(self, code: str) -> Verified:
        """Run a program and check it against all rules."""
        found = self._verifier.verify(code)
        failures, names, unprobed = list(found.failures), list(found.names), list(found.unprobed)
        feasible = found.feasible
        if found.routes is not None and found.feasible:
            broken = rule_violations(
                check_rules(
                    self._sandbox, self._task.rules, self._task.reading.instance, _plan(found)
                )
            )
            names += [f"feasible:{rule.label}" for rule in self._task.rules]
            failures += [
                f"feasible: its plan on your instance breaks {one.constraint}: {one.message}"
                for one in broken
            ]
            feasible = not broken
        for rule in self._task.rules:
            said = self._validate(code, rule)
            if said is None:
                unprobed.append(rule.label)
                continue
            names.append(f"validate:{rule.label}")
            failures += [said] if said else []
        return replace(
            found,
            passed=found.passed and not failures,
            checks=found.checks + len(names) - len(found.names),
            failures=tuple(failures),
            feasible=feasible,
            names=tuple(names),
            unprobed=tuple(unprobed),
        )

    def _validate(self, code: str, rule: GeneratedRule) -> str | None:
        """Return what is wrong with ``validate``; None where the rule's probes cannot be made whole."""
        task, label = self._task, f"validate:{rule.label}"
        instance, names = task.reading.instance, task.analysis.names
        plans = [completed(instance, names, one) for one in (rule.accepted, rule.rejected)]
        if any(not check(instance, plan, names).feasible for plan in plans):
            return None
        wanted = [one.kept for one in judge_plans(self._sandbox, rule.code, instance, plans)]
        if wanted != [True, False]:
            return None
        _, answers = validate_answers(
            self._sandbox,
            code,
            [(task.text, plan) for plan in plans],
            several_types=instance.fleet.types > 1,
        )
        accepted, rejected = answers
        routes = [[list(route.stops) for route in plan.routes] for plan in plans]
        if not accepted.kept:
            said = accepted.message or "nothing"
            return f"{label}: validate does not accept the right plan {routes[0]}, saying: {said}"
        if rejected.kept is None:
            return f"{label}: validate gives no verdict on {routes[1]}: {rejected.message}"
        if rejected.kept:
            return f"{label}: validate accepts {routes[1]}, which breaks the rule: {rule.meaning}"
        return ""


def _plan(found: Verified) -> Plan:
    routes = found.routes or ()
    vehicles = found.vehicles or (0,) * len(routes)
    return Plan(tuple(Route(stops, kind) for stops, kind in zip(routes, vehicles, strict=True)))
