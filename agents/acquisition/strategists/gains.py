"""What the bandits have in common: every arm nominates, and the next model says what it was worth.

The reward of an arm is minus the standardised posterior mean at the point that it nominated, read
from the model that has seen the step's evaluation (Hoffman, Brochu and de Freitas, UAI 2011). Since
values are standardised, gains do not change when the objective is shifted or rescaled.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from ..choice import Point, Posterior


def rewards(posterior: Posterior, memory: Mapping[str, Any], arms: Sequence[str]) -> list[float]:
    """Return the reward of each arm's last nomination, 0 where it made none."""
    nominated: Mapping[str, Point] = memory.get("nominated", {})
    known = [arm for arm in arms if arm in nominated]
    if not known:
        return [0.0] * len(arms)
    means = dict(zip(known, posterior.mean([nominated[arm] for arm in known]), strict=True))
    return [-float(means[arm]) if arm in means else 0.0 for arm in arms]


def nominations(posterior: Posterior, arms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what each arm would evaluate next."""
    return {arm: dict(posterior.nominate(arm)) for arm in arms}


def softmax(gains: Sequence[float], eta: float) -> list[float]:
    """Return probabilities proportional to ``exp(eta * gain)``, safe for any size of gain."""
    top = max(gains)
    weights = [math.exp(eta * (gain - top)) for gain in gains]
    total = sum(weights)
    return [weight / total for weight in weights]


def rescale(gains: Sequence[float]) -> list[float]:
    """Map gains to [0, 1]; equal ones to 0."""
    low, high = min(gains), max(gains)
    if high == low:
        return [0.0] * len(gains)
    return [(gain - low) / (high - low) for gain in gains]


def pick(arms: Sequence[str], probabilities: Sequence[float], draw: random.Random) -> str:
    """Draw one arm."""
    return draw.choices(list(arms), weights=list(probabilities))[0]
