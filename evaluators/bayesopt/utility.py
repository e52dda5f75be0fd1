"""From the user's values to what the model sees: larger is better, standardised, no wild outliers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
OUTLIER = 20.0  # interquartile ranges below the median


@dataclass(frozen=True)
class Scale:
    """value = sign * (centre + spread * utility)."""

    sign: float
    centre: float
    spread: float

    def utility(self, values: Values) -> Values:
        """Return utilities [n] of values [n]."""
        return (self.sign * values - self.centre) / self.spread

    def mean(self, utility: Values) -> Values:
        """Return values [n] of utilities [n]."""
        return self.sign * (self.centre + self.spread * utility)

    def sd(self, utility: Values) -> Values:
        """Return standard deviations in the user's units."""
        return self.spread * utility


def standardise(values: Values, minimise: bool) -> tuple[Scale, Values]:
    """Return the scale and the utilities [n] (mean 0, standard deviation 1 where they vary).

    Bad outliers, more than 20 interquartile ranges worse than the median, are moved to that
    distance: one value of 1e30 would make all others look alike. Good outliers stay; they are what
    the search looks for.
    """
    sign = -1.0 if minimise else 1.0
    gains = sign * values
    lower, middle, upper = np.quantile(gains, [0.25, 0.5, 0.75])
    if upper > lower:
        gains = np.maximum(gains, middle - OUTLIER * (upper - lower))
    centre = float(gains.mean())
    spread = float(gains.std(ddof=1)) if len(gains) > 1 else 0.0
    if not spread > 1e-12 * max(1.0, abs(centre)):  # constant, or one value only
        spread = 1.0
    return Scale(sign, centre, spread), (gains - centre) / spread
