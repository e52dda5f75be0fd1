"""Plans of solvers that were created and verified before, and run again on this problem."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from .checking import broken
from .running import run_code
from .sources import Answer, Request

if TYPE_CHECKING:
    from ....sandbox import Sandbox

_MOST = 3  # solvers that are tried


class StoredSolver(Protocol):
    """A verified solver."""

    @property
    def id(self) -> str:
        """Its name in memory."""
        ...

    @property
    def code(self) -> str:
        """The whole program."""
        ...

    @property
    def summary(self) -> str:
        """What it solves, in a sentence."""
        ...


class SolverMemory(Protocol):
    """Finds verified solvers."""

    def find(self, names: Iterable[str], fields: Iterable[str]) -> Sequence[StoredSolver]:
        """Return solvers of this set of rules that read these fields, the best first."""
        ...


OpenSandbox = Callable[[], "AbstractContextManager[Sandbox]"]


class MemorySource:
    """Runs the solvers that memory has for a problem's rules and fields.

    Args:
        memory: finds them.
        sandbox: opens the sandbox that they run in.
    """

    name = "memory"

    def __init__(self, memory: SolverMemory, sandbox: OpenSandbox) -> None:
        self._memory = memory
        self._sandbox = sandbox

    def solve(self, request: Request) -> Answer:
        """Return the first plan that keeps all rules; a stored solver is checked on every use."""
        _, reading = request.file()
        found = self._memory.find(request.task.names, reading.facts.fields)[:_MOST]
        if not found:
            return Answer("memory", why="no solver in memory has these rules and fields")
        whys = []
        with self._sandbox() as sandbox:
            for one in found:
                answer = run_code(sandbox, one.code, f"solver {one.id}", request)
                why = answer.why
                if answer.plan is not None:
                    why = broken(answer.plan, request.task)
                if not why:
                    return replace(answer, description=one.summary)
                whys.append(f"{answer.solver}: {why}")
        return Answer("memory", why="; ".join(whys))
