"""Guided local search for one travelling-salesman instance after the other, with plain loops.

The reference for tsp_gls: the same decisions, one move after the other, no tensors.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Matrix = list[list[float]]
Move = tuple[int, int, int]


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield tour lengths, instance by instance, with the product's seed; nothing is random."""
    from eurisko.evaluators.problems.tsp_gls import solver
    from eurisko.evaluators.problems.tsp_gls.scalar_seed import update_edge_distance

    for distances in arrays["distances"]:
        tour = plain_gls(
            distances,
            update_edge_distance,
            iterations=solver.ITERATIONS,
            neighbours=solver.NEIGHBOURS,
            edges=solver.EDGES,
            rounds=solver.ROUNDS,
            back=solver.RETURN,
        )
        yield length(distances.tolist(), tour)


def plain_gls(
    distances: np.ndarray,
    heuristic: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    *,
    iterations: int,
    neighbours: int,
    edges: int,
    rounds: int,
    back: int,
) -> list[int]:
    """Return the best tour of one instance ``[N, N]``, from city 0.

    Args:
        distances: symmetric, zero diagonal.
        heuristic: the scalar interface's function.
        iterations, neighbours, edges, rounds, back: the constants of the solver.
    """
    cities = len(distances)
    quantum = 2.0 ** (math.ceil(math.log2(distances.max())) - 32)
    matrix = np.round(distances / quantum) * quantum
    true: Matrix = matrix.tolist()
    near = [
        sorted((c for c in range(cities) if c != a), key=lambda c, a=a: (true[a][c], c))[
            :neighbours
        ]
        for a in range(cities)
    ]
    tour = descend(true, near, nearest_neighbour(true), range(cities), None)
    best = tour
    penalties = np.zeros((cities, cities))
    for iteration in range(1, iterations + 1):
        given = heuristic(matrix.copy(), np.array(tour), penalties.copy())
        guide: Matrix = (np.round((given + given.T) / (2 * quantum)) * quantum).tolist()
        pairs = list(zip(tour, tour[1:] + tour[:1], strict=True))
        raised = sorted(pairs, key=lambda e: -(guide[e[0]][e[1]] - true[e[0]][e[1]]))[:edges]
        for one, other in raised:
            penalties[one, other] += 1
            penalties[other, one] += 1
        ends = [city for edge in raised for city in edge]
        tour = descend(guide, near, tour, ends, rounds)
        tour = descend(true, near, tour, range(cities), None)
        if length(true, tour) < length(true, best):
            best = tour
        if iteration % back == 0:
            tour = best
    start = best.index(0)
    return best[start:] + best[:start]


def length(weights: Matrix, tour: list[int]) -> float:
    """Length of a closed tour."""
    return sum(weights[a][b] for a, b in zip(tour, tour[1:] + tour[:1], strict=True))


def nearest_neighbour(weights: Matrix) -> list[int]:
    """Tour from city 0 to the nearest unvisited city, equal distances by index."""
    tour = [0]
    while len(tour) < len(weights):
        free = [c for c in range(len(weights)) if c not in tour]
        tour.append(min(free, key=lambda c: weights[tour[-1]][c]))
    return tour


def descend(
    weights: Matrix,
    near: list[list[int]],
    tour: list[int],
    bases: Iterable[int],
    rounds: int | None,
) -> list[int]:
    """Apply the best improving move until there is none, or for so many rounds."""
    bases = list(bases)
    while rounds is None or rounds > 0:
        change, move = best_move(weights, near, tour, bases)
        if not change < 0:
            break
        tour = moved(tour, move)
        rounds = None if rounds is None else rounds - 1
    return tour


def best_move(
    weights: Matrix, near: list[list[int]], tour: list[int], bases: list[int]
) -> tuple[float, Move]:
    """Return the smallest change and the first move (kind, base, city) that gives it."""
    cities = len(tour)
    place = {city: i for i, city in enumerate(tour)}
    after = {city: tour[(i + 1) % cities] for i, city in enumerate(tour)}
    before = {city: tour[i - 1] for i, city in enumerate(tour)}
    assert len(place) == cities
    best, found = math.inf, (0, tour[0], tour[0])
    for kind in range(4):
        beside = (after, before)[kind % 2]
        for a in bases:
            for c in near[a]:
                if kind < 2:
                    change = weights[a][c] + weights[beside[a]][beside[c]]
                    change -= weights[a][beside[a]] + weights[c][beside[c]]
                elif beside[c] == a:
                    continue
                else:
                    change = weights[a][c] + weights[a][beside[c]] - weights[c][beside[c]]
                    change += weights[before[a]][after[a]]
                    change -= weights[before[a]][a] + weights[a][after[a]]
                if change < best:
                    best, found = change, (kind, a, c)
    return best, found


def moved(tour: list[int], move: Move) -> list[int]:
    """Return the tour after a move."""
    kind, a, c = move
    if kind >= 2:
        rest = [city for city in tour if city != a]
        at = rest.index(c) + (kind == 2)
        return [*rest[:at], a, *rest[at:]]
    low, high = sorted((tour.index(a), tour.index(c)))
    first, end = (low + 1, high + 1) if kind == 0 else (low, high)
    return tour[:first] + tour[first:end][::-1] + tour[end:]
