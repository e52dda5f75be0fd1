"""Guided local search for many flow-shop instances at once, in tensors on any device.

In the sandbox this text follows flow_shop's batched driver, whose insertion it uses; both may use
numpy, torch and the standard library only. All instances advance together; the loops in Python run
over machines, over the positions between two swapped jobs, and over moves.

True times are integers in float64. Perturbed ones are rounded to multiples of a power of two, fine
enough (2^-32 of the largest one) to change nothing and coarse enough that their sums are exact. So
a move improves or it does not: no cycles by rounding, and the same orders on every device and in a
plain loop.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..flow_shop.batched_driver import BadResult, completions, insert_all, insertion_spans

ITERATIONS = 50
"""Calls of the heuristic, each followed by a perturbation and a local search."""

JOBS = 5
"""Jobs of a perturbation, at most."""

ROUNDS = 3
"""Moves of a perturbation, at most."""

REACH = 6
"""Two jobs at most so many positions apart may be swapped."""

RETURN = 10
"""After so many iterations the search goes on from the best order."""

NOBODY = -1
"""Fills up rows of fewer than `JOBS` chosen jobs."""

Guide = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def search(guide: Guide, inputs: dict[str, np.ndarray], device: str) -> dict[str, np.ndarray]:
    """Improve the orders of NEH by guided local search for a fixed number of iterations.

    In each iteration the heuristic gives perturbed times and chooses jobs; these are moved while
    that makes the makespan of the perturbed times smaller. Then a local search on true times
    follows.

    Args:
        guide: of orders ``[B, N]`` and times ``[B, N, M]``, returns perturbed times ``[B, N, M]``
            in float64, finite, and chosen jobs ``[B, K]`` int64, `NOBODY` for none.
        inputs: ``times`` ``[B, N, M]``.
        device: torch device.

    Returns:
        ``orders`` ``[B, N]`` int64, the best of each instance.
    """
    times = torch.from_numpy(inputs["times"].astype(np.float64)).to(device)
    with torch.no_grad():
        orders = insert_all(times, times.sum(2).argsort(dim=1, descending=True, stable=True))
        if times.shape[1] > 1:
            orders = improve(guide, times, orders)
    return {"orders": orders.cpu().numpy()}


def improve(guide: Guide, times: Tensor, orders: Tensor) -> Tensor:
    """Return the best orders ``[B, N]`` that guided local search finds from given ones."""
    everyone = torch.arange(orders.shape[1], device=orders.device).expand_as(orders)
    orders = descend(times, orders, everyone, None)
    best, best_span = orders, makespans(times, orders)
    for iteration in range(1, ITERATIONS + 1):
        perturbed, jobs = guide(orders, times)
        orders = descend(exact(perturbed), orders, jobs[:, :JOBS], ROUNDS)
        orders = descend(times, orders, everyone, None)
        span = makespans(times, orders)
        better = span <= best_span
        best = torch.where(better[:, None], orders, best)
        best_span = torch.where(better, span, best_span)
        if iteration % RETURN == 0:
            orders = best
    return best


def exact(perturbed: Tensor) -> Tensor:
    """Return times as multiples of a power of two per instance; negative ones become 0."""
    times = perturbed.clamp(min=0)
    largest = times.amax(dim=(1, 2), keepdim=True).clamp(min=1e-300)
    quantum = torch.exp2(torch.ceil(torch.log2(largest)) - 32)
    return (times / quantum).round() * quantum


def in_order(times: Tensor, orders: Tensor) -> Tensor:
    """Return the times ``[B, N, M]`` of the jobs in their order."""
    rows = torch.arange(len(orders), device=orders.device)[:, None]
    return times[rows, orders]


def makespans(times: Tensor, orders: Tensor) -> Tensor:
    """Return makespans ``[B]``."""
    return completions(in_order(times, orders))[:, -1, -1]


def descend(times: Tensor, orders: Tensor, jobs: Tensor, rounds: int | None) -> Tensor:
    """Apply the best improving move of the jobs ``[B, K]`` again and again.

    A move is an insertion; where none improves, a swap. Instances without either are left out of
    further rounds.
    """
    done = orders.clone()
    rows = torch.arange(len(orders), device=orders.device)
    span = makespans(times, orders)
    while rounds is None or rounds > 0:
        after, moved = best_insertions(times, orders, jobs)
        stuck = (after >= span).nonzero()[:, 0]
        if len(stuck):
            swapped = best_swaps(times[stuck], orders[stuck], jobs[stuck])
            after[stuck], moved[stuck] = swapped
        active = (after < span).nonzero()[:, 0]
        if len(active) < len(rows):
            done[rows] = orders
            if not len(active):
                return done
            rows, times, jobs = rows[active], times[active], jobs[active]
        orders, span = moved[active], after[active]
        rounds = None if rounds is None else rounds - 1
    done[rows] = orders
    return done


def places_of(orders: Tensor, jobs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positions ``[B, K]`` of jobs, 0 for `NOBODY`, and who is somebody."""
    positions = torch.arange(orders.shape[1], device=orders.device).expand_as(orders)
    place = torch.empty_like(orders).scatter_(1, orders, positions)
    return place.gather(1, jobs.clamp(min=0)), jobs != NOBODY


def best_insertions(times: Tensor, orders: Tensor, jobs: Tensor) -> tuple[Tensor, Tensor]:
    """Take one of the jobs ``[B, K]`` out and insert it where the makespan is smallest.

    Of equal ones: the first job of the list, and its first position.

    Returns:
        Makespans ``[B]`` and orders ``[B, N]``.
    """
    batch, length = orders.shape
    place, somebody = places_of(orders, jobs)
    others = torch.arange(length - 1, device=orders.device)
    others = others + (others >= place[:, :, None]).to(torch.int64)  # [B, K, N - 1]
    # Machine by machine in memory: insertion_spans works on one machine after the other.
    sequence = in_order(times, orders).permute(2, 0, 1).contiguous()  # [M, B, N]
    rest = sequence[:, :, None].expand(-1, -1, place.shape[1], -1)
    rest = rest.gather(3, others.expand(len(sequence), -1, -1, -1)).flatten(1, 2)
    moving = sequence.gather(2, place.expand(len(sequence), -1, -1)).flatten(1)
    spans = insertion_spans(rest.permute(1, 2, 0), moving.permute(1, 0))
    spans = spans.view(batch, -1, length).masked_fill(~somebody[:, :, None], math.inf)
    span, best = first_smallest(spans.flatten(1))
    which, position = best // length, best % length
    return span, orders.gather(1, shifted(length, place.gather(1, which), position))


def first_smallest(values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the minima ``[B]`` of rows and the first place ``[B, 1]`` of each."""
    smallest = values.amin(dim=1)
    # min() with an index may return any of equal values.
    return smallest, (values == smallest[:, None]).to(torch.uint8).argmax(dim=1, keepdim=True)


def shifted(length: int, source: Tensor, target: Tensor) -> Tensor:
    """Return which positions ``[B, N]`` follow each other when one moves to another place."""
    places = torch.arange(length, device=source.device)[None]
    rest = places - (places > target).to(torch.int64)  # places among the others
    return torch.where(places == target, source, rest + (rest >= source).to(torch.int64))


def best_swaps(times: Tensor, orders: Tensor, jobs: Tensor) -> tuple[Tensor, Tensor]:
    """Swap one of the jobs ``[B, K]`` with one 2 to `REACH` positions before or behind it.

    Of equal ones: the smallest distance, forward before backward, then the first job of the list.
    Neighbours are not tried, for their swap is an insertion.

    Returns:
        Makespans ``[B]`` and orders ``[B, N]``.
    """
    length = orders.shape[1]
    if length < 3:
        return torch.full_like(times[:, 0, 0], math.inf), orders
    place, somebody = places_of(orders, jobs)
    whole = jobs.shape[1] == length  # then the partner behind sees the same pair
    steps = [step for far in range(2, REACH + 1) for step in ((far,) if whole else (far, -far))]
    step = torch.tensor(steps, device=orders.device)[None, :, None]
    one = place[:, None].expand(-1, len(steps), -1).flatten(1)
    other = (place[:, None] + step).flatten(1)
    legal = somebody.repeat(1, len(steps)) & (other >= 0) & (other < length)
    other = other.clamp(0, length - 1)
    low, high = torch.minimum(one, other), torch.maximum(one, other)
    spans = swap_spans(in_order(times, orders), low, high).masked_fill(~legal, math.inf)
    span, best = first_smallest(spans)
    low, high = low.gather(1, best), high.gather(1, best)
    places = torch.arange(length, device=orders.device)[None]
    source = torch.where(places == low, high, torch.where(places == high, low, places))
    return span, orders.gather(1, source)


def swap_spans(sequence: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return makespans ``[B, P]`` of swapping the jobs at two positions ``[B, P]``, low <= high.

    From the head of the job before, the jobs from low to high are done one after the other; the
    tail of the job behind completes the makespan.

    Args:
        sequence: times of the jobs in their order, ``[B, N, M]``.
        low, high: at most `REACH` apart, or the result means nothing.
    """
    rows = torch.arange(len(sequence), device=sequence.device)[:, None]
    nothing = torch.zeros_like(sequence[:, :1])
    heads = torch.cat([nothing, completions(sequence)], dim=1)
    tails = torch.cat([completions(sequence.flip((1, 2))).flip((1, 2)), nothing], dim=1)
    left = heads[rows, low]
    for step in range(min(REACH, sequence.shape[1] - 1) + 1):
        place = low + step
        source = torch.where(place == low, high, torch.where(place == high, low, place))
        job = sequence[rows, source.clamp(max=sequence.shape[1] - 1)]
        sums = job.cumsum(dim=2)
        # c[m] = max(c[m-1], left[m]) + p[m] is a running maximum once the sums are taken off.
        after = torch.cummax(left - (sums - job), dim=2).values + sums
        left = torch.where((place <= high)[:, :, None], after, left)
    return (left + tails[rows, high + 1]).amax(dim=2)


def batched_guide(heuristic: Callable[..., Any]) -> Guide:
    """Call ``perturb(sequences, times)`` for all instances, on copies."""

    def guide(orders: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        perturbed, jobs = pair(heuristic(orders.clone(), times.clone()))
        shape = list(times.shape)
        if described(perturbed) != f"torch.float64 {shape}":
            raise BadResult(
                f"the heuristic returned times {described(perturbed)}, wanted torch.float64 {shape}"
            )
        size = list(jobs.shape)[1:] if isinstance(jobs, Tensor) else []
        if len(size) != 1 or described(jobs) != f"torch.int64 {[shape[0], *size]}":
            raise BadResult(
                f"the heuristic returned jobs {described(jobs)}, wanted torch.int64 [{shape[0]}, K]"
            )
        check(perturbed, jobs)
        return perturbed, jobs

    return guide


def scalar_guide(heuristic: Callable[..., Any]) -> Guide:
    """Call ``get_matrix_and_jobs(current_sequence, time_matrix, m, n)`` for each instance."""

    def one_guide(order: Tensor, times: Tensor, instance: int) -> tuple[Tensor, Tensor]:
        jobs, machines = times.shape
        given = heuristic(order.tolist(), times.cpu().numpy().copy(), machines, jobs)
        matrix, chosen = (np.asarray(part) for part in pair(given))
        if matrix.dtype.kind not in "iuf" or matrix.shape != (jobs, machines):
            raise BadResult(
                f"instance {instance}: the heuristic returned times {matrix.dtype} "
                f"{list(matrix.shape)}, wanted numbers {[jobs, machines]}"
            )
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise BadResult(
                f"instance {instance}: the heuristic returned jobs {chosen.dtype} "
                f"{list(chosen.shape)}, wanted a list of integers"
            )
        if (chosen[:JOBS] < 0).any():
            raise BadResult(f"instance {instance}: the heuristic returned job {chosen.min()}")
        row = torch.full((JOBS,), NOBODY)
        row[: len(chosen)] = torch.from_numpy(chosen[:JOBS].astype(np.int64))
        return torch.from_numpy(matrix.astype(np.float64)), row

    def guide(orders: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        given = [one_guide(*one) for one in zip(orders, times, range(len(times)), strict=True)]
        perturbed, jobs = (torch.stack(part) for part in zip(*given, strict=True))
        check(perturbed, jobs)
        return perturbed.to(times.device), jobs.to(times.device)

    return guide


def pair(given: Any) -> tuple[Any, Any]:
    """Return the two parts of what a heuristic returned."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise BadResult(f"the heuristic returned {type(given).__name__}, wanted (times, jobs)")
    return given[0], given[1]


def described(value: Any) -> str:
    """Return type and shape of a tensor, or the type of anything else."""
    return f"{value.dtype} {list(value.shape)}" if isinstance(value, Tensor) else str(type(value))


def check(perturbed: Tensor, jobs: Tensor) -> None:
    """Refuse times that are not finite, unknown jobs, and instances without any job."""
    if not math.isfinite(perturbed.sum().item()) and not bool(perturbed.isfinite().all()):
        place = tuple((~perturbed.isfinite()).nonzero()[0].tolist())
        raise BadResult(
            f"the heuristic returned the time {perturbed[place].item()} for job {place[1]} on "
            f"machine {place[2]} of instance {place[0]}"
        )
    count = perturbed.shape[1]
    used = jobs[:, :JOBS]
    unknown = (used < NOBODY) | (used >= count)
    if bool(unknown.any()):
        instance, place = unknown.nonzero()[0].tolist()
        raise BadResult(
            f"the heuristic returned job {used[instance, place].item()} for instance {instance}; "
            f"jobs are 0 to {count - 1}"
        )
    idle = (used == NOBODY).all(dim=1)
    if bool(idle.any()):
        raise BadResult(f"the heuristic returned no job for instance {int(idle.nonzero()[0])}")
