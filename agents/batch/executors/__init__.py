"""Where the items of a job are done: in this process, or on a Ray cluster."""

from .base import Answer, Executor
from .desk import Desk
from .local import LocalExecutor

__all__ = ["Answer", "Desk", "Executor", "LocalExecutor"]
