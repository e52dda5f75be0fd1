"""Which parameters matter, and how: Sobol' indices and slices of the surrogate's mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....evaluators.bayesopt import Category, Space, Surrogate

SAMPLES = 1024  # base points; each costs one prediction and one more for every parameter
STEPS = 41


@dataclass(frozen=True)
class Importance:
    """Total Sobol' index of a parameter: the share of the model's variance that it takes part in."""

    name: str
    total: float


@dataclass(frozen=True)
class Slice:
    """The model along one parameter, all others at the best point; in the user's units."""

    name: str
    values: tuple[Any, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    log: bool
    category: bool
    best: Any


def importances(space: Space, surrogate: Surrogate, seed: int = 0) -> list[Importance]:
    """Return the total Sobol' indices of the posterior mean, the largest first.

    Estimated by Jansen's formula over the whole box (Saltelli et al., Variance based sensitivity
    analysis of model output, Computer Physics Communications 181, 2010, table 2 (f)).
    """
    from scipy.stats import qmc

    free = space.free
    points = qmc.Sobol(2 * len(free), seed=seed).random(SAMPLES)
    first, second = points[:, : len(free)], points[:, len(free) :]
    base = _mean(space, surrogate, first)
    variance = float(base.var())
    found = []
    for index, parameter in enumerate(free):
        mixed = first.copy()
        mixed[:, index] = second[:, index]
        changed = _mean(space, surrogate, mixed)
        total = float(((base - changed) ** 2).mean() / 2) / variance if variance > 0 else 0.0
        found.append(Importance(parameter.name, min(total, 1.0)))
    return sorted(found, key=lambda one: -one.total)


def slices(space: Space, surrogate: Surrogate, best: Mapping[str, Any]) -> list[Slice]:
    """Return the model along each free parameter through the best point."""
    found = []
    for parameter in space.free:
        if isinstance(parameter, Category):
            values: list[Any] = list(parameter.choices)
        else:
            steps = np.linspace(0.0, 1.0, STEPS)
            values = list(dict.fromkeys(parameter.decode(np.array([step])) for step in steps))
        mean, deviation = surrogate.predict([{**best, parameter.name: one} for one in values])
        found.append(
            Slice(
                parameter.name,
                tuple(values),
                tuple(float(one) for one in mean),
                tuple(float(one) for one in deviation),
                bool(getattr(parameter, "log", False)),
                isinstance(parameter, Category),
                best[parameter.name],
            )
        )
    return found


def _mean(space: Space, surrogate: Surrogate, uniform: NDArray[np.float64]) -> NDArray[np.float64]:
    return surrogate.utility(space.spread(uniform))[0]
