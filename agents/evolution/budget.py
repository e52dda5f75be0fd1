"""What a run has spent, and when its time is up."""

import time
from dataclasses import dataclass, field

from ...knowledge_base import KnowledgeBase


@dataclass(frozen=True)
class Spent:
    """Requests to a model, tokens and US dollars; ``usd`` is None when a price is unknown."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    @classmethod
    def of_run(cls, knowledge_base: KnowledgeBase, run_id: str) -> "Spent":
        """Return what a run's calls cost so far, all its processes together."""
        calls, tokens, usd = knowledge_base.spent(run_id)
        return cls(calls, tokens, usd)


@dataclass
class TimeBudget:
    """A limit on wall-clock seconds, counted from the moment this process began the run."""

    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def exhausted(self) -> str:
        """Return the reason to stop, or an empty string while there is time."""
        if self.seconds is None or time.monotonic() - self.started < self.seconds:
            return ""
        return f"The time budget of {self.seconds:g} s is used up."
