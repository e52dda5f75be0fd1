"""What can be told of a generated rule without knowing what it should mean."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..checker import check
from ..created.plans import random_plan
from ..instance import RoutingInstance
from ..plan import Plan
from .check import RuleAnswer, judge_plans
from .rule import GeneratedRule, plan_of_rows

if TYPE_CHECKING:
    from ....sandbox import Sandbox

_PARTIAL = frozenset({"visit", "groups", "prizes"})
"""Rules that a probe need not keep, for it may leave customers out."""
_RANDOM_PLANS = 12


def rule_fault(
    sandbox: "Sandbox",
    rule: GeneratedRule,
    instance: RoutingInstance,
    names: Iterable[str],
    *,
    seed: int = 0,
) -> str:
    """Return why a rule cannot be used, in one sentence; empty where nothing speaks against it.

    Its probes must keep every known rule; its checker must accept the one and reject the other, give
    a verdict on random plans of the instance, and the same verdict when asked again.

    Args:
        sandbox: an open sandbox.
        rule: the rule and its checker.
        instance: the user's.
        names: the rules of the vocabulary that hold.
        seed: of the random plans.
    """
    known = frozenset(names)
    probes = {"accepted": rule.accepted, "rejected": rule.rejected}
    for word, routes in probes.items():
        wrong = _probe_fault(instance, plan_of_rows(routes), known)
        if wrong:
            return f"the {word} plan is none for this rule: {wrong}"
    rng = np.random.default_rng(seed)
    chance = [
        random_plan(instance, known, rng, orderly=bool(number % 2))
        for number in range(_RANDOM_PLANS)
    ]
    plans = [*(plan_of_rows(routes) for routes in probes.values()), *chance]
    plans = [plan for plan in plans if plan.routes]
    answers = judge_plans(sandbox, rule.code, instance, [*plans, *reversed(plans)])
    return _answers_fault(answers[: len(plans)], answers[: len(plans) - 1 : -1])


def _answers_fault(first: list[RuleAnswer], again: list[RuleAnswer]) -> str:
    accepted, rejected = first[0], first[1]
    for answer in first:
        if answer.kept is None:
            return f"check gave no verdict on a plan: {answer.message}"
    if [one.kept for one in first] != [one.kept for one in again]:
        return "check gives one plan different verdicts: it must depend on its arguments only"
    if not accepted.kept:
        return f"check rejects the accepted plan, saying: {accepted.message or 'nothing'}"
    if rejected.kept:
        return "check accepts the rejected plan"
    if not rejected.message:
        return "check rejects a plan without saying which route or stop breaks the rule"
    return ""


def _probe_fault(instance: RoutingInstance, plan: Plan, known: frozenset[str]) -> str:
    if not plan.routes:
        return "it has no route"
    report = check(instance, plan, known - _PARTIAL)
    if report.violations:
        first = report.violations[0]
        return f"it breaks {first.constraint}: {first.message}"
    customers = set(instance.customers.tolist())
    counts = Counter(stop for route in plan.routes for stop in route.stops if stop in customers)
    twice = [row for row, count in counts.items() if count > 1]
    return f"it visits row {twice[0]} twice" if twice else ""
