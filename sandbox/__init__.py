"""Runs untrusted programs in single-use jailed processes.

Usable on its own: ``from eurisko.sandbox import Sandbox``.
"""

from .errors import SandboxClosed, SandboxError
from .inputs import Inputs
from .limits import ArraySpec, Limits, Program
from .outcome import Outcome, OutcomeKind
from .sandbox import Sandbox

__all__ = [
    "ArraySpec",
    "Inputs",
    "Limits",
    "Outcome",
    "OutcomeKind",
    "Program",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
]
