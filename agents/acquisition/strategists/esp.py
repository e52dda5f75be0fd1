"""Entropy search portfolio (Shahriari et al., arXiv 1406.4625)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from ..choice import Choice, Floats, Posterior, Source
from ..state import State
from .gains import nominations


@dataclass(frozen=True)
class EntropySearch:
    """Takes the nominee whose value would tell most about where the minimum is.

    The minimum is looked for among representer points: the minimisers of draws from the posterior on
    ``grid`` space-filling points. For each nominee the entropy of the minimiser's distribution is
    averaged over ``outcomes`` equally likely values, each with ``draws`` samples.
    """

    grid: int = 256
    representers: int = 50
    outcomes: int = 10
    draws: int = 500
    name: str = "esp"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Compare the expected entropies of all nominees."""
        nominees = nominations(posterior, state.arms)
        rng = np.random.default_rng(draw.getrandbits(63))
        grid = posterior.spread(self.grid, draw.getrandbits(31))
        mean, covariance = posterior.joint(grid)
        chosen = representers(mean, covariance, self.representers, rng)
        points = [grid[index] for index in chosen]
        entropies = {}
        noise = posterior.noise_variance()
        normal = rng.standard_normal((self.draws, len(points)))
        for arm, nominee in nominees.items():
            mean, covariance = posterior.joint([*points, nominee])
            entropies[arm] = expected_entropy(mean, covariance, noise, self.outcomes, normal)
        best = min(state.arms, key=lambda arm: entropies[arm])
        reason = f"its point leaves {entropies[best]:.3f} nats of doubt about the minimum"
        return Choice(best, reason, Source.BANDIT, {})


def representers(
    mean: Floats, covariance: Floats, count: int, rng: np.random.Generator
) -> list[int]:
    """Return up to ``count`` distinct minimisers of posterior draws, in the order they were drawn."""
    root = square_root(covariance)
    samples = mean + rng.standard_normal((4 * count, len(mean))) @ root.T
    return list(dict.fromkeys(samples.argmin(axis=1).tolist()))[:count]


def expected_entropy(
    mean: Floats, covariance: Floats, noise: float, outcomes: int, normal: Floats
) -> float:
    """Return the expected entropy, in nats, of the minimiser after observing the last point.

    Args:
        mean: posterior means ``[r + 1]`` of the representers and, last, the point to observe.
        covariance: their posterior covariance ``[r + 1, r + 1]``.
        noise: variance of the observation.
        outcomes: how many equally likely observations are averaged over.
        normal: standard normal draws ``[draws, r]``, the same for all points compared.

    """
    spread = float(np.sqrt(covariance[-1, -1] + noise))
    gain = covariance[:-1, -1] / max(spread, 1e-12)
    after = covariance[:-1, :-1] - np.outer(gain, gain)
    samples = normal @ square_root(after).T + mean[:-1]
    quantiles = norm.ppf((np.arange(outcomes) + 0.5) / outcomes)
    total = 0.0
    for z in quantiles:
        winners = (samples + gain * z).argmin(axis=1)
        shares = np.bincount(winners, minlength=len(gain)) / len(normal)
        positive = shares[shares > 0]
        total -= float(np.sum(positive * np.log(positive)))
    return total / outcomes


def square_root(covariance: Floats) -> Floats:
    """Return a matrix whose product with its transpose is the nearest positive semidefinite one."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root: Floats = vectors * np.sqrt(np.clip(values, 0.0, None))
    return root
