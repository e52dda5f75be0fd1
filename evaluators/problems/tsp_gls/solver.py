"""Guided local search for many tours at once, in tensors on any device.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
All instances advance together; no loop over instances, cities or moves runs in Python.

Distances are rounded to multiples of a power of two, fine enough (2^-32 of the largest one) to
change nothing and coarse enough that sums of a million of them are exact in float64. So a move
improves or it does not, whatever the order of summation: no cycles by rounding, and the same tours
on every device and in a plain loop.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

NEIGHBOURS = 8
"""Moves join a city with one of its nearest so many cities."""

ITERATIONS = 100
"""Calls of the heuristic, each followed by a perturbation and a local search."""

EDGES = 5
"""Edges of the tour that are penalised in an iteration."""

ROUNDS = 20
"""Moves of a perturbation, at most."""

RETURN = 50
"""After so many iterations the search goes on from the best tour."""

SMALLEST = 5
"""Tours of fewer cities stay as nearest neighbour builds them."""

Guide = Callable[[Tensor, Tensor, Tensor], Tensor]


class BadResult(Exception):
    """The heuristic returned something that is not a matrix of distances."""

    outcome = "bad_result"


def search(guide: Guide, inputs: dict[str, np.ndarray], device: str) -> dict[str, np.ndarray]:
    """Improve nearest-neighbour tours by guided local search for a fixed number of iterations.

    In each iteration the heuristic gives a guide matrix; the edges of the tour that it lengthens
    most are penalised, and the tour is perturbed by improving moves on the guide matrix around
    their end cities. Then a local search on true distances follows.

    Args:
        guide: of distances ``[B, N, N]``, tours ``[B, N]`` and penalties ``[B, N, N]``, returns
            the guide ``[B, N, N]`` in float64, finite.
        inputs: ``distances`` ``[B, N, N]`` float64.
        device: torch device.

    Returns:
        ``tours`` ``[B, N]`` int64, the best of each instance, from city 0.
    """
    distances, quantum = exact(torch.from_numpy(np.array(inputs["distances"])).to(device))
    tours = nearest_neighbour_tours(distances)
    if tours.shape[1] < SMALLEST:
        return {"tours": tours.cpu().numpy()}
    with torch.no_grad():
        tours = improve(guide, distances, quantum, tours)
    return {"tours": from_city_zero(tours).cpu().numpy()}


def improve(guide: Guide, distances: Tensor, quantum: Tensor, tours: Tensor) -> Tensor:
    """Return the best tours ``[B, N]`` that guided local search finds from given ones."""
    walled = with_wall(distances)
    near = neighbour_lists(walled)
    everywhere = candidates(walled, every_city(tours), near)
    tours = local_search(walled, everywhere, tours)
    best, best_length = tours, tour_lengths(distances, tours)
    penalties = torch.zeros_like(distances)
    for iteration in range(1, ITERATIONS + 1):
        given = guide(distances, tours, penalties)
        weights = with_wall(((given + given.transpose(1, 2)) / (2 * quantum)).round() * quantum)
        edges = penalised(distances, weights, tours)
        count_up(penalties, edges)
        tours = perturb(weights, near, tours, edges)
        tours = local_search(walled, everywhere, tours)
        length = tour_lengths(distances, tours)
        better = length < best_length
        best = torch.where(better[:, None], tours, best)
        best_length = torch.where(better, length, best_length)
        if iteration % RETURN == 0:
            tours = best
    return best


def exact(distances: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distances as multiples of a power of two per instance, and these ``[B, 1, 1]``."""
    largest = distances.amax(dim=(1, 2), keepdim=True).clamp(min=1e-300)
    quantum = torch.exp2(torch.ceil(torch.log2(largest)) - 32)
    return (distances / quantum).round() * quantum, quantum


def with_wall(weights: Tensor) -> Tensor:
    """Return the weights with infinity from each city to itself: no move joins it with itself."""
    walled = weights.clone()
    walled.diagonal(dim1=1, dim2=2).fill_(math.inf)
    return walled


def every_city(tours: Tensor) -> Tensor:
    """Return all cities ``[B, N]``, by number."""
    return torch.arange(tours.shape[1], device=tours.device).expand_as(tours)


def neighbour_lists(walled: Tensor) -> Tensor:
    """Return the nearest cities of each city ``[B, N, K]``, equal distances by index."""
    order = walled.sort(dim=2, stable=True).indices
    return order[:, :, : min(NEIGHBOURS, walled.shape[1] - 1)].contiguous()


def nearest_neighbour_tours(distances: Tensor) -> Tensor:
    """Return tours ``[B, N]`` from city 0 by always visiting the nearest unvisited city."""
    batch, cities = distances.shape[:2]
    rows = torch.arange(batch, device=distances.device)
    wall = torch.zeros((batch, cities), dtype=distances.dtype, device=distances.device)
    current = torch.zeros(batch, dtype=torch.int64, device=distances.device)
    tour = [current]
    for _ in range(cities - 1):
        wall[rows, current] = math.inf
        current = (distances[rows, current] + wall).argmin(dim=1)  # the first of equal ones
        tour.append(current)
    return torch.stack(tour, dim=1)


def tour_lengths(weights: Tensor, tours: Tensor) -> Tensor:
    """Return lengths ``[B]`` of closed tours."""
    return edge_values(weights, tours).sum(dim=1)


def edge_values(weights: Tensor, tours: Tensor) -> Tensor:
    """Return the weights ``[B, N]`` of the edges from each city of a tour to the next one."""
    rows = torch.arange(len(tours), device=tours.device)[:, None]
    return weights[rows, tours, tours.roll(-1, dims=1)]


def from_city_zero(tours: Tensor) -> Tensor:
    """Return the same closed tours, written from city 0."""
    start = (tours == 0).to(torch.uint8).argmax(dim=1, keepdim=True)
    places = torch.arange(tours.shape[1], device=tours.device)[None]
    return tours.gather(1, (places + start) % tours.shape[1])


def penalised(distances: Tensor, weights: Tensor, tours: Tensor) -> Tensor:
    """Return the cities ``[B, EDGES, 2]`` of the tour edges that the guide lengthens most.

    Equal increases go to the edge that comes first in the tour.
    """
    increase = edge_values(weights, tours) - edge_values(distances, tours)
    places = increase.sort(dim=1, descending=True, stable=True).indices[:, :EDGES]
    return torch.stack([tours.gather(1, places), tours.roll(-1, 1).gather(1, places)], dim=2)


def count_up(penalties: Tensor, edges: Tensor) -> None:
    """Add 1 to the penalties ``[B, N, N]`` of edges ``[B, E, 2]``, in both directions."""
    rows = torch.arange(len(edges), device=edges.device)[:, None]
    one, other = edges.unbind(dim=2)
    count = penalties[rows, one, other] + 1
    penalties[rows, one, other] = count
    penalties[rows, other, one] = count


@dataclass(frozen=True)
class Candidates:
    """Pairs of a base and a city of its list that moves may join.

    Args:
        origin: where the matrix of each instance begins in all weights, ``[B, 1]``.
        bases: cities ``[B, Q]``.
        cities: the lists of the bases, twice ``[B, 2, Q * K]``: once for moves at successors, once
            for moves at predecessors.
        join: weights of the new edge ``[B, 1, Q, K]``.
    """

    origin: Tensor
    bases: Tensor
    cities: Tensor
    join: Tensor

    def of(self, instances: Tensor) -> "Candidates":
        """Return the candidates of some instances."""
        return Candidates(
            self.origin[instances],
            self.bases[instances],
            self.cities[instances],
            self.join[instances],
        )


def candidates(walled: Tensor, bases: Tensor, near: Tensor) -> Candidates:
    """Pair the bases ``[B, Q]`` with the cities of their lists in ``near`` ``[B, N, K]``."""
    batch, cities = walled.shape[:2]
    rows = torch.arange(batch, device=bases.device)[:, None]
    lists = near[rows, bases]
    join = walled[rows[:, None], bases[:, :, None], lists]
    twice = lists.flatten(1)[:, None].expand(-1, 2, -1).contiguous()
    return Candidates(rows * cities * cities, bases, twice, join[:, None])


def perturb(weights: Tensor, near: Tensor, tours: Tensor, edges: Tensor) -> Tensor:
    """Apply the best move at a city of the edges, up to `ROUNDS` times, while it improves."""
    return descend(weights, candidates(weights, edges.flatten(1), near), tours, ROUNDS)


def local_search(walled: Tensor, everywhere: Candidates, tours: Tensor) -> Tensor:
    """Apply the best move of each instance until none improves: the tours are local optima."""
    return descend(walled, everywhere, tours, None)


def descend(weights: Tensor, pairs: Candidates, tours: Tensor, rounds: int | None) -> Tensor:
    """Apply the best improving move of each instance again and again.

    Instances without one are left out of further rounds.
    """
    done = tours.clone()
    rows = torch.arange(len(tours), device=tours.device)
    while rounds is None or rounds > 0:
        gain, move = best_moves(weights, pairs, tours)
        active = (gain < 0).nonzero()[:, 0]
        if len(active) < len(rows):
            done[rows] = tours
            if not len(active):
                return done
            rows, tours, move, pairs = rows[active], tours[active], move[active], pairs.of(active)
        tours = apply_moves(tours, move)
        rounds = None if rounds is None else rounds - 1
    done[rows] = tours
    return done


def best_moves(weights: Tensor, pairs: Candidates, tours: Tensor) -> tuple[Tensor, Tensor]:
    """Find the move of smallest change of the tour's weight (equal ones: the first).

    A move joins a base with a city of its list. By kind: 0, 2-opt at the successors of both; 1,
    2-opt at their predecessors; 2, the base moves behind the city; 3, before it.

    Returns:
        Changes ``[B]``, and moves ``[B, 3]``: kind, place of the base, place of the city.
    """
    batch, cities = tours.shape
    bases, (count, length) = pairs.bases, pairs.join.shape[2:]
    flat = weights.reshape(-1)
    place = torch.empty_like(tours).scatter_(1, tours, every_city(tours))
    beside = torch.stack([tours.roll(-1, 1), tours.roll(1, 1)], 1)  # successors, predecessors
    step = flat[pairs.origin + tours * cities + beside[:, 0]]
    both_ways = place[:, None].expand(-1, 2, -1)
    beside = beside.gather(2, both_ways)  # from here on by city, not by place
    old = torch.stack([step, step.roll(1, 1)], 1).gather(2, both_ways)

    at = bases[:, None].expand(-1, 2, -1)
    base_beside, base_old = beside.gather(2, at), old.gather(2, at)
    skip = flat[pairs.origin + base_beside[:, 1] * cities + base_beside[:, 0]]
    freed = (skip - base_old.sum(1))[:, None].expand(-1, 2, -1)
    own = torch.stack([-base_old, freed], 1)  # 2-opt, relocation; [B, 2, 2, Q]
    ends = torch.stack([base_beside, at], 1) * cities + pairs.origin[:, None, None]

    city_beside = beside.gather(2, pairs.cities).view(batch, 1, 2, count, length)
    city_old = old.gather(2, pairs.cities).view(batch, 2, count, length)
    new = flat.index_select(0, (ends[..., None] + city_beside).view(-1))
    gains = new.view(batch, 2, 2, count, length)
    gains += (pairs.join - city_old)[:, None]
    gains += own[..., None]
    gain, best = gains.view(batch, -1).min(dim=1)  # the first of equal ones
    kind, pair = best // (count * length), best % (count * length)
    base = bases.gather(1, (pair // length)[:, None])
    city = pairs.cities[:, 0].gather(1, pair[:, None])
    return gain, torch.cat([kind[:, None], place.gather(1, torch.cat([base, city], 1))], 1)


def apply_moves(tours: Tensor, move: Tensor) -> Tensor:
    """Return the tours ``[B, N]`` after moves ``[B, 3]`` as `best_moves` gives them.

    2-opt reverses the places between its edges. A relocation shifts the places between base and
    city by one, and the base takes the place that gets free.
    """
    kind, base, city = move[:, :1], move[:, 1:2], move[:, 2:]
    forward = base < city
    # 2-opt at successors keeps the lower city where it is, at predecessors the higher one; a base
    # that moves behind a city from behind it, or before one from before it, stops short of it.
    short = forward.to(torch.int64)
    first = torch.minimum(base, city) + torch.where(kind < 2, 1 - kind, (3 - kind) * (1 - short))
    last = torch.maximum(base, city) - torch.where(kind < 2, kind, (kind - 2) * short)
    places = every_city(tours)
    shifted = first + torch.remainder(places - first + 2 * short - 1, last - first + 1)
    source = torch.where(kind < 2, first + last - places, shifted)
    return tours.gather(1, torch.where((places >= first) & (places <= last), source, places))


def batched_guide(heuristic: Callable[..., Any]) -> Guide:
    """Call ``update_guide(distances, tours, penalties)`` for all instances, on copies."""

    def guide(distances: Tensor, tours: Tensor, penalties: Tensor) -> Tensor:
        given = heuristic(distances.clone(), tours.clone(), penalties.clone())
        wanted = f"wanted a torch.Tensor of shape {list(distances.shape)} and dtype torch.float64"
        if not isinstance(given, Tensor):
            raise BadResult(f"the heuristic returned {type(given).__name__}, {wanted}")
        if given.shape != distances.shape or given.dtype != torch.float64:
            raise BadResult(
                f"the heuristic returned shape {list(given.shape)} and dtype {given.dtype}, {wanted}"
            )
        if not math.isfinite(given.sum().item()) and not bool(given.isfinite().all()):
            instance, one, other = (~given.isfinite()).nonzero()[0].tolist()
            raise BadResult(
                f"the guide of edge {one}-{other} in instance {instance} is "
                f"{given[instance, one, other].item()}"
            )
        return given

    return guide


def scalar_guide(heuristic: Callable[..., Any]) -> Guide:
    """Call ``update_edge_distance(edge_distance, local_opt_tour, edge_n_used)`` per instance."""

    def one_guide(instance: int, *given: Tensor) -> Tensor:
        copies = [tensor[instance].cpu().numpy().copy() for tensor in given]
        answer = heuristic(*copies)
        array = np.asarray(answer)
        shape = tuple(given[0].shape[1:])
        if array.dtype.kind not in "iuf" or array.shape != shape:
            raise BadResult(
                f"instance {instance}: the heuristic returned {type(answer).__name__} of shape "
                f"{list(array.shape)} and type {array.dtype}, wanted a matrix {list(shape)} of "
                "numbers"
            )
        array = array.astype(np.float64)
        if not np.isfinite(array).all():
            one, other = np.argwhere(~np.isfinite(array))[0].tolist()
            raise BadResult(
                f"instance {instance}: the guide of edge {one}-{other} is {array[one, other]}"
            )
        return torch.from_numpy(array)

    def guide(distances: Tensor, tours: Tensor, penalties: Tensor) -> Tensor:
        given = (distances, tours, penalties)
        guides = [one_guide(instance, *given) for instance in range(len(distances))]
        return torch.stack(guides).to(distances.device)

    return guide
