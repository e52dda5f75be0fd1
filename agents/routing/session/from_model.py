"""Plans of a solver that a model writes for this problem."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ....evaluators.routing import Reading
from ....evaluators.routing.generated.rule import GeneratedRule
from .checking import broken
from .from_memory import OpenSandbox
from .running import run_code
from .sources import Answer, Request

if TYPE_CHECKING:
    from ..creation import Created, CreateSettings, Progress
    from ..description import Description

Confirm = Callable[["Description"], bool]
Key = tuple[frozenset[str], tuple[str, ...], tuple[GeneratedRule, ...]]


class CreatedSource:
    """Has a solver created, and runs what it had created before for the same rules and fields.

    Args:
        settings: of the creation; seconds and seed come with each request.
        sandbox: opens the sandbox.
        confirm: is shown the description of the problem before anything is written.
    """

    name = "created"

    def __init__(
        self, settings: "CreateSettings", sandbox: OpenSandbox, confirm: Confirm | None = None
    ) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._confirm = confirm
        self._written: dict[Key, Answer] = {}

    def solve(self, request: Request) -> Answer:
        """Return the plan of the program, or why there is none."""
        text, reading = request.file()
        key = (request.task.names, reading.facts.fields, request.task.extra)
        known = self._written.get(key)
        if known is not None:
            with self._sandbox() as sandbox:
                again = run_code(sandbox, known.code, known.solver, request)
            if again.plan is not None and not broken(again.plan, request.task):
                return replace(again, description=known.description)
            request.listener(f"{known.solver} does not solve this one; another is written")
        answer = self._create(request, text, reading)
        if answer.code and answer.plan is not None:
            self._written[key] = answer
        return answer

    def _create(self, request: Request, text: str, reading: Reading) -> Answer:
        from ....knowledge_base import KnowledgeBase
        from ....sandbox import SandboxError
        from ...models import ModelError
        from ..creation import CreationError, Task, create_solver

        analysis = replace(request.analysis, reading=reading, questions=())
        task = Task(text, reading, analysis, request.task.objective, request.task.extra)
        settings = self._settings.model_copy(
            update={
                "seconds": request.seconds,
                "seed": request.seed,
                "request": request.said[:4000],
            }
        )
        try:
            with self._sandbox() as sandbox, KnowledgeBase() as base:
                created = create_solver(
                    task,
                    settings,
                    base,
                    sandbox=sandbox,
                    confirm=self._confirm,
                    listener=lambda kind, progress: _tell(request, kind, progress),
                )
        except (CreationError, ModelError, SandboxError) as error:
            why = " ".join(str(error).split()).rstrip(".")
            return Answer("created solver", why=why)
        return _answer(created)


def _tell(request: Request, kind: str, progress: "Progress") -> None:
    """Show a step of the agents in one line."""
    if kind not in ("step", "judged", "done"):
        return
    what = " ".join(word for word in (progress.stage, progress.function) if word)
    text = f": {progress.text}" if progress.text else ""
    if kind == "step" or progress.text:
        request.listener(f"{what}{text} ({progress.calls} calls, {progress.tokens} tokens)")


def _answer(created: "Created") -> Answer:
    """Return the program's plan; what it failed is said beside it."""
    found = created.verified
    failed = "" if found is None or found.passed else "; ".join(found.failures[:2])
    if created.plan is None or found is None:
        why = failed or created.stop or "no whole program came about"
        return Answer("created solver", why=" ".join(why.split()).rstrip("."))
    spent = f"run {created.run}: {created.calls} model calls, {created.tokens} tokens"
    notes = [f"{spent}, {created.seconds:.0f} s; passed all {found.checks} checks"]
    if failed:
        notes = [f"{spent}; the program failed checks: {' '.join(failed.split())}"]
    if found.unprobed:
        notes.append(f"its own validate was not tested on {', '.join(found.unprobed)}")
    return Answer(
        "created solver",
        created.plan,
        seconds=found.seconds,
        notes=tuple(notes),
        code=created.code,
        description=created.description.summary,
    )
