"""Running an optimisation from the command line: progress, Ctrl-C that saves, ask and tell."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from .output import fail, print_json

if TYPE_CHECKING:
    from ..agents.acquisition import OptimisationSettings, Report
    from ..agents.acquisition.events import Listener
    from ..agents.evolution import Budgets


def start(settings: "OptimisationSettings", quiet: bool, as_json: bool) -> None:
    """Start a run and print what came of it."""
    from ..agents.acquisition import optimize

    _watched(
        lambda listener, stop: optimize(settings, listener=listener, stop=stop), quiet, as_json
    )


def is_optimisation(run: str) -> bool:
    """Return whether a run of this name is an optimisation."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        return base.get_run(run).workflow == "optimize"


def go_on(run: str, budgets: "Budgets", quiet: bool, as_json: bool) -> None:
    """Resume a run and print what came of it."""
    from ..agents.acquisition import resume

    _watched(
        lambda listener, stop: resume(run, budgets=budgets, listener=listener, stop=stop),
        quiet,
        as_json,
    )


def _watched(
    work: Callable[["Listener", threading.Event], "Report"], quiet: bool, as_json: bool
) -> None:
    from ..agents.acquisition import Interrupted
    from .optimize_watch import print_report, watch
    from .running import watched

    watched(work, watch(quiet), print_report, Interrupted, as_json)


def ask(study: str, settings: "OptimisationSettings | None", count: int, as_json: bool) -> None:
    """Print the next points of a study, which is begun if settings are given and there is none."""
    import json

    from ..agents.acquisition import ask as ask_study
    from ..agents.acquisition import open_named
    from ..agents.acquisition.ask_tell import trial_json
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        run = open_named(base, study, settings)
        trials = ask_study(base, run, count)
    if as_json:
        print_json({"study": study, "run": run.id, "trials": [trial_json(t) for t in trials]})
        return
    for trial in trials:
        print(f"{trial.number}\t{json.dumps(trial.point)}\t{trial.arm or trial.phase}")


def tell(
    study: str | None,
    number: int | None,
    value: float | None,
    noise: float | None,
    failed: str | None,
    as_json: bool,
) -> None:
    """Store the result of a trial."""
    from ..agents.acquisition import summarise
    from ..agents.acquisition import tell as tell_study
    from ..agents.acquisition.ask_tell import trial_json
    from ..knowledge_base import KnowledgeBase

    if study is None or number is None or (value is None) == (failed is None):
        fail(
            "Say which trial gave what: --study NAME --number N --value V, or --failed WHY "
            "instead of --value.",
            as_json=as_json,
        )
    with KnowledgeBase() as base:
        run = base.studies.find(study)
        trial = tell_study(base, run, number, value, noise=noise, message=failed or "")
        best = summarise(base, run).value
    if as_json:
        print_json({"study": study, "run": run.id, "trial": trial_json(trial), "best": best})
    else:
        shown = "none" if best is None else f"{best:.6g}"
        print(f"trial {number}: {trial.status}; best so far {shown}")
