"""Predictive entropy search (Hernández-Lobato et al. 2014), BoTorch's expectation propagation.

Not climbed by gradients: the propagation's gradients are costly and often fail.
"""

from typing import Any

from .arm import Belief
from .optima import sampled_optima

OPTIMA = 4


class PredictiveEntropySearch:
    """Information about where the optimum is."""

    name = "PES"
    help = "Asks where an evaluation tells most about the place of the optimum; rough, not climbed."
    cost = 0.7
    gradient = False

    def acquisition(self, belief: Belief) -> Any:
        """Return the expected fall of the entropy of the optimum's place."""
        from botorch.acquisition.predictive_entropy_search import qPredictiveEntropySearch

        return qPredictiveEntropySearch(belief.model, sampled_optima(belief, OPTIMA)[0])


arm = PredictiveEntropySearch()
