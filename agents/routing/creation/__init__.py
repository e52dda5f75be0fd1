"""Create a solver for a routing problem with four agents, and verify it independently (AFL)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import CreationError as CreationError
    from .errors import Declined as Declined
    from .errors import Interrupted as Interrupted
    from .events import Progress as Progress
    from .report import Created as Created
    from .run import Task as Task
    from .run import create_solver as create_solver
    from .run import resume_creation as resume_creation
    from .settings import CreateBudgets as CreateBudgets
    from .settings import CreateSettings as CreateSettings
    from .verifying import Verified as Verified
    from .verifying import Verifier as Verifier

_HOMES = {
    "CreateBudgets": "settings",
    "CreateSettings": "settings",
    "Created": "report",
    "CreationError": "errors",
    "Declined": "errors",
    "Interrupted": "errors",
    "Progress": "events",
    "Task": "run",
    "Verified": "verifying",
    "Verifier": "verifying",
    "create_solver": "run",
    "resume_creation": "run",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
