"""Tell those who watch a run how it stands."""

from collections.abc import Callable
from dataclasses import dataclass

from ...telemetry import event
from ..running.budget import Spent
from .evaluation import Evaluator
from .events import EventKind, Listener, Progress


@dataclass(frozen=True)
class Telling:
    """Updates the progress and hands it to the listener."""

    progress: Progress
    listener: Listener
    spent: Callable[[], Spent]
    evaluator: Evaluator

    def failed(self, kind: str) -> None:
        """Count a failed candidate."""
        self.progress.failures[kind] = self.progress.failures.get(kind, 0) + 1

    def emit(self, kind: EventKind) -> None:
        """Tell of an event."""
        spent = self.spent()
        self.progress.calls, self.progress.tokens = spent.calls, spent.tokens
        self.progress.usd = spent.usd
        self.progress.evaluations = self.evaluator.evaluations
        self.progress.reused = self.evaluator.reused
        now = self.progress
        event(
            f"run_{kind}",
            run=now.run,
            generation=now.generation,
            candidates=now.candidates,
            evaluations=now.evaluations,
            best=now.best,
            mean=now.mean,
            calls=now.calls,
            tokens=now.tokens,
        )
        self.listener(kind, self.progress)
