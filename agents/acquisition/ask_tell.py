"""Studies that another program evaluates: it asks for points and tells values, in any order."""

from collections.abc import Mapping
from typing import Any

from ...evaluators.blackbox import Measurement
from ...knowledge_base import KnowledgeBase, Run, UnknownRun
from ...knowledge_base.models import Trial
from .errors import OptimisationError
from .evolved import opened_arms
from .naming import make_strategist
from .run import create, open_model
from .settings import OptimisationSettings
from .study import OpenStudy


def open_named(base: KnowledgeBase, name: str, settings: OptimisationSettings | None) -> Run:
    """Return the run of a study, made with these settings if there is none yet.

    Raises:
        OptimisationError: the study is new, and nothing says what its space is.
        InputError: the settings are not usable.
    """
    try:
        return base.studies.find(name)
    except UnknownRun:
        if settings is None:
            raise OptimisationError(
                f"There is no study {name!r}: give --space FILE to begin one."
            ) from None
    return create(base, settings, name)


def ask(base: KnowledgeBase, run: Run, count: int = 1) -> list[Trial]:
    """Suggest ``count`` points, stored before they are returned; several processes may ask at once.

    Raises:
        OptimisationError: the budget is used up.
        SpaceExhausted: nothing is left to try.
    """
    settings = OptimisationSettings.model_validate(run.config)
    gateway, close = open_model(base, run.id, settings)
    try:
        with opened_arms(settings) as arms:
            strategist = make_strategist(settings, gateway)
            study = OpenStudy(base, run.id, settings, strategist, arms)
            numbers = _asked(study, count)
    finally:
        close()
    trials = base.studies.trials(run.id)
    return [trials[number - 1] for number in numbers]


def _asked(study: OpenStudy, count: int) -> list[int]:
    numbers: list[int] = []
    while len(numbers) < count:
        if study.left > 0:
            numbers.append(study.ask())
        elif numbers:
            break
        else:
            raise OptimisationError(
                f"The budget of {study.settings.budget} evaluations is used up: 'eurisko show "
                f"{study.run_id}' shows what came of it."
            )
    return numbers


def tell(
    base: KnowledgeBase,
    run: Run,
    number: int,
    value: float | None,
    *,
    noise: float | None = None,
    message: str = "",
) -> Trial:
    """Store the result of a trial; ``value`` None means that it failed.

    Raises:
        UnknownRun: there is no such trial.
        AlreadyTold: it has another result.
    """
    measured = (
        Measurement(None, message=message or "no value")
        if value is None
        else Measurement.of(value, noise)
    )
    base.studies.tell(
        run.id, number, measured.value, noise=measured.noise, message=measured.message
    )
    _close_when_done(base, run)
    return base.studies.trials(run.id)[number - 1]


def trial_json(trial: Trial) -> Mapping[str, Any]:
    """Return what another program needs to know of a trial."""
    names = ("number", "point", "status", "value", "arm", "reason", "phase")
    return {name: getattr(trial, name) for name in names}


def _close_when_done(base: KnowledgeBase, run: Run) -> None:
    trials = base.studies.trials(run.id)
    budget = int(run.config["budget"])
    if len(trials) >= budget and all(one.status != "pending" for one in trials):
        from .report import summarise

        base.update_run(run.id, status="finished", result=summarise(base, run).result())
