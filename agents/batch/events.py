"""What a listener hears of a job at work."""

from collections.abc import Callable
from dataclasses import dataclass

from ...telemetry import event


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


def logged(listener: Listener) -> Listener:
    """Return a listener that also logs what it hears."""

    def hear(kind: str, progress: Progress) -> None:
        event(
            f"job_{kind}",
            job=progress.run,
            label=progress.label or None,
            done=progress.done,
            failed=progress.failed,
            total=progress.total,
        )
        listener(kind, progress)

    return hear


def silent(kind: str, progress: Progress) -> None:
    """Hear nothing."""
