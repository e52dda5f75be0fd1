"""States and posteriors made by hand, for strategists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from eurisko.agents.acquisition.choice import Point
from eurisko.agents.acquisition.state import Past, State

ARMS = ("LogEI", "UCB")


@dataclass
class Told:
    """A posterior that says what the test tells it; arm i nominates the point {"x": i}."""

    means: Mapping[float, float] = field(default_factory=dict)
    covariance: np.ndarray | None = None

    def nominate(self, arm: str) -> Point:
        return {"x": float(ARMS.index(arm))}

    def mean(self, points: Sequence[Point]) -> np.ndarray:
        return np.array([self.means[point["x"]] for point in points])

    def joint(self, points: Sequence[Point]) -> tuple[np.ndarray, np.ndarray]:
        places = [int(point["x"]) for point in points]
        assert self.covariance is not None
        return np.zeros(len(places)), self.covariance[np.ix_(places, places)]

    def noise_variance(self) -> float:
        return 0.0

    def spread(self, count: int, seed: int) -> Sequence[Point]:
        return [{"x": float(index)} for index in range(2, 6)]


def make_state(
    history: Sequence[tuple[str, bool]] = (), remaining: int = 9, arms: Sequence[str] = ARMS
) -> State:
    past = tuple(Past(5 + i, arm, good, float(good)) for i, (arm, good) in enumerate(history))
    return State(
        evaluations=5 + len(past),
        remaining=remaining,
        dimensions=2,
        lowest=-1.0,
        highest=3.0,
        mean=0.5,
        deviation=1.2,
        since_improvement=0,
        nearest=0.012345678,
        from_incumbent=0.2,
        length_scales=(0.3, 0.4),
        output_scale=1.0,
        noise=0.01,
        loo_error=0.5,
        loo_coverage=0.9,
        incumbent_deviation=0.02,
        fit="",
        arms=tuple(arms),
        history=past,
    )
