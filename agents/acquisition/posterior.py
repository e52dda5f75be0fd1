"""The engine's surrogate as strategists see it: standardised and turned to be minimised."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...evaluators.bayesopt import Optimizer, Surrogate
from ...evaluators.bayesopt.sampling import sample
from .choice import Floats, Point


@dataclass(frozen=True)
class EnginePosterior:
    """Answers from one fitted surrogate; the optimiser itself is never changed."""

    optimizer: Optimizer
    surrogate: Surrogate

    def nominate(self, arm: str) -> Point:
        """Return the point that this arm would propose now, asked of a copy."""
        outside = list(self.optimizer.outside.values())
        copy = Optimizer.from_state(self.optimizer.state(), outside)
        return copy.ask(arm)[0].point

    def mean(self, points: Sequence[Point]) -> Floats:
        """Return the posterior means ``[n]``."""
        utility, _ = self.surrogate.utility(self.optimizer.space.encode(points))
        return -utility

    def joint(self, points: Sequence[Point]) -> tuple[Floats, Floats]:
        """Return the posterior mean ``[n]`` and covariance ``[n, n]`` of the noise-free function."""
        utility, covariance = self.surrogate.joint(self.optimizer.space.encode(points))
        return -utility, covariance

    def noise_variance(self) -> float:
        """Return the variance of the observation noise, in standardised units."""
        return float(self.surrogate.noise_variance)

    def spread(self, count: int, seed: int) -> Sequence[Point]:
        """Return ``count`` space-filling points of the feasible space."""
        space = self.optimizer.space
        return space.decode(sample(space, count, seed))
