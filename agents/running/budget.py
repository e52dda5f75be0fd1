"""What a run may spend, what it has spent, and when its time is up."""

import time
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ...knowledge_base import KnowledgeBase


class Budgets(BaseModel):
    """Limits that end a run cleanly; None means no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: Annotated[int, Field(gt=0)] | None = None
    tokens: Annotated[int, Field(gt=0)] | None = None
    usd: Annotated[float, Field(gt=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None


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
