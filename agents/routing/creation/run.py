"""Create a solver, or go on with a creation: open the tools, walk the graph, store how it ended."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....knowledge_base import KnowledgeBase, Run
from ....sandbox import Sandbox
from ...checkpoints import open_checkpointer
from ...models import Budget, ModelGateway, Usage, open_gateway
from ...running.ends import opened_base, store_failure
from ...running.stored_calls import StoredCalls
from ..description import Description
from ..memory import remember
from .asking import Agents
from .assembly import assemble
from .errors import CreationError, Declined, Interrupted
from .events import Listener, Progress, silent
from .excerpt import excerpt
from .graph import RECURSION_LIMIT, build_graph
from .report import Created
from .ruled import RuledVerifier
from .settings import CreateBudgets, CreateSettings
from .state import initial_state
from .steps import Creation
from .task import INSTANCE, Task, stored_task
from .verifying import AcceptanceVerifier, Verified, Verifier

Confirm = Callable[[Description], bool]


def create_solver(
    task: Task | str | Path,
    settings: CreateSettings,
    knowledge_base: KnowledgeBase | None = None,
    *,
    sandbox: Sandbox | None = None,
    confirm: Confirm | None = None,
    verifier: Verifier | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
) -> Created:
    """Have a model write a solver for a routing problem, and verify it independently.

    A solver that passes every check is remembered (:mod:`..memory`), unless its rules go beyond
    the vocabulary.

    Args:
        task: the problem, or an instance file's path.
        settings: model, caps and budgets.
        knowledge_base: where the run is kept; default: the one that the environment names.
        sandbox: an open one; default: one of the run's own.
        confirm: shown the description before anything is written; False ends the creation. Without
            it the description is taken as it is.
        verifier: who decides whether a program is right; default: the checks of
            ``evaluators.routing.created.accept``.
        listener: hears of progress.
        stop: set it to end after saving; :class:`Interrupted` is raised then.

    Raises:
        RoutingError: the file cannot be read.
        Declined: the description was not accepted.
        Interrupted: ``stop`` was set.
        ModelError: the model cannot be reached or refuses.
        SandboxError: nothing can be run here.
    """
    if not isinstance(task, Task):
        task = Task.of_file(task)
    watch = Watch(sandbox, confirm, verifier, listener, stop or threading.Event())
    with opened_base(knowledge_base) as base:
        return _execute(base, _store(base, task, settings), task, settings, watch)


def resume_creation(
    run_name: str,
    knowledge_base: KnowledgeBase | None = None,
    *,
    budgets: CreateBudgets | None = None,
    sandbox: Sandbox | None = None,
    confirm: Confirm | None = None,
    verifier: Verifier | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
) -> Created:
    """Go on with a creation that was killed, interrupted, failed, or stopped by a budget.

    Args:
        run_name: the run's id, a unique beginning of it, or ``last``.
        budgets: new budgets; default: those of the run.
        sandbox, confirm, verifier, listener, stop: as for :func:`create_solver`.

    Raises:
        CreationError: the run is finished, no creation, or its instance file is gone.
    """
    watch = Watch(sandbox, confirm, verifier, listener, stop or threading.Event())
    with opened_base(knowledge_base) as base:
        run = base.get_run(run_name)
        if run.workflow != "create":
            raise CreationError(f"Run {run.id} created no solver: 'eurisko runs' lists what it is.")
        if run.status == "finished":
            raise CreationError(f"Run {run.id} is finished: its solver is in {run.folder}.")
        settings = CreateSettings.model_validate(run.config["settings"])
        if budgets is not None:
            given = budgets.model_dump(exclude_unset=True)
            merged = CreateBudgets(**{**settings.budgets.model_dump(), **given})
            settings = settings.model_copy(update={"budgets": merged})
            base.update_run(run.id, config={**run.config, "settings": settings.plain()})
        return _execute(base, run, stored_task(run), settings, watch)


@dataclass(frozen=True)
class Watch:
    """What the caller brings along."""

    sandbox: Sandbox | None
    confirm: Confirm | None
    verifier: Verifier | None
    listener: Listener
    stop: threading.Event


def _store(base: KnowledgeBase, task: Task, settings: CreateSettings) -> Run:
    """Store the run, and the file beside it."""
    from .... import __version__

    config = {"settings": settings.plain(), **task.plain()}
    run = base.create_run(
        workflow="create",
        problem=task.described().type,
        problem_version="",
        interface="routing",
        proposer=settings.model[:200],
        seed=settings.seed,
        config=config,
        folder="",
        version=__version__,
    )
    folder = (settings.runs_folder / run.id).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INSTANCE).write_text(task.text, encoding="utf-8")
    base.update_run(run.id, folder=str(folder))
    return base.get_run(run.id)


def _gateway(
    base: KnowledgeBase,
    run: Run,
    settings: CreateSettings,
    model: str,
    together: ModelGateway | None = None,
) -> ModelGateway:
    calls, tokens, usd = base.spent(run.id)
    budgets = settings.budgets
    return open_gateway(
        model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        budget=Budget(calls=budgets.calls, tokens=budgets.tokens, usd=budgets.usd),
        concurrency=1,
        timeout_s=settings.model_timeout_s,
        fallback=settings.fallback_model,
        store=StoredCalls(base, run.id, model),
        spent=Usage(calls=calls, completion_tokens=tokens, known_usd=usd or 0.0),
        together=together,
    )


def _execute(
    base: KnowledgeBase, run: Run, task: Task, settings: CreateSettings, watch: Watch
) -> Created:
    """Walk the graph from where the run stands, and store how it ended."""
    started = time.monotonic()
    gateway = _gateway(base, run, settings, settings.model)
    judge = gateway
    base.update_run(run.id, status="running", status_reason="")
    try:
        if settings.judge_model is not None:
            judge = _gateway(base, run, settings, settings.judge_model, gateway)
        given = task.described()
        agents = Agents(gateway, judge, settings.temperature)
        progress = Progress(run.id)
        with _verifier(task, settings, watch) as verifier:
            creation = Creation(
                settings=settings,
                analysis=task.analysis,
                given=given,
                file=excerpt(task.text),
                agents=agents,
                verifier=verifier,
                listener=watch.listener,
                progress=progress,
                stop=watch.stop,
                spent=lambda: base.spent(run.id)[:2],
                confirm=watch.confirm is not None,
                started=started,
            )
            watch.listener("started", progress)
            state = _walk(base, run, creation, watch.confirm)
            watch.listener("ended", progress)
    except BaseException as error:
        stopped = isinstance(error, Interrupted | KeyboardInterrupt)
        store_failure(base, run, "interrupted" if stopped else "failed", error)
        raise
    finally:
        for one in {id(gateway): gateway, id(judge): judge}.values():
            one.close()
    created = _finish(base, run, given, state, time.monotonic() - started)
    if created.passed and not task.rules:  # memory knows the rules of the vocabulary only
        remember(base, task, created, settings.model)
    return created


@contextmanager
def _verifier(task: Task, settings: CreateSettings, watch: Watch) -> Iterator[Verifier]:
    if watch.verifier is not None:
        yield watch.verifier
        return
    opened = (
        Sandbox(
            workers=1,
            require=settings.require_isolation,
            allow_unsafe=settings.allow_unsafe_sandbox,
        )
        if watch.sandbox is None
        else nullcontext(watch.sandbox)
    )
    with opened as sandbox:
        verifier = AcceptanceVerifier(
            sandbox,
            task.text,
            task.reading,
            task.analysis.names,
            task.objective,
            seconds=settings.seconds,
            seed=settings.seed,
        )
        yield RuledVerifier(verifier, sandbox, task) if task.rules else verifier


def _walk(
    base: KnowledgeBase, run: Run, creation: Creation, confirm: Confirm | None
) -> dict[str, Any]:
    """Walk the graph; an interrupt asks the user and goes on with the answer."""
    from langgraph.types import Command

    config: Any = {"configurable": {"thread_id": run.id}, "recursion_limit": RECURSION_LIMIT}
    with open_checkpointer(base.url) as saver:
        graph = build_graph(creation, saver)
        known = graph.get_state(config)
        entry: Any = initial_state()
        if known.values and known.next:
            entry = None
        elif known.values:  # it ended early: go on from its last state
            entry = _again(known.values)
        waiting = [one.value for task in known.tasks for one in task.interrupts]
        while True:
            if waiting and confirm is not None:
                described = Description.model_validate(waiting[0]["description"])
                entry = Command(resume=bool(confirm(described)))
            state: dict[str, Any] = graph.invoke(entry, config, durability="sync")
            waiting = [one.value for one in state.get("__interrupt__", ())]
            if not waiting:
                return state
            if confirm is None:
                raise Declined("The description waits for a confirmation, and nobody can give it.")


def _again(values: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a run that a budget ended, to go on with: what is missing is written."""
    from ....evaluators.routing.created import NAMES

    todo = values["todo"]
    missing = [name for name in NAMES if name not in values["functions"] and name not in todo]
    return {**values, "stop": "", "todo": [*todo, *missing], "verified": None}


def _finish(
    base: KnowledgeBase, run: Run, given: Description, state: dict[str, Any], seconds: float
) -> Created:
    best = state["best"]
    if state["stop"] and not state["confirmed"]:
        base.update_run(run.id, status="stopped", status_reason=state["stop"])
        if state["description"] is not None and "not accepted" in state["stop"]:
            raise Declined(
                "The description was not accepted: say what is different, and create anew."
            )
    calls, tokens, usd = base.spent(run.id)
    roles = Counter(call.role for call in base.calls(run.id))
    created = Created(
        run=run.id,
        description=Description.model_validate(state["description"] or given.model_dump()),
        code=assemble(best["functions"]) if best and _whole(best["functions"]) else "",
        verified=Verified.from_json(best["verified"]) if best else None,
        repairs=state["repairs"],
        unread=state["unread"],
        stop=state["stop"],
        calls=calls,
        tokens=tokens,
        usd=usd,
        by_role=dict(roles),
        seconds=seconds,
    )
    status = "stopped" if state["stop"] else "finished"
    base.update_run(run.id, status=status, status_reason=state["stop"], result=created.to_json())
    created.write(Path(run.folder))
    return created


def _whole(functions: dict[str, str]) -> bool:
    from ....evaluators.routing.created import NAMES

    return all(name in functions for name in NAMES)


__all__ = ["Task", "create_solver", "resume_creation"]
