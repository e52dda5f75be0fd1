"""Expected improvement (Jones, Schonlau and Welch 1998)."""

from typing import Any

from .arm import Belief


class ExpectedImprovement:
    """E[max(utility - incumbent, 0)]."""

    name = "EI"
    help = "A sound balance of likely and large gains; flat where improvement is hopeless."
    cost = 0.5
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the expected improvement over the incumbent."""
        from botorch.acquisition import ExpectedImprovement

        return ExpectedImprovement(belief.model, best_f=belief.incumbent)


arm = ExpectedImprovement()
