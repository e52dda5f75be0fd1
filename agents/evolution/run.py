"""Start a run, or resume one: open the tools, walk the graph, store how it ended."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators import (
    LEAST_CPU_S,
    Problem,
    chosen_device,
    get_problem,
    problem_reference,
    program_hash,
)
from ...knowledge_base import KnowledgeBase, Run
from ...sandbox import Limits, Sandbox
from ..batch.executors import Desk, Executor
from ..checkpoints import open_checkpointer
from ..running.budget import Spent, TimeBudget
from ..running.ends import opened_base, store_failure
from .errors import EvolutionError, Interrupted
from .evaluation import Evaluator
from .events import Listener, Progress, silent
from .graph import RECURSION_LIMIT, build_graph
from .proposal import Analyst, Proposer
from .report import RunReport, kept_of, summarise
from .settings import Budgets, EvolutionSettings
from .state import initial_state
from .steps import Evolution

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


def evolve(
    settings: EvolutionSettings | str,
    knowledge_base: KnowledgeBase | None = None,
    *,
    sandbox: Sandbox | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
    executor: Executor | None = None,
) -> RunReport:
    """Evolve heuristics for a problem and return what came of it.

    Args:
        settings: the configuration, or just a problem's name.
        knowledge_base: where everything is kept; default: the one that the environment names.
        sandbox: an open sandbox to share between runs; default: one of the run's own.
        listener: called at each event with the progress so far.
        stop: set it to end the run after saving; :class:`Interrupted` is raised then.
        executor: where programs are evaluated, such as a Ray cluster; default: in the sandbox. It
            stays open; without ``settings.workers`` as many programs run at once as it has slots.

    Raises:
        EvolutionError: the run cannot go on; what was done is stored and can be resumed.
        InputError, SandboxError: the settings ask for what is not there, such as a device.
        ModelError: the model cannot be reached or refuses.
    """
    if isinstance(settings, str):
        settings = EvolutionSettings(problem=settings)
    with opened_base(knowledge_base) as base:
        problem = get_problem(settings.problem)
        device = chosen_device(problem, settings.device)
        settings = settings.model_copy(update={"device": device})
        interface = problem.spec.interface(settings.interface or problem.spec.default_interface)
        run = _create(base, settings, problem, interface.name)
        watch = _Watch(sandbox, listener, stop or threading.Event(), executor)
        return _execute(base, run, settings, problem, watch)


def resume(
    run_name: str,
    knowledge_base: KnowledgeBase | None = None,
    *,
    budgets: Budgets | None = None,
    sandbox: Sandbox | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
    executor: Executor | None = None,
) -> RunReport:
    """Go on with a run that was killed, interrupted, failed, or stopped by a budget.

    Args:
        run_name: the run's id, a unique beginning of it, or ``last``.
        budgets: new budgets; default: those of the run.
        sandbox, listener, stop, executor: as for :func:`evolve`.

    Raises:
        EvolutionError: the run is finished, or its problem has changed since.
    """
    with opened_base(knowledge_base) as base:
        run = base.get_run(run_name)
        settings = EvolutionSettings.model_validate({"tune": False, **run.config})
        if budgets is not None:
            merged = settings.budgets.model_dump() | budgets.model_dump(exclude_none=True)
            settings = settings.model_copy(update={"budgets": Budgets(**merged)})
        if run.status == "finished":
            raise EvolutionError(
                f"Run {run.id} is finished: 'eurisko show {run.id}' shows it, and 'eurisko evolve "
                f"{run.problem} --seed {run.seed + 1}' starts another one."
            )
        problem = get_problem(run.problem)
        if problem.spec.version != run.problem_version:
            raise EvolutionError(
                f"Run {run.id} was made with version {run.problem_version} of {run.problem}, and this "
                f"Eurisko has version {problem.spec.version}: their scores differ; start a new run."
            )
        base.update_run(run.id, config=settings.model_dump(mode="json"))
        watch = _Watch(sandbox, listener, stop or threading.Event(), executor)
        return _execute(base, run, settings, problem, watch)


def _create(
    base: KnowledgeBase, settings: EvolutionSettings, problem: Problem, interface: str
) -> Run:
    from ... import __version__

    _check_proposer(settings, problem, interface)
    run = base.create_run(
        workflow="evolve",
        problem=problem_reference(settings.problem),
        problem_version=problem.spec.version,
        interface=interface,
        proposer=settings.model or "offline",
        seed=settings.seed,
        config=settings.model_dump(mode="json"),
        folder="",
        version=__version__,
    )
    folder = (settings.runs_folder / run.id).absolute()
    base.update_run(run.id, folder=str(folder))
    return base.get_run(run.id)


def _check_proposer(settings: EvolutionSettings, problem: Problem, interface: str) -> None:
    """Fail before anything is stored when nobody could propose."""
    if not settings.uses_model and problem.grammar is None:
        raise EvolutionError(
            f"Problem {problem.spec.name} declares no grammar, so proposing needs a language model: "
            "add --model, for example --model openai/NAME."
        )


@dataclass(frozen=True)
class _Watch:
    """What the caller brings along."""

    sandbox: Sandbox | None
    listener: Listener
    stop: threading.Event
    executor: Executor | None = None

    def open_sandbox(
        self, workers: int, settings: EvolutionSettings
    ) -> AbstractContextManager[Sandbox]:
        """Return the caller's sandbox, which stays open, or a new one, which is closed."""
        if self.sandbox is not None:
            return nullcontext(self.sandbox)
        require, unsafe = settings.require_isolation, settings.allow_unsafe_sandbox
        return Sandbox(
            workers=workers, require=require, allow_unsafe=unsafe, device=settings.device
        )

    @contextmanager
    def open_desk(self) -> Iterator[Desk | None]:
        """Provide the way to the caller's executor, if there is one."""
        if self.executor is None:
            yield None
            return
        desk = Desk(self.executor)
        try:
            yield desk
        finally:
            desk.close()


@dataclass
class _Tools:
    """What a run needs beside its state."""

    proposer: Proposer
    analyst: Analyst | None
    concurrency: int
    close: Callable[[], None]


def _tools(base: KnowledgeBase, run: Run, settings: EvolutionSettings, problem: Problem) -> _Tools:
    if settings.model is None:
        from .offline import OfflineProposer

        assert problem.grammar is not None
        return _Tools(OfflineProposer(problem.grammar), None, 1, lambda: None)
    from ..models import Budget, Usage, open_gateway
    from ..running.stored_calls import StoredCalls
    from .model_proposer import ModelProposer

    budgets, before = settings.budgets, Spent.of_run(base, run.id)
    gateway = open_gateway(
        settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        budget=Budget(calls=budgets.calls, tokens=budgets.tokens, usd=budgets.usd),
        concurrency=settings.concurrency,
        timeout_s=settings.model_timeout_s,
        fallback=settings.fallback_model,
        store=StoredCalls(base, run.id, settings.model),
        spent=Usage(
            calls=before.calls, completion_tokens=before.tokens, known_usd=before.usd or 0.0
        ),
    )
    proposer = ModelProposer(gateway, settings.model, settings.temperature)
    return _Tools(proposer, proposer, settings.concurrency, gateway.close)


def _execute(
    base: KnowledgeBase,
    run: Run,
    settings: EvolutionSettings,
    problem: Problem,
    watch: _Watch,
) -> RunReport:
    """Walk the graph from where the run stands, and store how it ended."""
    slots = os.cpu_count() if watch.executor is None else watch.executor.slots
    workers = settings.workers or slots or 1
    tools = _tools(base, run, settings, problem)
    base.update_run(run.id, status="running", status_reason="")
    try:
        with watch.open_sandbox(workers, settings) as sandbox, watch.open_desk() as desk:
            sandbox.start()
            limits = Limits(cpu_s=settings.cpu_s or LEAST_CPU_S, memory_mib=settings.memory_mib)
            evolution = Evolution(
                run_id=run.id,
                settings=settings,
                problem=problem,
                interface=run.interface,
                knowledge_base=base,
                proposer=tools.proposer,
                evaluator=Evaluator(
                    base,
                    sandbox,
                    problem,
                    run.interface,
                    limits,
                    settings.device,
                    workers,
                    watch.stop,
                    per_instance=settings.cpu_s is None,
                    desk=desk,
                    reference=run.problem,
                ),
                budget=TimeBudget(settings.budgets.seconds),
                spent=(lambda: Spent.of_run(base, run.id)) if settings.uses_model else Spent,
                listener=watch.listener,
                stop=watch.stop,
                progress=Progress(
                    run=run.id, generations=settings.generations, sandbox=sandbox.report().line
                ),
                concurrency=tools.concurrency,
                analyst=tools.analyst,
            )
            try:
                state = walk(base, evolution)
            finally:
                evolution.close()
    except BaseException as error:
        interrupted = isinstance(error, Interrupted | KeyboardInterrupt)
        store_failure(base, run, "interrupted" if interrupted else "failed", error)
        raise
    finally:
        tools.close()
    return _finish(base, run, problem, state)


def walk(base: KnowledgeBase, evolution: Evolution) -> dict[str, Any]:
    """Walk the graph from the run's last checkpoint, or from the start, to its end state."""
    thread = {"thread_id": evolution.run_id}
    config: RunnableConfig = {"configurable": thread, "recursion_limit": RECURSION_LIMIT}
    with open_checkpointer(base.url) as checkpointer:
        graph = build_graph(evolution, checkpointer)
        saved = graph.get_state(config)
        entry: Any = None if saved.values else initial_state()
        if saved.values:
            evolution.recall(saved.values)
        if saved.values.get("stop") and not saved.next:
            # A budget had ended the run: take up the step that it cut short.
            history = saved.values["history"]
            if saved.values.get("cut", True):  # its last entry is of an unfinished generation
                history = history[:-1]
            again = {"stop": "", "best": None, "history": history, "cut": False, "doubts": []}
            graph.update_state(config, again, as_node="select")
        evolution.listener("started", evolution.progress)
        state: dict[str, Any] = graph.invoke(entry, config, durability="sync")
    return state


def _finish(base: KnowledgeBase, run: Run, problem: Problem, state: dict[str, Any]) -> RunReport:
    best = None if state["best"] is None else base.candidates([state["best"]])[0]
    result = {
        "best": None if best is None else best.id,
        "history": state["history"],
        "doubts": state["doubts"],
        "tuning": state.get("tuning", {}),
        "baseline_hash": program_hash(problem.spec.interfaces[run.interface].seed),
    }
    status = "stopped" if state["stop"] else "finished"
    base.update_run(run.id, status=status, status_reason=state["stop"], result=result)
    report = summarise(base, base.get_run(run.id), problem)
    base.update_run(run.id, result={**result, **kept_of(report)})
    folder = Path(run.folder)
    folder.mkdir(parents=True, exist_ok=True)
    report.write(folder)
    return report


__all__ = ["evolve", "resume"]
