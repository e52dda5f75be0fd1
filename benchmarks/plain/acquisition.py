"""Bayesian optimisation of one tabulated function after the other, with expected improvement.

The reference for acquisition: the same decisions from a Gaussian process written down in numpy, one
function at a time and from scratch at every step.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Utility = Callable[..., np.ndarray]


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield regrets in %, instance by instance, with the product's seed; nothing is random."""
    from eurisko.evaluators.problems.acquisition.scalar_seed import utility

    for instance, values in enumerate(arrays["values"]):
        start = arrays["start"][instance].tolist()
        chosen = loop(
            utility,
            arrays["points"][instance],
            values,
            int(arrays["dimension"][instance]),
            start,
            int(arrays["steps"][instance]),
        )
        yield measure(values.tolist(), chosen, len(start))


def measure(values: Sequence[float], chosen: Sequence[int], starts: int) -> float:
    """Return the mean of average and final regret in % of the median's."""
    ranked = sorted(values)
    middle = (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2
    scale = middle - ranked[0]
    after = [
        min(values[point] for point in chosen[: count + 1]) - ranked[0]
        for count in range(starts, len(chosen))
    ]
    return 100 * (sum(after) / len(after) + after[-1]) / 2 / scale


def loop(
    utility: Utility,
    points: np.ndarray,
    values: np.ndarray,
    dimension: int,
    start: Sequence[int],
    steps: int,
) -> list[int]:
    """Return the evaluated points of one function, the start first."""
    chosen = list(start)
    for step in range(steps):
        seen = values[chosen]
        seen = (seen - seen.mean()) / seen.std(ddof=1)
        mean, deviation = posterior(points / math.sqrt(dimension), chosen, seen)
        scores = np.array(
            utility(
                mean,
                deviation,
                float(seen.min()),
                (steps - step) / steps,
                float(dimension),
                float(len(chosen)),
            )
        )
        scores[chosen] = -math.inf
        chosen.append(int(scores.argmax()))
    return chosen


def posterior(
    points: np.ndarray, chosen: Sequence[int], seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation at all points, with the most probable length scale."""
    known = points[list(chosen)]
    best, found = -math.inf, None
    among, away = distances(known, known), distances(points, known)
    for exponent in range(12):
        length = 0.05 * 2 ** (exponent / 2)
        kernel = matern(among / length) + 1e-6 * np.eye(len(chosen))
        inverse = np.linalg.inv(kernel)
        likelihood = -0.5 * seen @ inverse @ seen - 0.5 * np.linalg.slogdet(kernel)[1]
        likelihood -= 0.5 * math.log(length / 0.4) ** 2
        if likelihood > best:
            best, found = likelihood, (length, inverse)
    assert found is not None
    length, inverse = found
    cross = matern(away / length)
    variance = 1 - ((cross @ inverse) * cross).sum(axis=1)
    return cross @ inverse @ seen, np.sqrt(np.maximum(variance, 1e-12))


def distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the distance of each point of ``one`` to each of ``other``."""
    return np.array([[math.dist(a, b) for b in other.tolist()] for a in one.tolist()])


def matern(steps: np.ndarray) -> np.ndarray:
    """Return the Matérn-5/2 correlation at scaled distances."""
    root = math.sqrt(5) * steps
    return (1 + root + root**2 / 3) * np.exp(-root)
