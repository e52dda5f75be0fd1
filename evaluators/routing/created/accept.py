"""Acceptance of a created solver: what it must show before anybody trusts it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..checker import Report, check
from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan
from ..reading import Reading
from .harness import SolverRun, run_created, validate_answers
from .probe import CreatedProbe
from .write import write_like

if TYPE_CHECKING:
    from ....sandbox import Sandbox

COST_TOLERANCE = 1e-6  # relative: programs may add in another order
PROBE_SECONDS = 0.5  # for instances of a few customers


@dataclass(frozen=True)
class AcceptanceCheck:
    """One thing that was checked; ``message`` is one sentence that a model can act on."""

    name: str
    passed: bool
    message: str


@dataclass(frozen=True, eq=False)
class Acceptance:
    """All checks, and the plan and report of the user's instance where there are any.

    ``unprobed`` are the rules that no probe tests: they are checked on the plans, but ``validate``
    was not tested on them.
    """

    passed: bool
    checks: tuple[AcceptanceCheck, ...]
    report: Report | None
    plan: Plan | None
    run: SolverRun
    unprobed: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[AcceptanceCheck, ...]:
        """The checks that did not pass."""
        return tuple(one for one in self.checks if not one.passed)


def accept(
    sandbox: "Sandbox",
    code: str,
    reading: Reading,
    names: Iterable[str],
    objective: Objective | None = None,
    *,
    seconds: float,
    seed: int,
    probes: Sequence[CreatedProbe],
    text: str | None = None,
    probe_seconds: float = PROBE_SECONDS,
) -> Acceptance:
    """Check a created solver; what it says of itself is believed nowhere.

    It passes when its plans of the user's instance and of every probe's instance are feasible by
    the checker, the claimed costs are those recomputed, and its ``validate`` accepts the accepted
    plans and rejects the rejected ones.

    Args:
        sandbox: an open sandbox.
        code: the whole program.
        reading: the user's file.
        names: the rules.
        objective: by default the cost.
        seconds: for the user's instance.
        seed: of the runs.
        probes: of ``make_probes``.
        text: the user's file as it is; by default it is written from the reading.
        probe_seconds: for each probe's instance.
    """
    rules = frozenset(names)
    wanted = objective or Objective()
    own = write_like(reading, reading.instance) if text is None else text
    run = run_created(sandbox, code, own, reading.instance, seconds=seconds, seed=seed)
    checks, report = judge_run(run, reading.instance, rules, wanted, "on your instance")
    if report is not None and run.plan is not None and report.feasible:
        checks.append(_own_validate(sandbox, code, own, run.plan, reading.instance))
    if run.outcome.ok:
        for probe in _distinct(probes):
            again = run_created(
                sandbox, code, probe.text, probe.instance, seconds=probe_seconds, seed=seed
            )
            where = f"on a small instance on which {probe.constraint} binds"
            judged, _ = judge_run(again, probe.instance, rules, wanted, where)
            checks += [one for one in judged if not one.passed] or [
                AcceptanceCheck("probe_run", True, f"It solves and costs right {where}.")
            ]
    checks += validate_checks(sandbox, code, probes)
    unprobed = tuple(sorted(rules - {probe.constraint for probe in probes}))
    passed = all(one.passed for one in checks)
    return Acceptance(passed, tuple(checks), report, run.plan, run, unprobed)


def judge_run(
    run: SolverRun,
    instance: RoutingInstance,
    rules: frozenset[str],
    objective: Objective,
    where: str,
) -> tuple[list[AcceptanceCheck], Report | None]:
    """Judge one run: did it end well, is its plan feasible, is its cost right."""
    if run.plan is None:
        return [AcceptanceCheck("run", False, f"The run {where} failed: {run.reason}")], None
    checks = [AcceptanceCheck("run", True, f"It ran {where} in {run.seconds:.1f} s.")]
    report = check(instance, run.plan, rules, objective)
    if report.feasible:
        checks.append(AcceptanceCheck("feasible", True, f"Its plan {where} keeps every rule."))
    else:
        first = report.violations[0]
        others = sorted(report.broken - {first.constraint})
        more = f"; also broken: {', '.join(others)}" if others else ""
        said = f"Its plan {where} breaks {first.constraint}: {first.message}{more}."
        checks.append(AcceptanceCheck("feasible", False, said))
    checks.append(_cost_check(run, report, where))
    return checks, report


def _cost_check(run: SolverRun, report: Report, where: str) -> AcceptanceCheck:
    claimed = run.claimed
    if claimed is None or not math.isfinite(claimed):
        return AcceptanceCheck("cost", False, f"The cost returned {where} is {claimed}, no number.")
    if not report.values:
        return AcceptanceCheck("cost", False, f"The plan {where} has no cost.")
    if abs(claimed - report.cost) > COST_TOLERANCE * max(1.0, abs(report.cost)):
        said = f"It claims cost {claimed:.10g} {where}; its routes cost {report.cost:.10g}."
        return AcceptanceCheck("cost", False, said)
    return AcceptanceCheck("cost", True, f"The claimed cost {where} is right: {claimed:.10g}.")


def _distinct(probes: Sequence[CreatedProbe]) -> list[CreatedProbe]:
    """Return one probe for each instance."""
    return list({probe.text: probe for probe in reversed(probes)}.values())


def _own_validate(
    sandbox: "Sandbox", code: str, text: str, plan: Plan, instance: RoutingInstance
) -> AcceptanceCheck:
    """Its own ``validate`` must accept the feasible plan that it returned."""
    several = instance.fleet.types > 1
    _, answers = validate_answers(sandbox, code, [(text, plan)], several_types=several)
    if answers[0].kept:
        return AcceptanceCheck("validate_own", True, "validate accepts its plan of your instance.")
    said = (
        f"validate does not accept the program's own feasible plan: {_words(answers[0].message)}."
    )
    return AcceptanceCheck("validate_own", False, said)


def validate_checks(
    sandbox: "Sandbox", code: str, probes: Sequence[CreatedProbe]
) -> list[AcceptanceCheck]:
    """Return one check for each probe: ``validate`` accepts the one plan and rejects the other."""
    if not probes:
        return []
    cases = [(probe.text, plan) for probe in probes for plan in (probe.accepted, probe.rejected)]
    several = any(probe.instance.fleet.types > 1 for probe in probes)
    outcome, answers = validate_answers(sandbox, code, cases, several_types=several)
    if not outcome.ok:
        said = f"validate could not be called on the probes: {answers[0].message}"
        return [AcceptanceCheck("validate", False, said)]
    checks = []
    for index, probe in enumerate(probes):
        accepted, rejected = answers[2 * index], answers[2 * index + 1]
        name = f"validate:{probe.constraint}"
        routes = _routes(probe.accepted)
        if accepted.kept is None or rejected.kept is None:
            said = accepted.message if accepted.kept is None else rejected.message
            said = (
                f"validate gave no verdict on a plan of the probe of {probe.title}: {_words(said)}."
            )
            checks.append(AcceptanceCheck(name, False, said))
        elif not accepted.kept:
            said = (
                f"validate rejects a plan that keeps every rule ({probe.title} binds; routes "
                f"{routes}), saying: {_words(accepted.message)}."
            )
            checks.append(AcceptanceCheck(name, False, said))
        elif rejected.kept:
            said = (
                f"validate accepts a plan that breaks {probe.title}: {_broken(probe)} "
                f"(routes {_routes(probe.rejected)})."
            )
            checks.append(AcceptanceCheck(name, False, said))
        else:
            checks.append(AcceptanceCheck(name, True, f"validate knows {probe.title}."))
    return checks


def _broken(probe: CreatedProbe) -> str:
    """Return the checker's words on what the rejected plan breaks."""
    violations = check(probe.instance, probe.rejected, [probe.constraint]).violations
    return violations[0].message if violations else "by the checker"


def _routes(plan: Plan) -> str:
    return str([list(route.stops) for route in plan.routes])[:300]


def _words(message: str) -> str:
    return message.strip().rstrip(".") or "no reason given"
