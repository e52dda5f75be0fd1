"""The planned detours against farthest insertion as a plain loop over lists."""

import itertools

import numpy as np
import pytest
import torch

from eurisko.agents.evolution.offline import render
from eurisko.evaluators.problems.tsp_construct.data import euclidean, uniform_coordinates
from eurisko.evaluators.problems.tsp_construct.grammar import grammar
from eurisko.evaluators.problems.tsp_construct.plan import DETOURS


def routine(interface: str, **modules: object) -> object:
    """Return the function of an interface."""
    names = dict(modules)
    exec(DETOURS.sources[interface], names)
    return names["plan_detours"]


def naive(current: int, start: int, unvisited: list[int], d: np.ndarray) -> dict[int, float]:
    """Plan a path by farthest insertion, then move each city to its front and measure it whole."""
    path, left = [current, start], list(unvisited)
    while left:
        city = max(left, key=lambda one: min(d[one, other] for other in path))
        gains = [d[a, city] + d[city, b] - d[a, b] for a, b in itertools.pairwise(path)]
        path.insert(gains.index(min(gains)) + 1, city)
        left.remove(city)

    def length(way: list[int]) -> float:
        return sum(d[a, b] for a, b in itertools.pairwise(way))

    detours = {}
    for city in unvisited:
        rest = [one for one in path[1:] if one != city]
        detours[city] = length([current, city, *rest]) - length(path)
    return detours


@pytest.mark.parametrize("visited", [1, 4, 9])
def test_both_interfaces_plan_as_a_plain_loop(visited: int) -> None:
    """Detours are those of whole paths that are built and measured one by one, in any state."""
    maps = euclidean(uniform_coordinates(6, 12, seed=31))
    orders = [np.random.default_rng(i).permutation(np.arange(1, 12)) for i in range(6)]
    seen = [[0, *order[: visited - 1].tolist()] for order in orders]
    current = torch.tensor([one[-1] for one in seen])
    unvisited = torch.ones(6, 12, dtype=torch.bool)
    for row, one in enumerate(seen):
        unvisited[row, one] = False
    start = torch.zeros(6, dtype=torch.int64)
    batched = routine("batched", torch=torch)(current, start, unvisited, torch.from_numpy(maps))
    assert batched.dtype == torch.float64
    scalar = routine("scalar", np=np)
    for row, matrix in enumerate(maps):
        free = np.flatnonzero(unvisited[row].numpy())
        expected = naive(int(current[row]), 0, free.tolist(), matrix)
        np.testing.assert_allclose(batched[row, free].numpy(), list(expected.values()), atol=1e-12)
        found = scalar(int(current[row]), 0, free, matrix)
        np.testing.assert_allclose(found, list(expected.values()), atol=1e-12)


def test_the_first_city_of_the_plan_has_no_detour() -> None:
    """At least one city is worth going to: the planned one costs exactly nothing."""
    maps = torch.from_numpy(euclidean(uniform_coordinates(5, 20, seed=3)))
    unvisited = torch.ones(5, 20, dtype=torch.bool)
    unvisited[:, 0] = False
    zero = torch.zeros(5, dtype=torch.int64)
    detours = routine("batched", torch=torch)(zero, zero, unvisited, maps)
    assert bool(((detours == 0) & unvisited).any(1).all())


def test_a_routine_is_written_only_where_it_is_used() -> None:
    """The function comes before the heuristic, and programs without the feature stay as they were."""
    for interface in ("batched", "scalar"):
        used = render(grammar, interface, "add(step, scale(detour, 0.5))")
        assert used.index("def plan_detours") < used.index(grammar.renderings[interface].signature)
        assert "plan_detours" not in render(grammar, interface, "add(step, scale(home, 0.5))")
