"""Runs created solvers in the sandbox: text in, decisions out; nothing else is taken from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ..instance import RoutingInstance
from ..plan import Plan, Route
from .contract import route_bound, stop_bound

if TYPE_CHECKING:
    from ....sandbox import Outcome, Sandbox

MEMORY_MIB = 2048
_VERDICTS = {1: True, 0: False}
_MESSAGE_BYTES = 300


@dataclass(frozen=True)
class SolverRun:
    """One run of a created solver.

    ``plan`` and ``claimed`` are None unless the outcome is ok; ``seconds`` on the clock, measured by
    the parent.
    """

    outcome: "Outcome"
    plan: Plan | None
    claimed: float | None
    seconds: float

    @property
    def reason(self) -> str:
        """How a run that is not ok ended, in one sentence; empty for one that is."""
        return "" if self.outcome.ok else outcome_sentence(self.outcome)


@dataclass(frozen=True)
class Answer:
    """What ``validate`` said of one plan; ``kept`` is None where it gave no verdict."""

    kept: bool | None
    message: str


def outcome_sentence(outcome: "Outcome") -> str:
    """Return how a run ended, in one sentence that a model can act on."""
    place = f" in line {outcome.line}" if outcome.line else ""
    name = f"{outcome.error_type}: " if outcome.error_type else ""
    said = f"{name}{outcome.message}".strip().rstrip(".") or "no message"
    kinds = {
        "policy_violation": f"the program is not allowed to do this{place}: {said}",
        "syntax_error": f"the program cannot be parsed{place}: {said}",
        "candidate_error": f"the program raised an error{place}: {said}",
        "timeout": f"the program did not stop in time: {said}",
        "memory": f"the program used too much memory{place}: {said}",
        "forbidden_syscall": f"the program tried what the sandbox forbids: {said}",
        "crash": f"the program ended without a result: {said}",
        "bad_result": f"the result has the wrong form: {said}",
        "infeasible": f"the result breaks a rule: {said}",
        "sandbox_failure": f"the sandbox failed, which is not the program's fault: {said}",
    }
    return kinds.get(outcome.kind.value, said) + "."


def slack_seconds(seconds: float) -> float:
    """Return how much later than asked a program may stop before it is ended."""
    return 2.0 + 0.25 * seconds


def run_created(
    sandbox: "Sandbox",
    code: str,
    text: str,
    instance: RoutingInstance,
    *,
    seconds: float,
    seed: int,
    memory_mib: int = MEMORY_MIB,
) -> SolverRun:
    """Run ``solve`` of a created solver in the sandbox.

    Args:
        sandbox: an open sandbox.
        code: the whole program.
        text: the instance file's text, all that the program learns.
        instance: what our reader made of it; bounds the number of routes and stops.
        seconds: what the program is told; it is ended ``slack_seconds`` later.
        seed: 0 to 2**63 - 1.
        memory_mib: memory that the program may use.
    """
    from ....sandbox import ArraySpec, Limits, Program

    routes, stops = route_bound(instance), stop_bound(instance)
    expects = {
        "stops": ArraySpec("<i8", (stops,)),
        "lengths": ArraySpec("<i8", (routes,)),
        "vehicles": ArraySpec("<i8", (routes,)),
        "cost": ArraySpec("<f8", (1,)),
    }
    inputs: dict[str, np.ndarray] = {
        "text": np.frombuffer(text.encode(), dtype=np.uint8),
        "seconds": np.array([seconds], dtype=np.float64),
        "seed": np.array([seed], dtype=np.int64),
        "bounds": np.array([routes, stops], dtype=np.int64),
    }
    longest = seconds + slack_seconds(seconds)
    limits = Limits(cpu_s=longest, wall_s=longest, memory_mib=memory_mib)
    program = Program(code, "solve", _driver("solve_driver.py"))
    outcome = sandbox.run(program, inputs, expects, limits, seed=seed)
    if not outcome.ok:
        return SolverRun(outcome, None, None, outcome.wall_s)
    plan = _plan(outcome.arrays)
    if plan is None:
        return SolverRun(_forged(outcome), None, None, outcome.wall_s)
    return SolverRun(outcome, plan, float(outcome.arrays["cost"][0]), outcome.wall_s)


def call_validate(
    sandbox: "Sandbox", code: str, cases: Sequence[tuple[str, Plan]], *, several_types: bool = False
) -> tuple["Outcome", list[bool | None]]:
    """Return what ``validate`` says of plans; None where it raised or gave no verdict.

    Args:
        sandbox: an open sandbox.
        code: the whole program.
        cases: pairs of an instance's text and a plan of it.
        several_types: whether the fleets have several vehicle types.
    """
    outcome, answers = validate_answers(sandbox, code, cases, several_types=several_types)
    return outcome, [answer.kept for answer in answers]


def validate_answers(
    sandbox: "Sandbox",
    code: str,
    cases: Sequence[tuple[str, Plan]],
    *,
    several_types: bool = False,
    seconds: float = 20.0,
) -> tuple["Outcome", list[Answer]]:
    """Like ``call_validate``, with the words of ``validate`` or of the error that it raised."""
    from ....sandbox import ArraySpec, Limits, OutcomeKind, Program

    count = len(cases)
    if not count:
        raise ValueError("there is no plan to validate")
    expects = {
        "verdicts": ArraySpec("<i8", (count,)),
        "messages": ArraySpec("|u1", (count, _MESSAGE_BYTES)),
    }
    limits = Limits(cpu_s=seconds, wall_s=2 * seconds, memory_mib=MEMORY_MIB)
    program = Program(code, "validate", _driver("validate_driver.py"))
    outcome = sandbox.run(program, _encoded(cases, several_types), expects, limits, seed=0)
    if outcome.kind is not OutcomeKind.OK:
        return outcome, [Answer(None, outcome_sentence(outcome))] * count
    answers = []
    for verdict, raw in zip(outcome.arrays["verdicts"], outcome.arrays["messages"], strict=True):
        message = bytes(raw).rstrip(b"\0").decode("utf-8", "replace")
        answers.append(Answer(_VERDICTS.get(int(verdict)), message))
    return outcome, answers


@cache
def _driver(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _encoded(cases: Sequence[tuple[str, Plan]], several_types: bool) -> dict[str, np.ndarray]:
    """Return the arrays that the driver of ``validate`` reads; equal texts are sent once."""
    texts = list(dict.fromkeys(text for text, _ in cases))
    raw = [text.encode() for text in texts]
    routes = [route for _, plan in cases for route in plan.routes]
    return {
        "texts": np.frombuffer(b"".join(raw), dtype=np.uint8),
        "text_sizes": np.array([len(part) for part in raw], dtype=np.int64),
        "text_of": np.array([texts.index(text) for text, _ in cases], dtype=np.int64),
        "several_types": np.full(len(cases), several_types, dtype=np.uint8),
        "routes_of": np.array([len(plan.routes) for _, plan in cases], dtype=np.int64),
        "lengths": np.array([len(route.stops) for route in routes], dtype=np.int64),
        "vehicles": np.array([route.vehicle for route in routes], dtype=np.int64),
        "stops": np.array([stop for route in routes for stop in route.stops], dtype=np.int64),
    }


def _plan(arrays: Mapping[str, np.ndarray]) -> Plan | None:
    """Return the plan, or None where the arrays contradict one another."""
    lengths = arrays["lengths"]
    count = int((lengths >= 0).sum())
    sizes = lengths[:count]
    if (lengths[count:] != -1).any() or (sizes < 0).any() or sizes.sum() > len(arrays["stops"]):
        return None
    ends = np.cumsum(sizes)
    routes = []
    for end, size, vehicle in zip(ends, sizes, arrays["vehicles"], strict=False):
        stops = tuple(int(stop) for stop in arrays["stops"][end - size : end])
        routes.append(Route(stops, int(vehicle)))
    return Plan(tuple(routes))


def _forged(outcome: "Outcome") -> "Outcome":
    """The driver runs beside the program, which may have changed it."""
    from ....sandbox import OutcomeKind

    message = "the arrays of routes contradict one another"
    return replace(outcome, kind=OutcomeKind.BAD_RESULT, arrays={}, message=message)
