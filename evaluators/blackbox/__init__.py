"""Black boxes: functions of a point that cost something to evaluate.

Benchmark functions by name (:func:`get_blackbox`, :func:`suite`), and a user's own: a Python file in
the sandbox, a trusted Python file, or a command.
"""

from .command import CommandBlackbox
from .measurement import Blackbox, Measurement, Point
from .registry import blackbox_names, get_blackbox, suite, suite_names
from .sandboxed import SandboxedBlackbox
from .space_yaml import read_space_file
from .trusted import TrustedBlackbox

__all__ = [
    "Blackbox",
    "CommandBlackbox",
    "Measurement",
    "Point",
    "SandboxedBlackbox",
    "TrustedBlackbox",
    "blackbox_names",
    "get_blackbox",
    "read_space_file",
    "suite",
    "suite_names",
]
