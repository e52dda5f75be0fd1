"""Runs untrusted programs in single-use jailed processes.

Usable on its own: ``from eurisko.sandbox import Sandbox``.
"""

from .devices import CPU
from .devices import acceptable as devices_for
from .devices import concrete as concrete_device
from .errors import SandboxClosed, SandboxError
from .inputs import Inputs
from .layers import Layers
from .limits import ArraySpec, Limits, Program, Rows
from .outcome import Outcome, OutcomeKind
from .policy import DEFAULT_POLICY, Policy
from .report import Level, Report
from .sandbox import Sandbox
from .session import Session, SessionEnded

__all__ = [
    "CPU",
    "DEFAULT_POLICY",
    "ArraySpec",
    "Inputs",
    "Layers",
    "Level",
    "Limits",
    "Outcome",
    "OutcomeKind",
    "Policy",
    "Program",
    "Report",
    "Rows",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
    "Session",
    "SessionEnded",
    "concrete_device",
    "devices_for",
]
