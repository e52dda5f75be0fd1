"""The kinds of parameter that a search space is made of.

Every kind knows how many columns of the unit cube it takes (``width``), how its values map to these
columns and back, and how one uniform number spreads over its values. Columns are scaled by the bounds
of the space, never by the data that happens to be there.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Columns = NDArray[np.float64]
Value = float | int | str | bool | None


def _check_bounds(name: str, low: float, high: float, log: bool) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"Parameter {name!r}: low ({low}) must be a number below high ({high}).")
    if log and low <= 0:
        raise InputError(f"Parameter {name!r}: a log scale needs low above 0, not {low}.")


@dataclass(frozen=True)
class Real:
    """A real number in [low, high], on a logarithmic scale if ``log``."""

    name: str
    low: float
    high: float
    log: bool = False
    width = 1

    def __post_init__(self) -> None:
        _check_bounds(self.name, self.low, self.high, self.log)

    def check(self, value: Any) -> float:
        """Return the value as a float. Raises InputError outside the bounds (1e-9 relative slack)."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise InputError(f"Parameter {self.name!r}: {value!r} is not a number.")
        slack = 1e-9 * (self.high - self.low)
        if not self.low - slack <= value <= self.high + slack:
            raise InputError(
                f"Parameter {self.name!r}: {value} lies outside [{self.low}, {self.high}]."
            )
        return min(max(float(value), self.low), self.high)

    def encode(self, value: Any) -> list[float]:
        """Return the position in [0, 1]."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        return [(self._scaled(float(value)) - low) / (high - low)]

    def decode(self, columns: Columns) -> float:
        """Return the value at a position [1] (clipped to the bounds)."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        scaled = low + min(max(float(columns[0]), 0.0), 1.0) * (high - low)
        return min(max(math.exp(scaled) if self.log else scaled, self.low), self.high)

    def spread(self, uniform: float) -> float:
        """Return the value at a uniform number in [0, 1)."""
        return self.decode(np.array([uniform]))

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.log else value


@dataclass(frozen=True)
class Integer:
    """A whole number in low..high; the optimiser only ever sees these lattice points."""

    name: str
    low: int
    high: int
    log: bool = False
    width = 1

    def __post_init__(self) -> None:
        _check_bounds(self.name, self.low, self.high, self.log)
        if self.low != int(self.low) or self.high != int(self.high):
            raise InputError(f"Parameter {self.name!r}: the bounds of an integer must be whole.")

    @property
    def size(self) -> int:
        """The number of values."""
        return int(self.high) - int(self.low) + 1

    @property
    def values(self) -> range:
        """All values in order."""
        return range(int(self.low), int(self.high) + 1)

    def check(self, value: Any) -> int:
        """Return the value as an int. Raises InputError if it isn't one of the values."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise InputError(f"Parameter {self.name!r}: {value!r} is not a whole number.")
        if not (math.isfinite(value) and value == int(value) and int(value) in self.values):
            raise InputError(
                f"Parameter {self.name!r}: {value} is not a whole number in {self.low}..{self.high}."
            )
        return int(value)

    def encode(self, value: Any) -> list[float]:
        """Return the position in [0, 1]."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        return [(self._scaled(value) - low) / (high - low)]

    def decode(self, columns: Columns) -> int:
        """Return the value nearest to a position [1]."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        scaled = low + min(max(float(columns[0]), 0.0), 1.0) * (high - low)
        return round(math.exp(scaled) if self.log else scaled)

    def spread(self, uniform: float) -> int:
        """Return the value at a uniform number in [0, 1); equally likely values unless ``log``."""
        low, high = self._scaled(self.low - 0.5), self._scaled(self.high + 0.5)
        scaled = low + uniform * (high - low)
        value = math.floor((math.exp(scaled) if self.log else scaled) + 0.5)
        return min(max(value, int(self.low)), int(self.high))

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.log else float(value)


@dataclass(frozen=True)
class Category:
    """One of several choices without an order: one column per choice, exactly one of them 1."""

    name: str
    choices: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        keys = [(type(one).__name__, one) for one in self.choices]
        if len(keys) < 2 or len(set(keys)) < len(keys):
            raise InputError(f"Parameter {self.name!r} needs two or more different choices.")

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.choices)

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.choices)

    @property
    def values(self) -> tuple[Value, ...]:
        """All choices in order."""
        return self.choices

    def check(self, value: Any) -> Value:
        """Return the choice equal to ``value``. Raises InputError if there is none."""
        for choice in self.choices:
            if choice == value and isinstance(choice, bool) == isinstance(value, bool):
                return choice
        known = ", ".join(repr(one) for one in self.choices)
        raise InputError(f"Parameter {self.name!r}: {value!r} is not one of {known}.")

    def encode(self, value: Any) -> list[float]:
        """Return the columns [choices]: 1 at the choice, else 0."""
        chosen = self.choices.index(self.check(value))
        return [float(index == chosen) for index in range(self.width)]

    def decode(self, columns: Columns) -> Value:
        """Return the choice of the largest column."""
        return self.choices[int(np.argmax(columns))]

    def spread(self, uniform: float) -> Value:
        """Return the choice at a uniform number in [0, 1)."""
        return self.choices[min(int(uniform * self.size), self.size - 1)]


@dataclass(frozen=True)
class Fixed:
    """A value that every point carries unchanged; it takes no column."""

    name: str
    value: Value
    width = 0

    def check(self, value: Any) -> Value:
        """Return the value. Raises InputError if another one is given."""
        if value != self.value:
            raise InputError(
                f"Parameter {self.name!r} is fixed at {self.value!r}, but {value!r} was given."
            )
        return self.value

    def encode(self, value: Any) -> list[float]:
        """Return no columns."""
        return []

    def decode(self, columns: Columns) -> Value:
        """Return the value."""
        return self.value

    def spread(self, uniform: float) -> Value:
        """Return the value."""
        return self.value


Parameter = Real | Integer | Category | Fixed
