"""Choose acquisition functions for Bayesian optimisation (LMABO), and run it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ask_tell import ask as ask
    from .ask_tell import open_named as open_named
    from .ask_tell import tell as tell
    from .errors import Interrupted as Interrupted
    from .errors import OptimisationError as OptimisationError
    from .evolved import find_evolved as find_evolved
    from .report import Report as Report
    from .report import summarise as summarise
    from .run import optimize as optimize
    from .run import resume as resume
    from .settings import EvolvedFunction as EvolvedFunction
    from .settings import OptimisationSettings as OptimisationSettings
    from .settings import Target as Target

_HOMES = {
    "EvolvedFunction": "settings",
    "Interrupted": "errors",
    "OptimisationError": "errors",
    "OptimisationSettings": "settings",
    "Report": "report",
    "Target": "settings",
    "ask": "ask_tell",
    "find_evolved": "evolved",
    "open_named": "ask_tell",
    "optimize": "run",
    "resume": "run",
    "summarise": "report",
    "tell": "ask_tell",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
