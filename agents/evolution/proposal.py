"""What a step of evolution asks for, and what it gets back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ...evaluators.problem import ProblemSpec

__all__ = ["OPERATORS", "PARENTS", "Parent", "Proposal", "Proposer", "Task"]

PARENTS = {"i1": 0, "e1": 2, "e2": 2, "m1": 1, "m2": 1, "m3": 1}
"""How many parents each operator is shown (EoH, as HiFo-Prompt sets it)."""

OPERATORS = tuple(PARENTS)
"""i1 invents, e1 explores, e2 recombines, m1 restructures, m2 tunes, m3 simplifies."""


@dataclass(frozen=True)
class Parent:
    """A member of the population as an operator sees it; the objective is minimised."""

    thought: str
    code: str
    objective: float
    genome: str | None = None


@dataclass(frozen=True)
class Task:
    """One candidate to propose.

    Args:
        problem: what the heuristic is for.
        interface: the name of the interface that the code is to have.
        operator: one of OPERATORS.
        parents: those that the operator works on; none for i1.
        key: unique within a run, as "g3/e1/5/0": generation, operator, slot, attempt.
        seed: 63 bits from a named stream of the run; all randomness comes from it.

    """

    problem: "ProblemSpec"
    interface: str
    operator: str
    parents: tuple[Parent, ...]
    key: str
    seed: int


@dataclass(frozen=True)
class Proposal:
    """A heuristic: its idea in a sentence, its source, and its genome where it has one."""

    thought: str
    code: str
    genome: str | None = None


class Proposer(Protocol):
    """Proposes candidates; thread-safe, and deterministic in the task."""

    @property
    def name(self) -> str:
        """How the proposer is named in reports."""
        ...

    def propose(self, task: Task) -> Proposal:
        """One candidate for the task."""
        ...
