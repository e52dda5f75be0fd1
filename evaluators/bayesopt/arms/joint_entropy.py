"""Joint entropy search (Hvarfner, Hutter and Nardi 2022; Tu et al. 2022), the lower bound."""

from typing import Any

from .arm import Belief
from .optima import sampled_optima

OPTIMA = 4


class JointEntropySearch:
    """Information about the optimum's place and value together."""

    name = "JES"
    help = "Asks where an evaluation tells most about the optimum's place and value; costly."
    cost = 7.8
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return the expected fall of the joint entropy of the optimum and its value."""
        from botorch.acquisition.joint_entropy_search import qJointEntropySearch

        inputs, outputs = sampled_optima(belief, OPTIMA)
        return qJointEntropySearch(belief.model, inputs, outputs, estimation_type="LB")


arm = JointEntropySearch()
