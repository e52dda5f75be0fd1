"""An evolved heuristic as an arm of the Bayesian optimiser.

The program is hostile: each proposal opens a session of its own in the sandbox, sends means and
deviations of whole sets of candidates, and takes back nothing but one number per candidate. What a
program keeps between calls ends with the proposal, so that a resumed study decides as an unbroken
one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bayesopt.arms import ArmFailed, Belief, SetScores
from ...bayesopt.parameters import Columns
from .spec import SPEC, scoring_driver

if TYPE_CHECKING:
    from ....sandbox import Sandbox, Session

LEAST = 1e-6
"""Standard deviations that the heuristic sees are not smaller, as in the problem."""

CPU_S = 5.0
"""CPU seconds of one proposal; an honest program takes milliseconds."""


@dataclass(frozen=True)
class EvolvedArm:
    """A heuristic of the problem `acquisition` that proposes points of a study.

    Args:
        name: as strategists write it.
        help: its idea, in one sentence.
        code: the program.
        interface: of the problem.
        initial: points of the study's space-filling start.
        budget: evaluations of the study in all.
        dimension: its free parameters.
        sandbox: an open one; the caller closes it.
    """

    name: str
    help: str
    code: str
    interface: str
    initial: int
    budget: int
    dimension: int
    sandbox: "Sandbox"

    @contextmanager
    def scoring(self, belief: Belief, size: int, seed: int) -> Iterator[SetScores]:
        """Open a session for one proposal; see `eurisko.evaluators.bayesopt.OutsideArm`.

        Raises:
            ArmFailed: the program ends, takes too long, or gives anything but one score a point.
        """
        from ....sandbox import ArraySpec, Limits, Program, SessionEnded

        face = SPEC.interface(self.interface)
        program = Program(self.code, face.function, scoring_driver(self.interface), face.modules)
        column = ArraySpec("<f8", (1, size))
        observation = {"mean": column, "std": column, "numbers": ArraySpec("<f8", (4,))}
        numbers = self._numbers(belief)
        try:
            with self.sandbox.session(
                program,
                {"dimension": np.array([self.dimension])},
                observation,
                {"scores": column},
                Limits(cpu_s=CPU_S),
                seed=seed,
            ) as session:
                yield lambda rows: _scores(session, belief, numbers, rows)
        except SessionEnded as ended:
            outcome = ended.outcome
            where = f", line {outcome.line}" if outcome.line else ""
            raise ArmFailed(f"{outcome.kind.value}{where}: {outcome.message}") from ended

    def _numbers(self, belief: Belief) -> Columns:
        """Return best, remaining, dimension and count as the problem has them."""
        asked = len(belief.rows)  # pending points included
        steps = max(1, self.budget - self.initial)
        remaining = min(max(self.budget - asked, 1), steps) / steps
        return np.array(
            [-belief.incumbent, remaining, self.dimension, belief.evaluations], dtype=np.float64
        )


def _scores(session: "Session", belief: Belief, numbers: Columns, rows: Columns) -> Columns:
    """Return the program's scores of a set [n, columns].

    Raises:
        ArmFailed: a score is not a number.
        SessionEnded: the program has ended.
    """
    mean, deviation = _posterior(belief.model, rows)
    shown = {"mean": mean[None], "std": deviation[None], "numbers": numbers}
    scores = np.array(session.step(shown)["scores"][0])
    if np.isnan(scores).any():
        raise ArmFailed(f"the score of candidate {int(np.isnan(scores).argmax())} is NaN")
    return scores


def _posterior(model: Any, rows: Columns) -> tuple[Columns, Columns]:
    """Return mean and deviation [n] of the standardised value, small being good."""
    import torch

    with torch.no_grad():
        posterior = model.posterior(torch.from_numpy(rows))
        mean, variance = posterior.mean.reshape(-1), posterior.variance.reshape(-1)
    return -mean.numpy(), np.sqrt(np.maximum(variance.numpy(), LEAST**2))
