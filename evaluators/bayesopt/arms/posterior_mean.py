"""Posterior mean: pure exploitation."""

from typing import Any

from .arm import Belief


class PosteriorMean:
    """The mean of the utility."""

    name = "PosMean"
    help = "Goes where the model expects the best value; for the last steps, blind to uncertainty."
    cost = 0.4
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the posterior mean."""
        from botorch.acquisition import PosteriorMean as Mean

        return Mean(belief.model)


arm = PosteriorMean()
