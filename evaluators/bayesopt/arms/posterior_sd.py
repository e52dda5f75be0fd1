"""Posterior standard deviation: pure exploration, the most uncertain point.

The LMABO code passed `maximize=False` to BoTorch, which negates, and so took the least uncertain one.
"""

from typing import Any

from .arm import Belief


class PosteriorStandardDeviation:
    """The standard deviation of the utility."""

    name = "PosSTD"
    help = (
        "Goes where the model knows least; for a model that fits badly or a search that is stuck."
    )
    cost = 0.4
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the posterior standard deviation."""
        from botorch.acquisition import PosteriorStandardDeviation as Deviation

        return Deviation(belief.model)


arm = PosteriorStandardDeviation()
