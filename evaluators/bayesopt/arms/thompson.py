"""Thompson sampling by one pathwise posterior draw (Wilson et al. 2020), climbed by gradients."""

from typing import Any

from .arm import Belief


class ThompsonSampling:
    """One function drawn from the posterior."""

    name = "TS"
    help = "A random but plausible optimum each time; varied exploration, good for batches."
    cost = 0.8
    gradient = True

    def acquisition(self, belief: Belief) -> Any:
        """Return one draw from the posterior, a deterministic function."""
        import torch
        from botorch.sampling.pathwise import draw_matheron_paths

        paths = draw_matheron_paths(belief.model, sample_shape=torch.Size([1]))
        return lambda points: paths(points.squeeze(-2).unsqueeze(0)).reshape(points.shape[0])


arm = ThompsonSampling()
