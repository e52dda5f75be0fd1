"""What a step of evolution asks for, and what it gets back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ...evaluators.problem import ProblemSpec
    from ...prompts import Statement
    from .hindsight import Material

__all__ = [
    "OPERATORS",
    "PARENTS",
    "Advice",
    "Analyst",
    "Failure",
    "Feedback",
    "Guidance",
    "InsightTask",
    "Parent",
    "Proposal",
    "Proposer",
    "RepairTask",
    "Task",
]

PARENTS = {"i1": 0, "e1": 2, "e2": 2, "m1": 1, "m2": 1, "m3": 1, "refine": 1}
"""How many parents each operator is shown (EoH, as HiFo-Prompt sets it; refine as LLaMEA does)."""

OPERATORS = ("i1", "e1", "e2", "m1", "m2", "m3")
"""i1 invents, e1 explores, e2 recombines, m1 restructures, m2 tunes, m3 simplifies.

``refine`` is the only operator of the strategy ``oneplusone``: it improves the best.
"""


@dataclass(frozen=True)
class Parent:
    """A member of the population as an operator sees it; the objective is minimised."""

    thought: str
    code: str
    objective: float
    genome: str | None = None


@dataclass(frozen=True)
class Advice:
    """An insight as a prompt shows it; ``kind`` is ``do`` or ``avoid``."""

    text: str
    kind: str


@dataclass(frozen=True)
class Guidance:
    """What the search as a whole has to say to one proposal.

    Args:
        regime: ``explore``, ``exploit``, ``balanced``, or empty without foresight.
        directive: a phrase that asks for special attention; empty without foresight.
        insights: the insights to show; a proposer that reads no text leaves them alone.

    """

    regime: str = ""
    directive: str = ""
    insights: tuple[Advice, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """The last attempt, which did not become the best, and its outcome as a sentence."""

    thought: str
    code: str
    outcome: str


@dataclass(frozen=True)
class Failure:
    """How a program failed: kind, type and message of the error, and the line of its own code.

    ``source`` is the text of that line; empty where ``line`` is None.
    """

    kind: str
    error_type: str | None
    message: str
    line: int | None
    source: str = ""


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
        guidance: regime, directive and insights, where the strategy gives any.
        feedback: the last attempt, for refine.

    """

    problem: "ProblemSpec"
    interface: str
    operator: str
    parents: tuple[Parent, ...]
    key: str
    seed: int
    guidance: Guidance | None = None
    feedback: Feedback | None = None


@dataclass(frozen=True)
class RepairTask:
    """A program that failed, to be mended once; ``key`` as in :class:`Task`."""

    problem: "ProblemSpec"
    interface: str
    key: str
    thought: str
    code: str
    failure: Failure


@dataclass(frozen=True)
class InsightTask:
    """What insights are to be drawn from; ``key`` is unique within a run, as "g3/insights"."""

    problem: "ProblemSpec"
    interface: str
    key: str
    material: "Material"


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


class Analyst(Protocol):
    """Reads and writes text about programs: a language model. Thread-safe.

    Both methods raise :class:`~.errors.UnusableReply` for an answer that cannot be used.
    """

    def repair(self, task: RepairTask) -> Proposal:
        """One mended program."""
        ...

    def insights(self, task: InsightTask) -> "tuple[Statement, ...]":
        """What can be learnt."""
        ...
