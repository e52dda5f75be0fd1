"""What the optimiser proposes and remembers: suggestions and trials, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class TrialState(StrEnum):
    """Where a trial stands."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class Phase(StrEnum):
    """Who proposed a point: the initial design, the model, or somebody outside."""

    INITIAL = "initial"
    MODEL = "model"
    IMPORTED = "imported"


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate.

    ``diagnostics`` (plain JSON data) says what happened on the way: the value of the acquisition
    function, fallback steps, replaced duplicates, a reached time cap.
    """

    number: int
    point: dict[str, Any]
    arm: str | None
    phase: Phase
    diagnostics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One evaluation, asked for or done.

    ``value`` is in the user's units and sign; ``noise_sd`` is the known standard deviation of its
    noise, None if unknown. A failed trial has no value, and ``message`` says why.
    """

    number: int
    point: dict[str, Any]
    state: TrialState
    value: float | None = None
    noise_sd: float | None = None
    arm: str | None = None
    phase: Phase = Phase.MODEL
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as plain data."""
        return {**asdict(self), "state": str(self.state), "phase": str(self.phase)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Trial":
        """Return the trial of plain data."""
        return cls(**{**data, "state": TrialState(data["state"]), "phase": Phase(data["phase"])})
