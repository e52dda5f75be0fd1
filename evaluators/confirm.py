"""Re-running a champion in lockstep: the decisions must be the heuristic's own."""

from dataclasses import replace

import numpy as np

from ..sandbox import Limits, OutcomeKind, Sandbox
from .evaluate import Evaluation
from .lockstep import play
from .problem import Dataset, Problem, TraceProblem

PATIENCE = 4.0
"""How many times the limits a re-run may take: each step crosses between processes."""


def confirm(
    sandbox: Sandbox,
    problem: Problem,
    interface: str,
    code: str,
    data: Dataset,
    claimed: Evaluation,
    limits: Limits,
    *,
    seed: int = 0,
) -> str:
    """Play a program in lockstep and compare with what its evaluation claimed, instance by instance.

    Returns:
        An empty string when both agree to the last bit, or when the problem is played in lockstep
        anyway or decides everything at once; else one sentence that says what differs.
    """
    if not isinstance(problem, TraceProblem) or claimed.raw is None:
        return ""
    slower = replace(limits, cpu_s=PATIENCE * limits.cpu_s, wall_s=PATIENCE * limits.wall_limit_s)
    game = problem.lockstep
    outcome, scores = play(sandbox, game, interface, code, data, slower, seed=seed, device="cpu")
    if outcome.kind is not OutcomeKind.OK or scores is None:
        return (
            f"played in lockstep on {data.name} it ends as {outcome.kind.value}: {outcome.message}"
        )
    different = np.flatnonzero(scores.raw != claimed.raw)
    if different.size:
        first = int(different[0])
        return (
            f"played in lockstep on {data.name} it decides differently in {different.size} of "
            f"{len(scores.raw)} instances (instance {first}: {scores.raw[first]:.6g} instead of "
            f"{claimed.raw[first]:.6g})"
        )
    return ""
