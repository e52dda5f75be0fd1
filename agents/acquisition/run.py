"""Start an optimisation, or resume one: open the tools, walk the graph, store how it ended."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.bayesopt import Space
from ...knowledge_base import KnowledgeBase, Run
from ...sandbox import Sandbox
from ..running.budget import Budgets, Spent, TimeBudget
from ..running.ends import opened_base, store_failure
from .errors import Interrupted, OptimisationError
from .events import Listener, Progress, silent
from .evolved import opened_arms
from .graph import RECURSION_LIMIT, build_graph, initial_state
from .naming import check_names, make_strategist
from .report import Report, summarise
from .settings import OptimisationSettings, Target
from .steps import Steps
from .study import OpenStudy, new_optimizer
from .target import Objective, check_target, opened

if TYPE_CHECKING:
    from ..models import ModelGateway


def optimize(
    target: OptimisationSettings | str | Objective,
    knowledge_base: KnowledgeBase | None = None,
    *,
    space: Space | Mapping[str, Any] | None = None,
    resume: str | None = None,
    sandbox: Sandbox | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
    **options: Any,
) -> Report:
    """Optimise a black box and return what came of it.

    Args:
        target: a benchmark function's name, the path of a Python file, a Python function that is
            called with the parameters by name, or the whole configuration.
        knowledge_base: where everything is kept; default: the one that the environment names.
        space: the parameters, for files and functions.
        resume: a run to go on with, for functions; the other arguments are then those of the run.
        sandbox: an open one to use for files; default: one of its own.
        listener: called at each event with the progress so far.
        stop: set it to end the run after saving; :class:`Interrupted` is raised then.
        options: fields of :class:`OptimisationSettings`, such as ``budget`` and ``strategist``.

    Raises:
        OptimisationError: the run cannot go on; what was done is stored and can be resumed.
        InputError, SandboxError: the settings ask for what is not there.
        ModelError: the model cannot be reached or refuses.
    """
    function = None if isinstance(target, str | OptimisationSettings) else target
    watch = Watch(listener, stop or threading.Event(), function, sandbox)
    with opened_base(knowledge_base) as base:
        if resume is not None:
            return go_on(resume, base, watch)
        if not isinstance(target, OptimisationSettings):
            target = OptimisationSettings(target=as_target(target, space), **options)
        return _execute(base, create(base, target), target, watch)


def as_target(target: str | Objective, space: Space | Mapping[str, Any] | None) -> Target:
    """Return the target that a Python caller names."""
    data = space.to_dict() if isinstance(space, Space) else space
    given = None if data is None else dict(data)
    if not isinstance(target, str):
        return Target(kind="callable", name=getattr(target, "__name__", "function"), space=given)
    if target.endswith(".py"):
        return Target(kind="file", name=str(Path(target).absolute()), space=given)
    return Target(kind="function", name=target, space=given)


@dataclass(frozen=True)
class Watch:
    """What the caller brings along."""

    listener: Listener = silent
    stop: threading.Event = threading.Event()  # noqa: RUF009 - never set: nobody holds it
    function: Objective | None = None
    sandbox: Sandbox | None = None


def resume(
    run_name: str,
    knowledge_base: KnowledgeBase | None = None,
    *,
    budgets: Budgets | None = None,
    listener: Listener = silent,
    stop: threading.Event | None = None,
) -> Report:
    """Go on with an optimisation that was killed, interrupted, failed, or stopped by a budget.

    Args:
        run_name: the run's id, a unique beginning of it, or ``last``.
        budgets: new budgets; default: those of the run.
        listener, stop: as for :func:`optimize`.

    Raises:
        OptimisationError: the run is finished, or no optimisation.
    """
    with opened_base(knowledge_base) as base:
        return go_on(run_name, base, Watch(listener, stop or threading.Event()), budgets)


def go_on(
    run_name: str, base: KnowledgeBase, watch: Watch, budgets: Budgets | None = None
) -> Report:
    """Resume a run."""
    run = base.get_run(run_name)
    base.studies.get(run.id)
    settings = OptimisationSettings.model_validate(run.config)
    if budgets is not None:
        merged = settings.budgets.model_dump() | budgets.model_dump(exclude_none=True)
        settings = settings.model_copy(update={"budgets": Budgets(**merged)})
    if run.status == "finished":
        raise OptimisationError(f"Run {run.id} is finished: 'eurisko show {run.id}' shows it.")
    base.update_run(run.id, config=settings.model_dump(mode="json"))
    return _execute(base, run, settings, watch)


def create(base: KnowledgeBase, settings: OptimisationSettings, study: str | None = None) -> Run:
    """Store a new run and its study, after a look at whether it can work at all.

    Args:
        base: where.
        settings: of the run.
        study: a name by which other programs ask and tell.

    Raises:
        InputError: the space, the function, the strategist or an arm is not usable.
    """
    from ... import __version__

    check_names(settings)
    check_target(settings)
    try:
        new_optimizer(settings)
    except TypeError as error:
        raise OptimisationError(f"The effort is not usable: {error}.") from error
    run = base.create_run(
        workflow="optimize",
        problem=settings.target.name[:200],
        problem_version="",
        interface=settings.target.kind,
        proposer=(settings.model or settings.strategist)[:200],
        seed=settings.seed,
        config=settings.model_dump(mode="json"),
        folder="",
        version=__version__,
    )
    base.studies.create(run.id, study)
    base.update_run(run.id, folder=str((settings.runs_folder / run.id).absolute()))
    return base.get_run(run.id)


def open_model(
    base: KnowledgeBase, run_id: str, settings: OptimisationSettings
) -> "tuple[ModelGateway | None, Callable[[], None]]":
    """Return the gateway of a run that asks a model, and what closes it."""
    if settings.strategist != "lmabo" or settings.model is None:
        return None, lambda: None
    from ..models import Budget, Usage, open_gateway
    from ..running.stored_calls import StoredCalls

    budgets, before = settings.budgets, Spent.of_run(base, run_id)
    gateway = open_gateway(
        settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        budget=Budget(calls=budgets.calls, tokens=budgets.tokens, usd=budgets.usd),
        concurrency=1,
        timeout_s=settings.model_timeout_s,
        fallback=settings.fallback_model,
        store=StoredCalls(base, run_id, settings.model),
        spent=Usage(
            calls=before.calls, completion_tokens=before.tokens, known_usd=before.usd or 0.0
        ),
    )
    return gateway, gateway.close


def _execute(base: KnowledgeBase, run: Run, settings: OptimisationSettings, watch: Watch) -> Report:
    """Walk the graph from where the run stands, and store how it ended."""
    base.update_run(run.id, status="running", status_reason="")
    close: Callable[[], None] = lambda: None  # noqa: E731
    try:
        gateway, close = open_model(base, run.id, settings)
        with (
            opened(settings, watch.function, watch.sandbox) as blackbox,
            opened_arms(settings, watch.sandbox) as arms,
        ):
            study = OpenStudy(base, run.id, settings, make_strategist(settings, gateway), arms)
            best = study.optimizer.best()
            progress = Progress(
                run=run.id,
                strategist=settings.strategist,
                budget=settings.budget,
                number=len(study.optimizer.trials),
                incumbent=None if best is None else best.value,
            )
            steps = Steps(
                study,
                blackbox,
                TimeBudget(settings.budgets.seconds),
                watch.listener,
                watch.stop,
                progress,
                (lambda: Spent.of_run(base, run.id)) if gateway is not None else Spent,
            )
            watch.listener("started", progress)
            config: Any = {"recursion_limit": RECURSION_LIMIT}
            ended = build_graph(steps).invoke(initial_state(), config)
            watch.listener("finished", progress)
    except BaseException as error:
        interrupted = isinstance(error, Interrupted | KeyboardInterrupt)
        store_failure(base, run, "interrupted" if interrupted else "failed", error)
        raise
    finally:
        close()
    return _finish(base, run, ended["stop"])


def _finish(base: KnowledgeBase, run: Run, stop: str) -> Report:
    status = "stopped" if stop else "finished"
    base.update_run(run.id, status=status, status_reason=stop)
    report = summarise(base, base.get_run(run.id))
    base.update_run(run.id, result=report.result())
    report.write(Path(run.folder))
    return report


__all__ = ["Watch", "as_target", "create", "optimize", "resume"]
