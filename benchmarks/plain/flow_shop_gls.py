"""Guided local search for one flow-shop instance after the other, written down with plain loops.

The reference for flow_shop_gls: the same decisions, every makespan by its definition, no tensors,
no acceleration.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Order = list[int]


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield makespans, instance by instance, with the product's seed heuristic.

    All instances of a batch draw from one random stream, in each iteration one after the other: what
    the others draw is drawn here too, and dropped.
    """
    from eurisko.evaluators.problems.flow_shop_gls import solver
    from eurisko.evaluators.problems.flow_shop_gls.scalar_seed import get_matrix_and_jobs

    batch = arrays["times"]
    for place, times in enumerate(batch):

        def heuristic(*inputs: Any, before: int = place, size: int = times.size) -> Any:
            np.random.rand(before * size)
            answer = get_matrix_and_jobs(*inputs)
            np.random.rand((len(batch) - 1 - before) * size)
            return answer

        np.random.seed(seed)
        order = plain_flow_gls(
            times,
            heuristic,
            iterations=solver.ITERATIONS,
            jobs=solver.JOBS,
            rounds=solver.ROUNDS,
            reach=solver.REACH,
            back=solver.RETURN,
        )
        yield makespan(times, order)


def plain_flow_gls(
    times: np.ndarray,
    heuristic: Callable[..., tuple[np.ndarray, list[int]]],
    *,
    iterations: int,
    jobs: int,
    rounds: int,
    reach: int,
    back: int,
) -> Order:
    """Return the best order of one instance ``[N, M]``.

    Args:
        times: integers.
        heuristic: the scalar interface's function.
        iterations, jobs, rounds, reach, back: the constants of the solver.
    """
    count, machines = times.shape
    order = descend(times, neh(times), None, None, reach)
    best = order
    for iteration in range(1, iterations + 1):
        given, chosen = heuristic(list(order), times.astype(float), machines, count)
        chosen = [int(job) for job in chosen][:jobs]
        order = descend(rounded(np.asarray(given)), order, chosen, rounds, reach)
        order = descend(times, order, None, None, reach)
        if makespan(times, order) <= makespan(times, best):
            best = order
        if iteration % back == 0:
            order = best
    return best


def makespan(times: np.ndarray, order: Order) -> float:
    """Makespan by the definition."""
    free = [0.0] * times.shape[1]
    for job in order:
        left = 0.0
        for machine, time in enumerate(times[job].tolist()):
            free[machine] = left = max(free[machine], left) + time
    return free[-1]


def neh(times: np.ndarray) -> Order:
    """The start: jobs by falling total time, each where the makespan is smallest."""
    order: Order = []
    for job in sorted(range(len(times)), key=lambda job: (-times[job].sum(), job)):
        orders = [[*order[:i], job, *order[i:]] for i in range(len(order) + 1)]
        order = min(orders, key=lambda one: makespan(times, one))
    return order


def rounded(given: np.ndarray) -> np.ndarray:
    """Negative times as 0, all as multiples of 2^-32 of the power of two above the largest."""
    positive = np.maximum(given, 0.0)
    quantum = 2.0 ** (math.ceil(math.log2(max(positive.max(), 1e-300))) - 32)
    return np.round(positive / quantum) * quantum


def descend(
    times: np.ndarray, order: Order, jobs: list[int] | None, rounds: int | None, reach: int
) -> Order:
    """Apply the best insertion, or else the best swap, until none improves or for some rounds.

    All jobs may move where ``jobs`` is None, those that come first by number first.
    """
    while rounds is None or rounds > 0:
        listed = list(range(len(order))) if jobs is None else jobs
        span = makespan(times, order)
        for neighbours in (insertions(order, listed), swaps(order, listed, reach, jobs is None)):
            best = min(neighbours, key=lambda one: makespan(times, one), default=order)
            if makespan(times, best) < span:
                break
        else:
            return order
        order = best
        rounds = None if rounds is None else rounds - 1
    return order


def insertions(order: Order, jobs: list[int]) -> list[Order]:
    """Every order with one of the jobs at another position."""
    found = []
    for job in jobs:
        rest = [one for one in order if one != job]
        found += [[*rest[:i], job, *rest[i:]] for i in range(len(order))]
    return found


def swaps(order: Order, jobs: list[int], reach: int, whole: bool) -> list[Order]:
    """Every order with one of the jobs swapped with one 2 to ``reach`` positions away."""
    found = []
    for far in range(2, reach + 1):
        for step in (far,) if whole else (far, -far):
            for job in jobs:
                one = order.index(job)
                if 0 <= one + step < len(order):
                    swapped = list(order)
                    swapped[one], swapped[one + step] = swapped[one + step], swapped[one]
                    found.append(swapped)
    return found
