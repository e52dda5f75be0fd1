"""Probability of improvement (Kushner 1964)."""

from typing import Any

from .arm import Belief


class ProbabilityOfImprovement:
    """P(utility > incumbent)."""

    name = "PI"
    help = (
        "Likely small gains next to the incumbent; greedy, and apt to repeat nearly the same point."
    )
    cost = 1.0
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the probability that a point beats the incumbent."""
        from botorch.acquisition import ProbabilityOfImprovement

        return ProbabilityOfImprovement(belief.model, best_f=belief.incumbent)


arm = ProbabilityOfImprovement()
