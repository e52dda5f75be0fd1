"""Solver memory: verified solvers are found by what they solve, and judged anew at every use."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...evaluators.routing import Plan
from ...evaluators.routing.analysis import Analysis
from ...evaluators.routing.checker import Report
from ...evaluators.routing.created import AcceptanceCheck
from ...evaluators.routing.objectives import Objective
from ...knowledge_base import KnowledgeBase, Solver, SolverKey
from ...sandbox import Sandbox
from .description import Description, describe

if TYPE_CHECKING:
    from .creation import Created
    from .creation.run import Task

MOST_TRIED = 3
"""How many stored solvers are tried on an instance before another way is taken."""


@dataclass(frozen=True, eq=False)
class Remembered:
    """A stored solver's plan for an instance, feasible by the checker."""

    solver: Solver
    plan: Plan
    report: Report
    claimed: float | None
    seconds: float


class NotAccepted(Exception):
    """A solver failed its checks and is not stored; ``failures`` say which."""

    def __init__(self, failures: tuple[AcceptanceCheck, ...]) -> None:
        first = failures[0]
        more = f" ({len(failures) - 1} more checks failed)" if len(failures) > 1 else ""
        super().__init__(f"The solver is not accepted: {first.name}: {first.message}{more}")
        self.failures = failures


def solver_key(analysis: Analysis, objective: Objective) -> SolverKey:
    """Return what a solver of this problem solves."""
    facts = analysis.reading.facts
    return SolverKey.of(
        analysis.names, facts.fields, facts.format, facts.rounding, objective.levels
    )


def remember(base: KnowledgeBase, task: "Task", created: "Created", model: str) -> Solver:
    """Store a created solver that passed every check.

    Raises:
        ValueError: it did not pass.
    """
    if not created.passed or created.verified is None:
        raise ValueError("only a solver that passed its checks is remembered")
    checks = {"passed": list(created.verified.names), "unprobed": list(created.verified.unprobed)}
    return base.solvers.add(
        solver_key(task.analysis, task.objective),
        created.code,
        type=created.description.type,
        description=created.description.model_dump(mode="json"),
        checks=checks,
        origin=model,
        run_id=created.run,
    )


def remember_file(
    base: KnowledgeBase,
    sandbox: Sandbox,
    task: "Task",
    code: str,
    *,
    seconds: float = 5.0,
    seed: int = 0,
    origin: str = "file",
    parent_id: str | None = None,
) -> Solver:
    """Verify a solver that a person wrote, or that was evolved, and store it.

    Args:
        base: where.
        sandbox: an open one.
        task: an instance of the problem that it solves.
        code: the whole program.
        seconds: what it is given on that instance.
        seed: of the run.
        origin: where it comes from.
        parent_id: the solver that it was made from.

    Raises:
        NotAccepted: it failed a check; nothing is stored.
    """
    from ...evaluators.routing.created import accept, make_probes

    names = task.analysis.names
    probes = make_probes(task.reading, names)
    found = accept(
        sandbox,
        code,
        task.reading,
        names,
        task.objective,
        text=task.text,
        seconds=seconds,
        seed=seed,
        probes=probes,
    )
    if not found.passed:
        raise NotAccepted(found.failures)
    described: Description = describe(task.analysis, task.objective)
    return base.solvers.add(
        solver_key(task.analysis, task.objective),
        code,
        type=described.type,
        description=described.model_dump(mode="json"),
        checks={
            "passed": [one.name for one in found.checks],
            "unprobed": list(found.unprobed),
        },
        origin=origin,
        parent_id=parent_id,
    )


def recall(
    base: KnowledgeBase, sandbox: Sandbox, task: "Task", *, seconds: float, seed: int
) -> Remembered | None:
    """Solve an instance with a stored solver of the same problem, or return None.

    Every plan is judged by the checker, and every use is noted, good or bad.

    Args:
        base: where the solvers are.
        sandbox: an open one.
        task: the problem.
        seconds: for each solver that is tried.
        seed: of the runs.
    """
    from ...evaluators.routing.checker import check
    from ...evaluators.routing.created import run_created

    instance = task.reading.instance
    for solver in base.solvers.find(solver_key(task.analysis, task.objective))[:MOST_TRIED]:
        run = run_created(sandbox, solver.code, task.text, instance, seconds=seconds, seed=seed)
        report = None
        if run.plan is not None:
            report = check(instance, run.plan, task.analysis.names, task.objective)
        feasible = report is not None and report.feasible
        message = run.reason
        if report is not None and not feasible:
            message = report.violations[0].message
        base.solvers.note_use(
            solver.id,
            text=task.text,
            name=instance.name,
            feasible=feasible,
            values=report.values if report is not None and feasible else (),
            seconds=run.seconds,
            message=message,
        )
        if report is not None and feasible and run.plan is not None:
            return Remembered(solver, run.plan, report, run.claimed, run.seconds)
    return None
