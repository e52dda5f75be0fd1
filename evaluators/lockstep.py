"""Playing an online problem: the candidate in a session, the world here."""

from dataclasses import replace

from ..sandbox import Limits, Outcome, OutcomeKind, Program, Sandbox, SessionEnded
from .problem import Dataset, Infeasible, OnlineProblem, Scores

TRIES = 2
"""A sandbox that fails gets one more try, as in ``Sandbox.run``; a candidate never does."""


def play(
    sandbox: Sandbox,
    problem: OnlineProblem,
    interface: str,
    code: str,
    data: Dataset,
    limits: Limits,
    *,
    seed: int,
    device: str,
) -> tuple[Outcome, Scores | None]:
    """Play all instances of a data set to their end; a candidate's fault is an outcome.

    Decisions are checked and applied outside, step by step. Scores are None unless the outcome is
    ok. A step may take as long on the clock as the whole run.

    Raises:
        UnknownInterface: the problem has no such interface.
        ValueError: for another device than the CPU, the only one on which sessions run.
    """
    if device != "cpu":
        raise ValueError(f"an online problem runs on the device 'cpu', not on {device!r}")
    chosen = problem.spec.interface(interface)
    program = Program(code, chosen.function, chosen.driver, chosen.modules)
    for _ in range(TRIES):
        outcome, scores = _attempt(sandbox, problem, interface, program, data, limits, seed)
        if outcome.kind is not OutcomeKind.SANDBOX_FAILURE:
            break
    return outcome, scores


def infeasible(outcome: Outcome, broken: Infeasible) -> Outcome:
    """Return the outcome of a run whose decisions break a constraint."""
    return replace(outcome, kind=OutcomeKind.INFEASIBLE, message=str(broken), arrays={})


def _attempt(
    sandbox: Sandbox,
    problem: OnlineProblem,
    interface: str,
    program: Program,
    data: Dataset,
    limits: Limits,
    seed: int,
) -> tuple[Outcome, Scores | None]:
    state = problem.begin(data, interface)
    observation, decision = problem.messages(data, interface)
    inputs = problem.known(data, interface)
    broken: Infeasible | None = None
    try:
        with sandbox.session(
            program,
            inputs,
            observation,
            decision,
            limits,
            seed=seed,
            step_s=limits.wall_limit_s,
        ) as session:
            try:
                while (seen := problem.observe(data, state)) is not None:
                    state = problem.act(data, state, session.step(seen))
            except Infeasible as error:
                broken = error
            outcome = session.close()
    except SessionEnded as ended:
        return ended.outcome, None
    if broken is None and outcome.kind is OutcomeKind.OK:
        try:
            return outcome, problem.score(data, state)
        except Infeasible as error:
            broken = error
    return (outcome, None) if broken is None else (infeasible(outcome, broken), None)
