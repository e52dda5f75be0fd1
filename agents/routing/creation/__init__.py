"""Create a solver for a routing problem with four agents, and verify it independently (AFL)."""

from .errors import CreationError, Declined, Interrupted
from .events import Progress
from .report import Created
from .run import Task, create_solver, resume_creation
from .settings import CreateBudgets, CreateSettings
from .verifying import Verified, Verifier

__all__ = [
    "CreateBudgets",
    "CreateSettings",
    "Created",
    "CreationError",
    "Declined",
    "Interrupted",
    "Progress",
    "Task",
    "Verified",
    "Verifier",
    "create_solver",
    "resume_creation",
]
