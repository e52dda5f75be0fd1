"""What an optimisation tells those who watch it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass
class Progress:
    """Where a run stands; one object per run, updated in place before each event."""

    run: str = ""
    strategist: str = ""
    budget: int = 0
    number: int = 0
    """The trial that the event is about."""
    point: Mapping[str, Any] = field(default_factory=dict)
    value: float | None = None
    incumbent: float | None = None
    improved: bool = False
    arm: str = ""
    source: str = ""
    reason: str = ""
    message: str = ""
    """Why the evaluation failed."""
    choice_s: float = 0.0
    evaluation_s: float = 0.0
    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


EventKind = Literal["started", "suggested", "evaluated", "finished"]
Listener = Callable[[EventKind, Progress], None]


def silent(kind: EventKind, progress: Progress) -> None:
    """Listen to nothing."""
