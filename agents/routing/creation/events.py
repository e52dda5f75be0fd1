"""What a listener hears while a solver is created."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Progress:
    """How far a creation is.

    ``stage`` is ``describe``, ``write``, ``judge``, ``check`` or ``diagnose``; ``text`` says what was
    done in one line; ``calls`` and ``tokens`` are those of the whole run.
    """

    run: str
    stage: str = ""
    function: str = ""
    text: str = ""
    calls: int = 0
    tokens: int = 0


Listener = Callable[[str, Progress], None]
"""Called with ``started``, ``step`` and ``ended``."""


def silent(kind: str, progress: Progress) -> None:
    """Hear nothing."""
