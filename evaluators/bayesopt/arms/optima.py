"""Where the optimum may be: maximisers of functions drawn from the posterior."""

from typing import Any

from .arm import Belief


def sampled_optima(belief: Belief, count: int) -> tuple[Any, Any]:
    """Return ``count`` sampled maximisers [count, columns] and their values [count, 1].

    Each is the best of the candidates and known points under one pathwise draw, so it lies inside
    the feasible space and on its lattice.
    """
    import torch
    from botorch.sampling.pathwise import draw_matheron_paths

    points = torch.cat([belief.candidates, belief.rows])
    with torch.no_grad():
        values = draw_matheron_paths(belief.model, torch.Size([count]))(points)
    best = values.reshape(count, -1).max(dim=-1)
    return points[best.indices], best.values.unsqueeze(-1)
