"""Integers for solvers that know nothing else, chosen so that what fits them fits the instance.

A power of ten makes the numbers integers where one does so exactly; otherwise the largest number
gets six digits. Amounts, ways and times are then rounded up and limits down, so that a plan within
the integer limits is within the real ones; a leg's cost is wrong by at most 1/100,000 of the
longest. More digits would take PyVRP's penalties, which are sums in 64 bits, out of their range.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..instance import Floats, RoutingInstance

Integers = NDArray[np.int64]

_LARGEST_EXACT = 10**7
_DIGITS = 6
_MOST_PARTS = 1000
_EXACT = 1e-7  # relative to the unit: how near to an integer counts as one
UNBOUNDED = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Scale:
    """Numbers times ``factor`` become integers; ``exact`` where nothing is rounded."""

    factor: float
    exact: bool

    def up(self, values: ArrayLike) -> Integers:
        """Return integers, rounded up; infinite values must be replaced before."""
        scaled = np.asarray(values, dtype=np.float64) * self.factor
        return self._round(scaled, np.ceil(scaled))

    def down(self, values: ArrayLike, largest: int = UNBOUNDED) -> Integers:
        """Return integers, rounded down; infinite limits become ``largest``."""
        scaled = np.asarray(values, dtype=np.float64) * self.factor
        finite = np.isfinite(scaled)
        safe = np.where(finite, scaled, 0.0)
        rounded = self._round(safe, np.floor(safe))
        return np.where(finite, np.minimum(rounded, largest), largest)

    def _round(self, scaled: Floats, away: Floats) -> Integers:
        """Take the nearest integer where it is the number but for the rounding of decimals."""
        nearest = np.rint(scaled)
        close = np.abs(scaled - nearest) <= np.maximum(_EXACT * 1e-3, 1e-12 * np.abs(scaled))
        close |= self.exact
        return np.where(close, nearest, away).astype(np.int64)


def scale_of(*arrays: ArrayLike, fractions_of: float | None = None, digits: int = _DIGITS) -> Scale:
    """Return the scale for the finite numbers of some arrays.

    Args:
        arrays: the numbers.
        fractions_of: a number that all may be simple fractions of, such as a capacity: demands of
            1/30 must still fill a vehicle of 1 exactly.
        digits: of the largest number, where no power of ten is exact.
    """
    numbers = np.concatenate([np.asarray(array, dtype=np.float64).ravel() for array in arrays])
    numbers = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    if not len(numbers):
        return Scale(1.0, True)
    largest = float(numbers.max())
    for power in range(10):
        factor = 10.0**power
        if power and largest * factor > _LARGEST_EXACT:
            break
        scaled = numbers * factor
        if (np.abs(scaled - np.rint(scaled)) <= _EXACT * np.minimum(1.0, scaled)).all():
            return Scale(factor, True)
    if fractions_of is not None and 0 < fractions_of < np.inf:
        for parts in range(2, _MOST_PARTS):
            scaled = numbers * (parts / fractions_of)
            if (np.abs(scaled - np.rint(scaled)) <= 1e-12 * np.maximum(parts, scaled)).all():
                return Scale(parts / fractions_of, True)
    whole = int(np.floor(np.log10(largest))) + 1
    return Scale(10.0 ** max(digits - whole, 0), False)


@dataclass(frozen=True)
class Scales:
    """Scales of an instance: ways, times, and one for each load dimension.

    Clocks start at ``zero``, before which no vehicle leaves.
    """

    distance: Scale
    time: Scale
    loads: tuple[Scale, ...]
    zero: float

    def notes(self) -> tuple[str, ...]:
        """Say what was rounded; nothing where all is exact."""
        named = [("distances", self.distance), ("times", self.time)]
        named += [("loads", scale) for scale in self.loads]
        rounded = dict.fromkeys(
            f"{name} times {scale.factor:g}" for name, scale in named if not scale.exact
        )
        if not rounded:
            return ()
        words = ", ".join(rounded)
        return (f"solved in integers, rounded to the safe side: {words}",)


def scales_of(instance: RoutingInstance) -> Scales:
    """Return the scales of an instance."""
    fleet = instance.fleet
    distance = scale_of(instance.distances, fleet.max_distance)
    opening = instance.windows[instance.depots, :, 0].min(initial=np.inf)
    zero = max(float(opening), float(fleet.shift[:, 0].min()))
    zero = zero if np.isfinite(zero) else 0.0
    time = scale_of(
        instance.durations,
        instance.service,
        np.maximum(instance.windows - zero, 0.0),
        np.maximum(fleet.shift - zero, 0.0),
        np.maximum(instance.release - zero, 0.0),
        *(fleet.max_duration, fleet.max_driving),
        *(fleet.max_driving_unbroken, fleet.break_length),
        digits=_DIGITS + 1,  # rounded up, too coarse times would miss tight windows
    )
    loads = tuple(
        scale_of(
            instance.deliveries[:, d],
            instance.pickups[:, d],
            fleet.capacity[:, d],
            fractions_of=float(fleet.capacity[:, d].max()),
        )
        for d in range(instance.load_dimensions)
    )
    return Scales(distance, time, loads, zero)


def cost_factor(rates: ArrayLike) -> float:
    """Return the power of ten that makes cost rates integers, or nearly so."""
    return min(scale_of(rates).factor, 1e3)
