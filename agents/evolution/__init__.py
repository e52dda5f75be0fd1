"""Evolve a population of heuristics (HiFo-Prompt).

``evolve`` starts a run, ``resume`` goes on with one, ``summarise`` reads its report.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..running.budget import Budgets as Budgets
    from .errors import EvolutionError as EvolutionError
    from .errors import Interrupted as Interrupted
    from .evaluation import Evaluator as Evaluator
    from .events import Progress as Progress
    from .export import standalone as standalone
    from .page import write_report as write_report
    from .recording import write_run_recording as write_run_recording
    from .report import RunReport as RunReport
    from .report import summarise as summarise
    from .run import evolve as evolve
    from .run import resume as resume
    from .settings import EvolutionSettings as EvolutionSettings

_HOMES = {
    "Budgets": "settings",
    "Evaluator": "evaluation",
    "EvolutionError": "errors",
    "EvolutionSettings": "settings",
    "Interrupted": "errors",
    "Progress": "events",
    "RunReport": "report",
    "evolve": "run",
    "resume": "run",
    "standalone": "export",
    "summarise": "report",
    "write_report": "page",
    "write_run_recording": "recording",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
