"""An ant system in plain Python, one instance and one ant after the other, given its draws."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Matrix = Sequence[Sequence[float]]


def colony(
    distances: Matrix,
    demands: Sequence[float],
    capacity: float,
    answer: Matrix,
    draws: Sequence[Sequence[Sequence[float]]],
) -> list[int]:
    """Return the best walk from the depot and back.

    Args:
        distances, demands, capacity: the instance; node 0 is the depot.
        answer: what the heuristic says, ``[from][to]``.
        draws: random numbers below 1, ``[iteration][step][ant]``.
    """
    nodes = len(demands)
    merit = [[min(max(value + 1e-9, 1e-9), 1e12) for value in row] for row in answer]
    pheromone = [[1.0] * nodes for _ in range(nodes)]
    shortest, best = float("inf"), [0]
    for drawn in draws:
        weights = [
            [p * m for p, m in zip(*rows, strict=True)]
            for rows in zip(pheromone, merit, strict=True)
        ]
        added: dict[tuple[int, int], int] = {}
        for ant in range(len(drawn[0])):
            walk = one_ant(weights, demands, capacity, [row[ant] for row in drawn])
            edges = list(pairwise(walk))
            length = 0.0
            for edge in edges:
                length += distances[edge[0]][edge[1]]
            for edge in edges:
                added[edge] = added.get(edge, 0) + round(2**40 / length)
            if length < shortest:
                shortest, best = length, walk
        pheromone = [
            [max(0.9 * old + added.get((i, j), 0) / 2**40, 1e-10) for j, old in enumerate(row)]
            for i, row in enumerate(pheromone)
        ]
    return best


def one_ant(
    weights: Matrix, demands: Sequence[float], capacity: float, drawn: Sequence[float]
) -> list[int]:
    """Return the walk of one ant: roulette wheels over the nodes that it may go to."""
    left, walk, room = set(range(1, len(demands))), [0], capacity
    while left or walk[-1]:
        here = walk[-1]
        sums, total = [], 0.0
        for node, weight in enumerate(weights[here]):
            allowed = here != 0 if node == 0 else node in left and demands[node] <= room
            total += weight if allowed else 0.0
            sums.append(total)
        goal = drawn[len(walk) - 1] * total
        node = next(i for i, one in enumerate(sums) if one > goal)
        left.discard(node)
        room = room - demands[node] if node else capacity
        walk.append(node)
    return walk


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield the lengths of the seed heuristic's routes, instance by instance."""
    import torch

    from eurisko.evaluators.problems.cvrp_aco.colony import ANTS, ITERATIONS

    batch, nodes = arrays["demands"].shape
    shape = (2 * nodes - 2, batch, ANTS)
    generator = torch.Generator().manual_seed(seed)
    draws = [
        torch.rand(shape, generator=generator, dtype=torch.float64) * (1 - 2.0**-32)
        for _ in range(ITERATIONS)
    ]
    for b in range(batch):
        distances = arrays["distances"][b].tolist()
        answer = [[1 / one if one else 1.0 for one in row] for row in distances]
        mine = [drawn[:, b].tolist() for drawn in draws]
        demands, capacity = arrays["demands"][b].tolist(), arrays["capacity"][b].item()
        walk = colony(distances, demands, capacity, answer, mine)
        yield sum(distances[i][j] for i, j in pairwise(walk))
