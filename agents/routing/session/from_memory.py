"""Plans of solvers that were created and verified before, and run again on this problem."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ....evaluators.routing import Reading
from .checking import broken
from .running import run_code
from .sources import Answer, Request

if TYPE_CHECKING:
    from ....knowledge_base import KnowledgeBase, Solver, SolverKey
    from ....sandbox import Sandbox

    Memory = KnowledgeBase | None

_MOST = 3  # solvers that are tried

OpenSandbox = Callable[[], "AbstractContextManager[Sandbox]"]
OpenMemory = Callable[[], "AbstractContextManager[Memory]"]


class MemorySource:
    """Runs the solvers that memory has for a problem's rules and fields.

    Args:
        memory: opens the knowledge base; None in it where there is none yet.
        sandbox: opens the sandbox that solvers run in.
    """

    name = "memory"

    def __init__(self, memory: OpenMemory, sandbox: OpenSandbox) -> None:
        self._memory = memory
        self._sandbox = sandbox

    def solve(self, request: Request) -> Answer:
        """Return the first plan that keeps all rules; a stored solver is checked on every use."""
        from ....knowledge_base import KnowledgeBaseError

        nothing = Answer("memory", why="no solver in memory has these rules and fields", quiet=True)
        try:
            with self._memory() as base:
                if base is None:
                    return nothing
                text, reading = request.file()
                found = base.solvers.find(key_of(request, reading))[:_MOST]
                return self._first(base, found, text, request) if found else nothing
        except KnowledgeBaseError as error:
            return Answer("memory", why=" ".join(str(error).split()).rstrip("."))

    def _first(
        self,
        base: "KnowledgeBase",
        found: "Sequence[Solver]",
        text: str,
        request: Request,
    ) -> Answer:
        whys = []
        with self._sandbox() as sandbox:
            for one in found:
                answer = run_code(sandbox, one.code, f"solver {one.id}", request)
                why = answer.why
                if answer.plan is not None:
                    why = broken(answer.plan, request.task)
                base.solvers.note_use(
                    one.id,
                    text=text,
                    name=request.task.instance.name,
                    feasible=not why,
                    values=[] if answer.claimed is None or why else [answer.claimed],
                    seconds=answer.seconds,
                    message=why,
                )
                if not why:
                    summary = str(one.description.get("summary", ""))
                    return replace(answer, description=summary)
                whys.append(f"{answer.solver}: {why}")
        return Answer("memory", why="; ".join(whys))


def key_of(request: Request, reading: Reading) -> "SolverKey":
    """Return what a solver of this problem solves: rules, fields, format, rounding, objective."""
    from ..memory import solver_key

    return solver_key(replace(request.analysis, reading=reading), request.task.objective)


def known_memory() -> "AbstractContextManager[Memory]":
    """Open the knowledge base that the environment names; None where its file is not there yet."""
    from ....knowledge_base import KnowledgeBase
    from ....knowledge_base.engine import database_url

    url = database_url()
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return nullcontext(None)
    return KnowledgeBase()
