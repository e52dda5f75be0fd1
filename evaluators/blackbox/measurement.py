"""What a black box is and what one evaluation gives."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from ..bayesopt import Space

Point = Mapping[str, Any]
"""Parameter names to values: float, int, or one of a category's choices."""


@dataclass(frozen=True)
class Measurement:
    """The outcome of one evaluation.

    Args:
        value: what was measured; None when the evaluation failed.
        noise: standard deviation of the value, where the black box knows it.
        message: why there is no value, in one sentence.
        seconds: wall-clock seconds that it took.
    """

    value: float | None
    noise: float | None = None
    message: str = ""
    seconds: float = 0.0

    @classmethod
    def of(cls, value: float, noise: float | None = None, seconds: float = 0.0) -> Self:
        """Return a measurement; a value that is not finite is a failure that says so."""
        if not math.isfinite(value):
            return cls(None, message=f"the value is {value}", seconds=seconds)
        if noise is not None and not (math.isfinite(noise) and noise >= 0):
            return cls(None, message=f"the noise is {noise}", seconds=seconds)
        return cls(value, noise, seconds=seconds)


class Blackbox(Protocol):
    """A function to optimise."""

    @property
    def name(self) -> str:
        """How it is called in reports."""
        ...

    @property
    def space(self) -> "Space":
        """Its parameters."""
        ...

    @property
    def minimise(self) -> bool:
        """Whether small values are good."""
        ...

    @property
    def optimum(self) -> float | None:
        """The best possible value, where it is known."""
        ...

    def evaluate(self, point: Point) -> Measurement:
        """Evaluate one point; a failure is a measurement without a value, never an exception."""
        ...
