"""Log expected improvement (Ament et al. 2023): ranks as EI does, without vanishing gradients."""

from typing import Any

from .arm import Belief


class LogExpectedImprovement:
    """log E[max(utility - incumbent, 0)]."""

    name = "LogEI"
    help = (
        "The default: the balance of EI, found reliably also late in a run and in many dimensions."
    )
    cost = 1.0
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the log of the expected improvement over the incumbent."""
        from botorch.acquisition import LogExpectedImprovement

        return LogExpectedImprovement(belief.model, best_f=belief.incumbent)


arm = LogExpectedImprovement()
