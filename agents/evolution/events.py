"""What a run tells those who watch it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Progress:
    """Where a run stands; one object per run, updated in place before each event."""

    run: str = ""
    sandbox: str = ""
    """How well the sandbox confines programs, in one line."""
    generation: int = 0
    generations: int = 0
    operator: str = ""
    regime: str = ""
    """What the navigator tells this generation to do; empty without foresight."""
    inherited: int = 0
    """With how many insights of earlier runs this one began."""
    candidates: int = 0
    evaluations: int = 0
    reused: int = 0
    """Evaluations that the knowledge base answered."""
    failures: dict[str, int] = field(default_factory=dict)
    """Candidates that failed, by outcome (``no_program`` when there was nothing to run)."""
    best: float | None = None
    mean: float | None = None
    baseline: float | None = None
    """Objective of the seed heuristic on the search split."""
    history: list[list[float]] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


EventKind = Literal[
    "started",
    "begun",
    "proposed",
    "evaluated",
    "tuned",
    "selected",
    "reflected",
    "validated",
    "finished",
]
Listener = Callable[[EventKind, Progress], None]


def silent(kind: EventKind, progress: Progress) -> None:
    """Listen to nothing."""
