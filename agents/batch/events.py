"""What a listener hears of a job at work."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Progress:
    """How far a job is; counts are those of the whole job, of all coordinators."""

    run: str
    total: int
    done: int = 0
    failed: int = 0
    evaluated: int = 0
    """Evaluations made by this coordinator."""
    reused: int = 0
    """Items whose result was known already."""
    label: str = ""
    """The program and data set that ended last."""


Listener = Callable[[str, Progress], None]
"""Called with ``started``, ``item``, ``waiting`` (for the database), ``ended``."""


def silent(kind: str, progress: Progress) -> None:
    """Hear nothing."""
