"""Upper confidence bound (Srinivas et al. 2010) with the paper's beta = 4 ln N."""

from typing import Any

from .arm import Belief


class UpperConfidenceBound:
    """mean + sqrt(4 ln N) sd, N evaluations so far."""

    name = "UCB"
    help = (
        "Explores with a preference for promising regions; useful after steps without improvement."
    )
    cost = 0.7
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the optimistic bound."""
        import math

        from botorch.acquisition import UpperConfidenceBound as Bound

        return Bound(belief.model, beta=4 * math.log(max(belief.evaluations, 2)))


arm = UpperConfidenceBound()
