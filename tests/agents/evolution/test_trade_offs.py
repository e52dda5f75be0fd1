"""Survivors by objective and time, against NSGA-II as DEAP has it and by brute force."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from deap import base as deap_base
from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from eurisko.agents.evolution import EvolutionSettings
from eurisko.agents.evolution.survival import TIME_STEP, Member, trade_offs
from eurisko.knowledge_base import KnowledgeBase

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(-6, 6)), max_size=25)


def members(pairs: list[tuple[int, int]]) -> list[Member]:
    """Members with these objectives, and times so many steps away from a millisecond."""
    return [
        Member(n, f"h{n}", float(gap), "", "", None, 1e-3 * TIME_STEP**step)
        for n, (gap, step) in enumerate(pairs)
    ]


@given(PAIRS, st.integers(1, 10))
def test_as_nsga2_selects(pairs: list[tuple[int, int]], size: int) -> None:
    """Without duplicates the chosen ones are as well placed as those of DEAP's own selNSGA2."""
    pairs = list(dict.fromkeys(pairs))

    class Fitness(deap_base.Fitness):
        weights = (-1.0, -1.0)

    others = [SimpleNamespace(fitness=Fitness(pair), pair=pair) for pair in pairs]
    expected = tools.selNSGA2(others, size)
    chosen = trade_offs(members(pairs), size)
    got = [pairs[one.id] for one in chosen]
    fronts = tools.sortNondominated(others, len(others))
    for front in fronts:
        tools.emo.assignCrowdingDist(front)
    by_pair = {one.pair: one.fitness.crowding_dist for one in others}
    rank = {one.pair: number for number, front in enumerate(fronts) for one in front}
    assert len(got) == len(expected)
    assert sorted((rank[p], -by_pair[p]) for p in got) == sorted(
        (rank[one.pair], -by_pair[one.pair]) for one in expected
    )


@given(PAIRS, st.integers(1, 10))
def test_the_best_and_the_front_come_first(pairs: list[tuple[int, int]], size: int) -> None:
    """The best objective leads; a dominated member is kept only if all non-dominated ones are."""
    crowd = members(pairs)
    chosen = trade_offs(crowd, size)
    if not crowd:
        assert chosen == []
        return
    assert chosen[0].objective == min(one.objective for one in crowd)
    free = {
        pair
        for pair in pairs
        if not any(a <= pair[0] and b <= pair[1] and (a, b) != pair for a, b in pairs)
    }
    kept = {pairs[one.id] for one in chosen}
    assert kept <= free if len(free) >= size else free <= kept
    assert len({one.hash for one in chosen}) == len(chosen) == min(size, len(set(pairs)))


def test_noise_is_no_advantage() -> None:
    """Times within a step are equal, so that the worse member is dominated; a real gain is kept."""
    good = Member(1, "a", 8.0, "", "", None, 1.00e-3)
    lucky = Member(2, "b", 9.0, "", "", None, 0.99e-3)
    quick = Member(3, "c", 9.0, "", "", None, 0.60e-3)
    assert [one.id for one in trade_offs([good, lucky], 2)] == [1, 2]
    assert [one.id for one in trade_offs([good, lucky, quick], 2)] == [1, 3]


def test_times_of_another_machine_are_the_longest() -> None:
    """A member without a time neither wins by it nor breaks the ranking."""
    unknown = Member(1, "a", 9.0, "", "", None, math.inf)
    timed = [Member(2, "b", 9.5, "", "", None, 1e-3), Member(3, "c", 8.0, "", "", None, 2e-3)]
    assert [one.id for one in trade_offs([unknown, *timed], 3)] == [3, 2, 1]
    assert [one.id for one in trade_offs([unknown], 3)] == [1]


def test_a_run_selects_on_time(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """With gap+time the survivors are the trade-offs of all that ran; with gap they are the best."""
    from eurisko.agents.evolution import pareto
    from eurisko.evaluators import get_problem

    report = evolve(
        settings(problem="job_shop", generations=0, population=4, objective="gap+time"), base
    )
    problem = get_problem("job_shop")
    points = pareto.timed_points(base, report.run, problem)
    front = pareto.pareto_front(points)
    assert report.history[0][0] == min(one.objective for one in points) == front[-1].objective
    crowd = [
        Member(p.candidate, str(p.candidate), p.objective, "", "", None, p.seconds_per_instance)
        for p in points
    ]
    kept = trade_offs(crowd, 4)
    mean = sum(one.objective for one in kept) / len(kept)
    assert report.history[0][1] == pytest.approx(mean)
