"""Bayesian optimisation of many functions at once, in tensors on any device.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
All instances advance together; no loop over instances or points runs in Python.

The surrogate is a Gaussian process with a Matérn-5/2 kernel, one length scale (the most probable
of a grid, with a log-normal prior), variance 1 in standardised values, and almost no noise.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

LENGTHS = 0.05 * 2.0 ** (0.5 * torch.arange(12, dtype=torch.float64))
"""Length scales to choose from, in units of the square root of the dimension: 0.05 to 2.3."""

PRIOR = (math.log(0.4), 1.0)
"""Mean and standard deviation of the logarithm of such a length scale."""

NOISES = (1e-6, 1e-4, 1e-2)
"""Variances added to the kernel's diagonal; a larger one where a factorisation fails."""

LEAST = 1e-6
"""Standard deviations are not smaller, so that they can be divided by."""

Utility = Callable[..., Tensor]


class BadResult(Exception):
    """The heuristic returned something that is not one score per point."""

    outcome = "bad_result"


class Loops:
    """Bayesian optimisation loops, one per instance, that stand at the same evaluation.

    Args:
        utility: of mean, deviation ``[B, N]`` and best, remaining, dimension, count ``[B, 1]``.
        points: ``[B, N, D]``.
        dimension: ``[B]``.
        evaluations: how many there will be.
    """

    def __init__(
        self, utility: Utility, points: Tensor, dimension: Tensor, evaluations: int, starts: int
    ) -> None:
        self.utility, self.points = utility, points
        self.dimension = dimension.to(torch.float64)[:, None]
        self.evaluations, self.starts = evaluations, starts
        self.rows = torch.arange(len(points), device=points.device)
        self.free = torch.ones(points.shape[:2], dtype=torch.bool, device=points.device)
        self.seen: list[Tensor] = []
        self.values: list[Tensor] = []
        # of each evaluated point to all points
        self.distances = points.new_empty((len(points), evaluations, points.shape[1]))

    def observe(self, index: Tensor, value: Tensor) -> None:
        """Take over one value ``[B]`` of the points ``index`` ``[B]``."""
        steps = self.points - self.points[self.rows, index][:, None]
        self.distances[:, len(self.seen)] = steps.square_().sum(2).sqrt_()
        self.seen.append(index)
        self.values.append(value)
        self.free[self.rows, index] = False

    def propose(self) -> Tensor:
        """Return the points ``[B]`` of highest utility that have not been evaluated."""
        count = len(self.seen)
        values = torch.stack(self.values, 1)
        spread = values.std(1, keepdim=True)
        values = (values - values.mean(1, keepdim=True)) / torch.where(spread > 0, spread, 1.0)
        mean, deviation = posterior(
            self.distances[:, :count], torch.stack(self.seen, 1), values, self.dimension
        )
        whole = torch.ones_like(self.dimension)
        remaining = (self.evaluations - count) / (self.evaluations - self.starts)
        scores = self.utility(
            mean,
            deviation,
            values.amin(1, keepdim=True),
            whole * remaining,
            self.dimension.clone(),
            whole * count,
        )
        return choose(scores, self.free, count)


def posterior(
    distances: Tensor, seen: Tensor, values: Tensor, dimension: Tensor
) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation ``[B, N]`` of the function at all points.

    Args:
        distances: of the evaluated points to all ``[B, n, N]``.
        seen: indices of the evaluated points ``[B, n]``.
        values: standardised ``[B, n]``.
        dimension: ``[B, 1]``.
    """
    among = distances.gather(2, seen[:, None].expand(-1, seen.shape[1], -1))
    among = (among + among.transpose(1, 2)) / 2
    unit = dimension.sqrt()[:, :, None]
    length, factor = fit(among / unit, values)
    cross = matern(distances * (1 / (unit * length[:, None, None])))
    half = torch.linalg.solve_triangular(factor, cross, upper=False)
    white = torch.linalg.solve_triangular(factor, values[:, :, None], upper=False)
    mean = (half.transpose(1, 2) @ white).squeeze(2)
    variance = 1 - half.square().sum(1)
    return mean, variance.clamp(min=LEAST**2).sqrt()


def fit(among: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the most probable length scales ``[B]`` and the kernel's factors ``[B, n, n]``."""
    lengths = LENGTHS.to(among.device)
    kernel = matern(among / lengths[:, None, None, None])
    eye = torch.eye(values.shape[1], dtype=values.dtype, device=values.device)
    prior = -0.5 * ((lengths.log() - PRIOR[0]) / PRIOR[1]).square()
    for noise in NOISES:
        factor, failed = torch.linalg.cholesky_ex(kernel + noise * eye)
        white = torch.linalg.solve_triangular(
            factor, values[None, :, :, None].expand(len(lengths), -1, -1, 1), upper=False
        )
        likelihood = -0.5 * white.square().sum((2, 3))
        likelihood = likelihood - factor.diagonal(dim1=2, dim2=3).log().sum(2) + prior[:, None]
        likelihood = torch.where(failed.eq(0) & likelihood.isfinite(), likelihood, -math.inf)
        found, best = likelihood.max(0)
        if bool(found.isfinite().all()):
            break
    return lengths[best], factor[best, torch.arange(len(values), device=values.device)]


def matern(steps: Tensor) -> Tensor:
    """Return the Matérn-5/2 correlation at scaled distances."""
    root = math.sqrt(5) * steps
    fall = root.neg().exp_()
    return root.square().div_(3).add_(root).add_(1).mul_(fall)  # in place: memory is what it costs


def choose(scores: Tensor, free: Tensor, count: int) -> Tensor:
    """Return the free point of highest score per instance; equal scores: the lowest index."""
    missing = scores.isnan() & free
    if bool(missing.any()):
        instance, point = missing.nonzero()[0].tolist()
        raise BadResult(
            f"after {count} evaluations: the score of point {point} in instance {instance} is NaN"
        )
    # max() may return any of equal values; minus infinity ties with points that are taken.
    scores = torch.where(free, scores.clamp(min=-1e300), -math.inf)
    best = scores.amax(1, keepdim=True)
    return (scores == best).to(torch.uint8).argmax(1)


def search(utility: Utility, inputs: dict[str, np.ndarray], device: str) -> dict[str, np.ndarray]:
    """Run all loops to their end.

    Args:
        utility: of tensors, see `Loops`.
        inputs: ``points`` ``[B, N, D]``, ``values`` ``[B, N]``, ``dimension``, ``steps`` ``[B]``,
            ``start`` ``[B, S]``.
        device: torch device.

    Returns:
        ``chosen`` ``[B, S + T]`` int64: the evaluated points in their order, the start first.
    """
    given = {name: torch.from_numpy(np.array(one)).to(device) for name, one in inputs.items()}
    loops, start = begin(utility, given)
    rows = torch.arange(len(start), device=start.device)
    with torch.no_grad():
        for index in start.unbind(1):
            loops.observe(index, given["values"][rows, index])
        for _ in range(int(inputs["steps"][0])):
            index = loops.propose()
            loops.observe(index, given["values"][rows, index])
    return {"chosen": torch.stack(loops.seen, 1).cpu().numpy()}


def begin(utility: Utility, given: dict[str, Tensor]) -> tuple[Loops, Tensor]:
    """Return loops without any value, and the points ``[B, S]`` to start from."""
    start = given["start"]
    evaluations = start.shape[1] + int(given["steps"][0])
    loops = Loops(utility, given["points"], given["dimension"], evaluations, start.shape[1])
    return loops, start


def stepwise(
    utility: Utility, inputs: dict[str, np.ndarray], device: str
) -> Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """Return the function that answers values with points; the parent keeps the functions."""
    given = {name: torch.from_numpy(np.array(one)).to(device) for name, one in inputs.items()}
    loops, start = begin(utility, given)
    asked = list(start.unbind(1))

    def answer(observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        values = torch.from_numpy(np.array(observation["values"])).to(device)
        with torch.no_grad():
            for index, value in zip(asked, values.unbind(1), strict=False):
                loops.observe(index, value)
            asked[:] = [loops.propose()]
        return {"point": asked[0].cpu().numpy()}

    return answer


def scoring(utility: Utility) -> Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """Return the function that answers a posterior ``[1, N]`` with scores ``[1, N]``.

    An observation has ``mean``, ``std`` and ``numbers`` ``[4]``: best, remaining, dimension, count.
    """

    def answer(observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        mean, deviation, numbers = (
            torch.from_numpy(np.array(observation[name])) for name in ("mean", "std", "numbers")
        )
        with torch.no_grad():
            scores = utility(mean, deviation, *numbers[:, None, None].unbind(0))
        return {"scores": scores.numpy()}

    return answer


def batched_utility(heuristic: Callable[..., Any]) -> Utility:
    """Call ``utility(...)`` for all instances, on tensors of its own."""

    def utility(mean: Tensor, *rest: Tensor) -> Tensor:
        given = heuristic(mean, *rest)
        wanted = f"wanted a torch.Tensor of shape {list(mean.shape)} and dtype torch.float64"
        if not isinstance(given, Tensor):
            raise BadResult(f"the heuristic returned {type(given).__name__}, {wanted}")
        if given.shape != mean.shape or given.dtype != torch.float64:
            raise BadResult(
                f"the heuristic returned shape {list(given.shape)} and dtype {given.dtype}, {wanted}"
            )
        return given

    return utility


def scalar_utility(heuristic: Callable[..., Any]) -> Utility:
    """Call ``utility(...)`` per instance, with arrays and numbers."""

    def one_utility(instance: int, mean: Tensor, deviation: Tensor, *numbers: Tensor) -> Tensor:
        arrays = [one[instance].cpu().numpy().copy() for one in (mean, deviation)]
        answer = heuristic(*arrays, *(float(one[instance, 0]) for one in numbers))
        array = np.asarray(answer)
        if array.dtype.kind not in "iuf" or array.shape != arrays[0].shape:
            raise BadResult(
                f"instance {instance}: the heuristic returned {type(answer).__name__} of shape "
                f"{list(array.shape)} and type {array.dtype}, wanted {len(mean[0])} numbers"
            )
        return torch.from_numpy(array.astype(np.float64))

    def utility(mean: Tensor, *rest: Tensor) -> Tensor:
        scores = [one_utility(instance, mean, *rest) for instance in range(len(mean))]
        return torch.stack(scores).to(mean.device)

    return utility
