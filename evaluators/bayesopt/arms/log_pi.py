"""Log probability of improvement: ranks as PI does, with usable gradients far out."""

from typing import Any

from .arm import Belief


class LogProbabilityOfImprovement:
    """log P(utility > incumbent)."""

    name = "LogPI"
    help = "As PI, but still climbs where the probability is too small to see; a greedy finish."
    cost = 1.8
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the log probability that a point beats the incumbent."""
        from botorch.acquisition.analytic import LogProbabilityOfImprovement

        return LogProbabilityOfImprovement(belief.model, best_f=belief.incumbent)


arm = LogProbabilityOfImprovement()
