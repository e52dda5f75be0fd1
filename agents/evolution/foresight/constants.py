"""The navigator's constants, with the published values as defaults (HiFo-Prompt, section 3.9)."""

from dataclasses import dataclass
from typing import Literal

Measure = Literal["description", "code", "behaviour", "decisions"]
Otherwise = Literal["balanced", "lottery"]


@dataclass(frozen=True)
class NavigatorConstants:
    """Thresholds of the regime rule and of the counters.

    Args:
        stagnation: generations without progress from which on to explore.
        progress: generations with progress from which on to exploit.
        diversity: diversity below which to explore, from 0 to 1.
        epsilon: smallest gain that counts as progress; a share of the previous best objective, or
            an absolute amount (the released code) when ``relative`` is False.
        relative: how ``epsilon`` is meant.
        quantum: absolute gain that progress must exceed in any case, for objectives that move in
            steps (objective units).
        otherwise: what to do when no rule fires: ``balanced`` (the paper) or ``lottery`` (the
            released code: explore, exploit and balanced with the shares below).
        explore_share, exploit_share: the lottery's shares; the rest is balanced.
        history: how many generations are remembered.

    """

    stagnation: int = 3
    progress: int = 2
    diversity: float = 0.3
    epsilon: float = 1e-4
    relative: bool = True
    quantum: float = 0.0
    otherwise: Otherwise = "balanced"
    explore_share: float = 0.25
    exploit_share: float = 0.25
    history: int = 50

    def __post_init__(self) -> None:
        if self.stagnation < 1 or self.progress < 1 or self.history < 2:
            raise ValueError("stagnation and progress must be at least 1, history at least 2")
        if not 0 <= self.diversity <= 1:
            raise ValueError(f"the diversity threshold must be from 0 to 1, not {self.diversity}")
        if self.epsilon < 0 or self.quantum < 0:
            raise ValueError("epsilon and quantum must not be negative")
        if min(self.explore_share, self.exploit_share) < 0 or (
            self.explore_share + self.exploit_share > 1
        ):
            raise ValueError("the lottery's shares must be shares")
