"""The search space of a constant: one coordinate, 0 at the value that it has now."""

import math
from dataclasses import dataclass
from typing import Literal

DIGITS = 4
"""Floats keep so many significant digits."""

SMALL = 20
"""Integers up to this one are searched as integers; larger ones by their logarithm."""

SPREAD = 0.3
"""The standard deviation at the start, relative to the value."""

FACTOR = 10.0
"""How far a value may get from where it started: this factor either way."""

STEPS = 30.0
"""The same for a value whose sign may change, in standard deviations at the start."""


@dataclass(frozen=True)
class Axis:
    """One coordinate ``x`` of the optimiser.

    Args:
        start: the value at ``x = 0``.
        kind: ``log``, value = start·exp(x), so that the sign is kept; ``integer``, value = start + x,
            rounded; ``linear``, value = start + x, whose sign may change.
        integer: whether values are integers.
        std: the standard deviation of x at the start.
        floor: below which it never falls, so that an integer can still move.
        low, high: the bounds of x.

    """

    start: float | int
    kind: Literal["log", "integer", "linear"]
    integer: bool
    std: float
    floor: float
    low: float
    high: float

    def value(self, x: float) -> float | int:
        """Return the value at a coordinate; integers rounded, floats to four significant digits."""
        x = min(max(x, self.low), self.high)
        raw = self.start * math.exp(x) if self.kind == "log" else self.start + x
        return max(1, round(raw)) if self.integer else rounded(raw)


def axis_of(value: float | int) -> Axis:
    """Return the axis of a positive literal of a program: its sign and its type are kept."""
    if isinstance(value, int) and value <= SMALL:
        std = max(0.8, SPREAD * value)
        return Axis(value, "integer", True, std, 0.3, 0.51 - value, FACTOR * value)
    reach = math.log(FACTOR)
    return Axis(value, "log", isinstance(value, int), SPREAD, 0.0, -reach, reach)


def signed_axis(value: float, span: float) -> Axis:
    """Return the axis of a constant that may change its sign, of a type whose values span ``span``."""
    std = SPREAD * max(abs(value), span / 10)
    return Axis(value, "linear", False, std, 0.0, -STEPS * std, STEPS * std)


def rounded(value: float) -> float:
    """Return a value to four significant digits, and never a negative zero."""
    return float(f"{value:.{DIGITS}g}") + 0.0
