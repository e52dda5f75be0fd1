"""An ant colony over all instances and ants at once, guided by what the heuristic says of edges.

This file runs inside the sandbox as text: it may use numpy, torch and the standard library only.
The colony is the ant system (Dorigo, Maniezzo and Colorni, 1996) in the directed form that DeepACO
and ReEvo use for this problem: every ant deposits 1 / length on each edge that it drove. Random
numbers are drawn on the processor and deposits are added as integers, so the order of additions
cannot change a decision.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

ANTS = 64
ITERATIONS = 16
DECAY = 0.9
FAINTEST = 1e-10  # pheromone never falls below it
LOWEST, HIGHEST = 1e-9, 1e12  # the range of desirabilities
UNIT = 2.0**40  # deposits are whole multiples of its reciprocal


class BadResult(Exception):
    """The heuristic returned something that is not a matrix of desirabilities."""

    outcome = "bad_result"


def solve_batched(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Ask once for all instances, then let the colony build routes.

    Args:
        heuristic: ``score_edges(distances, coordinates, demands, capacity) -> [B, N, N]``.
        inputs: ``distances`` ``[B, N, N]``, ``coordinates`` ``[B, N, 2]``, ``demands`` ``[B, N]``,
            ``capacity`` ``[B]``.
        device: torch device.

    Returns:
        ``visits`` ``[B, 2 * N - 1]`` int64, padded with 0.
    """
    seed = torch.initial_seed()  # the evaluator's: read before the heuristic can set another
    shown = [torch.from_numpy(one).to(device) for one in shown_arrays(inputs)]
    shape = list(inputs["distances"].shape)
    with torch.no_grad():
        answer = heuristic(*shown)
        if not isinstance(answer, torch.Tensor):
            raise BadResult(f"the heuristic returned {type(answer).__name__}, wanted a tensor")
        if list(answer.shape) != shape or answer.dtype != torch.float64:
            raise BadResult(
                f"the heuristic returned shape {list(answer.shape)} and dtype {answer.dtype}, "
                f"wanted shape {shape} and dtype torch.float64"
            )
        return {"visits": best_walks(inputs, answer, device, seed)}


def solve_scalar(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Ask for one instance after the other, then let the same colony build routes.

    Args:
        heuristic: ``heuristics(distance_matrix, coordinates, demands, capacity) -> [N, N]``.
        inputs: as for ``solve_batched``.
        device: torch device of the colony; the heuristic is on the processor.

    Returns:
        ``visits`` ``[B, 2 * N - 1]`` int64, padded with 0.
    """
    seed = torch.initial_seed()  # the evaluator's: read before the heuristic can set another
    answers = np.empty(inputs["distances"].shape)
    for instance, (matrix, coordinates, demands, capacity) in enumerate(
        zip(*shown_arrays(inputs), strict=True)
    ):
        answer = np.asarray(heuristic(matrix, coordinates, demands, int(capacity)))
        if answer.shape != answers.shape[1:] or answer.dtype.kind not in "iuf":
            raise BadResult(
                f"instance {instance}: the heuristic returned shape {list(answer.shape)} and dtype "
                f"{answer.dtype}, wanted numbers of shape {list(answers.shape[1:])}"
            )
        answers[instance] = answer
    with torch.no_grad():
        desirability = torch.from_numpy(answers).to(device)
        return {"visits": best_walks(inputs, desirability, device, seed)}


def shown_arrays(inputs: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return copies for the heuristic, float64; the diagonal of the distances is 1, as published.

    Published heuristics divide by distances.
    """
    distances = inputs["distances"].copy()
    nodes = np.arange(distances.shape[1])
    distances[:, nodes, nodes] = 1.0
    rest = (inputs[key].astype(np.float64) for key in ("coordinates", "demands", "capacity"))
    return distances, *rest


def best_walks(
    inputs: dict[str, np.ndarray], answer: torch.Tensor, device: str, seed: int
) -> np.ndarray:
    """Return the best walk that any ant found in each instance."""
    if bool(answer.isnan().any()):
        place = ", ".join(str(index) for index in answer.isnan().nonzero()[0].tolist())
        raise BadResult(f"the desirability at [instance, from, to] = [{place}] is NaN")
    # Published evaluators add the lowest value, too, and cut off what is below it.
    desirability = (answer + LOWEST).clamp(LOWEST, HIGHEST)
    distances, demands, capacity = (
        torch.from_numpy(inputs[key].astype(np.float64)).to(device)
        for key in ("distances", "demands", "capacity")
    )
    colony = Colony(distances, demands, capacity, desirability, ANTS, seed)
    walks: np.ndarray = colony.run(ITERATIONS).cpu().numpy()
    return walks


class Colony:
    """Ants of all instances; row ``b * ants + a`` is ant ``a`` of instance ``b``.

    ``need`` ``[rows, N]`` holds demands of the nodes an ant may go to while they fit, infinity for
    the others: one comparison with the room that is left tells what is allowed.
    """

    def __init__(
        self,
        distances: torch.Tensor,
        demands: torch.Tensor,
        capacity: torch.Tensor,
        desirability: torch.Tensor,
        ants: int,
        seed: int,
    ) -> None:
        self.batch, self.nodes = demands.shape
        self.ants, self.rows = ants, self.batch * ants
        self.device = demands.device
        self.desirability = desirability
        self.pheromone = torch.ones_like(desirability)
        self.generator = torch.Generator().manual_seed(seed)
        self.lengths_of_edges = distances.reshape(-1)
        self.demands = demands.reshape(-1)
        self.capacity = capacity.repeat_interleave(ants)
        self.need = demands.repeat_interleave(ants, dim=0)
        self.need[:, 0] = torch.inf
        instances = torch.arange(self.batch, device=self.device).repeat_interleave(ants)
        self.first_node = instances * self.nodes

    def run(self, iterations: int) -> torch.Tensor:
        """Return the best walks ``[B, 2 * N - 1]`` of all iterations; equal ones: the earliest."""
        best = torch.full((self.batch,), torch.inf, dtype=torch.float64, device=self.device)
        found = torch.zeros((self.batch, 2 * self.nodes - 1), dtype=torch.int64, device=self.device)
        instances = torch.arange(self.batch, device=self.device)
        for _ in range(iterations):
            walks, lengths = self.build(self.draw())
            shortest = lengths.view(self.batch, self.ants).argmin(dim=1) + instances * self.ants
            better = lengths[shortest] < best
            best = torch.where(better, lengths[shortest], best)
            found = torch.where(better[:, None], walks[:, shortest].T, found)
            self.deposit(walks, lengths)
        return found

    def draw(self) -> torch.Tensor:
        """Return random numbers below 1 for each step and row of an iteration."""
        shape = (2 * self.nodes - 2, self.rows)
        drawn = torch.rand(shape, generator=self.generator, dtype=torch.float64)
        return (drawn * (1 - 2.0**-32)).to(self.device)  # a draw times a sum stays below the sum

    def build(self, draws: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return walks ``[2 * N - 1, rows]`` from the depot and back, and their lengths.

        The next node is drawn in proportion to pheromone times desirability among the customers
        that fit and the depot, where an ant cannot stay before its end.
        """
        weights = (self.pheromone * self.desirability).view(-1, self.nodes)
        need, room = self.need.clone(), self.capacity.clone()
        walks = torch.zeros((len(draws) + 1, self.rows), dtype=torch.int64, device=self.device)
        lengths = torch.zeros(self.rows, dtype=torch.float64, device=self.device)
        left = torch.full((self.rows,), self.nodes - 1, dtype=torch.int64, device=self.device)
        place = self.first_node
        chances = torch.empty((self.rows, self.nodes), dtype=torch.float64, device=self.device)
        for step, draw in enumerate(draws, start=1):
            torch.index_select(weights, 0, place, out=chances)
            chances.masked_fill_(need > room[:, None], 0.0)
            sums = chances.cumsum_(dim=1)
            goal = (draw * sums[:, -1])[:, None]
            chosen = torch.searchsorted(sums, goal, right=True)
            need.scatter_(1, chosen, torch.inf)
            node = walks[step] = chosen[:, 0]
            lengths += self.lengths_of_edges[place * self.nodes + node]
            at_depot = node == 0
            left += at_depot.to(torch.int64) - 1
            place = self.first_node + node
            room = torch.where(at_depot, self.capacity, room - self.demands[place])
            need[:, 0] = torch.where(at_depot & (left > 0), torch.inf, 0.0)
            if step % 4 == 0 and not bool(((left > 0) | ~at_depot).any()):
                break
        return walks, lengths

    def deposit(self, walks: torch.Tensor, lengths: torch.Tensor) -> None:
        """Let the pheromone evaporate, then add 1 / length to each edge of each ant.

        The padding of walks lands on the edge from the depot to itself, which nobody chooses.
        """
        edges = (self.first_node + walks[:-1]) * self.nodes + walks[1:]
        shares = (UNIT / lengths).round().to(torch.int64).expand(edges.shape)
        added = torch.zeros(self.pheromone.numel(), dtype=torch.int64, device=self.device)
        added.scatter_add_(0, edges.reshape(-1), shares.reshape(-1))
        deposits = (added.to(torch.float64) / UNIT).view(self.pheromone.shape)
        self.pheromone = (DECAY * self.pheromone + deposits).clamp(min=FAINTEST)
