"""Asks generated rules about plans: in the sandbox, and with times that our checker computed."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checker import check
from ..constraints import Violation
from ..instance import RoutingError, RoutingInstance
from ..plan import Plan
from ..trace import trace_plan
from .rule import GeneratedRule

if TYPE_CHECKING:
    from ....sandbox import Sandbox

_VERDICTS = {1: True, 0: False}
_MESSAGE_BYTES = 300
_MEMORY_MIB = 1024
_SECONDS = 10.0
_ARRAYS = (
    "kinds",
    "distances",
    "durations",
    "deliveries",
    "pickups",
    "windows",
    "service",
    "prizes",
)


@dataclass(frozen=True)
class RuleAnswer:
    """What a rule's checker said of one plan; ``kept`` is None where it gave no verdict."""

    kept: bool | None
    message: str


def judge_plans(
    sandbox: "Sandbox",
    code: str,
    instance: RoutingInstance,
    plans: Sequence[Plan],
    *,
    seconds: float = _SECONDS,
) -> list[RuleAnswer]:
    """Return what a rule's checker says of each plan.

    Args:
        sandbox: an open sandbox.
        code: the checker's text.
        instance: the data of all the plans.
        plans: at least one; all their nodes and vehicles exist, all routes have stops.
        seconds: CPU seconds for all plans together.

    Raises:
        RoutingError: a plan has no route, or names what does not exist.
    """
    from ....sandbox import ArraySpec, Limits, Program

    for plan in plans:
        report = check(instance, plan, ())
        if report.trace is None:
            raise RoutingError(f"the plan makes no sense: {report.violations[0].message}.")
        if not plan.routes:
            raise RoutingError("the plan has no route.")
    expects = {
        "verdicts": ArraySpec("<i8", (len(plans),)),
        "messages": ArraySpec("|u1", (len(plans), _MESSAGE_BYTES)),
    }
    limits = Limits(cpu_s=seconds, wall_s=2 * seconds, memory_mib=_MEMORY_MIB)
    program = Program(code, "check", _driver())
    outcome = sandbox.run(program, _encoded(instance, plans), expects, limits, seed=0)
    if not outcome.ok:
        from ..created.harness import outcome_sentence

        return [RuleAnswer(None, outcome_sentence(outcome))] * len(plans)
    return [
        RuleAnswer(
            _VERDICTS.get(int(verdict)), bytes(raw).rstrip(b"\0").decode("utf-8", "replace").strip()
        )
        for verdict, raw in zip(outcome.arrays["verdicts"], outcome.arrays["messages"], strict=True)
    ]


def check_rules(
    sandbox: "Sandbox", rules: Iterable[GeneratedRule], instance: RoutingInstance, plan: Plan
) -> dict[str, RuleAnswer]:
    """Return what each rule says of a plan, by its label.

    Raises:
        RoutingError: the plan has no route, or names what does not exist.
    """
    return {rule.label: judge_plans(sandbox, rule.code, instance, [plan])[0] for rule in rules}


def rule_violations(answers: dict[str, RuleAnswer]) -> tuple[Violation, ...]:
    """Return the rules that are broken, or of which nobody knows: no verdict is no permission."""
    return tuple(
        Violation(label, answer.message or "no reason given")
        if answer.kept is not None
        else Violation(label, f"the generated checker gave no verdict: {answer.message}")
        for label, answer in answers.items()
        if not answer.kept
    )


@cache
def _driver() -> str:
    return files(__package__).joinpath("driver.py").read_text(encoding="utf-8")


def _encoded(instance: RoutingInstance, plans: Sequence[Plan]) -> dict[str, np.ndarray]:
    """Return the arrays that the driver reads."""
    routes = [route for plan in plans for route in plan.routes]
    names = json.dumps(list(instance.node_ids)).encode()
    inputs: dict[str, Any] = {f"instance.{key}": getattr(instance, key) for key in _ARRAYS}
    if instance.coordinates is not None:
        inputs["instance.coordinates"] = instance.coordinates
    inputs |= {
        "node_ids": np.frombuffer(names, dtype=np.uint8),
        "routes_of": np.array([len(plan.routes) for plan in plans], dtype=np.int64),
        "lengths": np.array([len(route.stops) for route in routes], dtype=np.int64),
        "vehicles": np.array([route.vehicle for route in routes], dtype=np.int64),
        "stops": np.array([stop for route in routes for stop in route.stops], dtype=np.int64),
    }
    traces = [trace_plan(instance, plan) for plan in plans]
    for key in ("arrival", "start", "departure"):
        parts = [getattr(trace, key)[trace.mask] for trace in traces]
        inputs[key] = np.concatenate(parts).astype(np.float64)
    return {key: np.ascontiguousarray(value) for key, value in inputs.items()}
