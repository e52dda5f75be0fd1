"""Where plans come from: the interface, and what a session does with an answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ....evaluators.routing import Plan, Reading
from ....evaluators.routing.analysis import Analysis
from ..changes import RoutingTask

Listener = Callable[[str], None]  # one line of progress


@dataclass(frozen=True, eq=False)
class Request:
    """A problem to be solved within ``seconds``; ``reading`` and ``analysis`` are as changed."""

    reading: Reading
    analysis: Analysis
    task: RoutingTask
    seconds: float
    seed: int
    listener: Listener


@dataclass(frozen=True, eq=False)
class Answer:
    """A plan that nobody has checked yet, or the reason why there is none."""

    solver: str
    plan: Plan | None = None
    why: str = ""
    claimed: float | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    code: str = ""


class Source(Protocol):
    """One origin of plans: ``memory``, ``created`` or ``reference``."""

    name: str

    def solve(self, request: Request) -> Answer:
        """Return a plan or the reason why there is none; never believed without the checker."""
        ...
