"""Max-value entropy search (Wang and Jegelka 2017) by the GIBBON lower bound (Moss et al. 2021)."""

from typing import Any

from .arm import Belief


class MaxValueEntropySearch:
    """Information about the best value."""

    name = "MES"
    help = "Asks where an evaluation tells most about the best value; a cheap information-based choice."
    cost = 2.1
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the information gain about the maximum, sampled over the whole feasible space."""
        from botorch.acquisition import qLowerBoundMaxValueEntropy

        return qLowerBoundMaxValueEntropy(belief.model, candidate_set=belief.candidates)


arm = MaxValueEntropySearch()
