"""The Pareto front of objective against time, and where its points come from."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.agents.evolution import EvolutionSettings
from eurisko.agents.evolution.pareto import TimedPoint, pareto_front, timed_points
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase, store

VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, float("nan"), float("inf")])


def dominates(one: TimedPoint, other: TimedPoint) -> bool:
    """The definition, spelled out."""
    a = (one.objective, one.seconds_per_instance)
    b = (other.objective, other.seconds_per_instance)
    return all(x <= y for x, y in zip(a, b, strict=True)) and a != b


@given(st.lists(st.tuples(VALUES, VALUES), max_size=30))
def test_the_front_is_what_the_definition_says(values: list[tuple[float, float]]) -> None:
    """Against brute force: exactly the points that none dominates, equal ones once, fastest first."""
    points = [TimedPoint(index, *pair) for index, pair in enumerate(values)]
    finite = [p for p in points if abs(p.objective) < 9 and abs(p.seconds_per_instance) < 9]
    free = [p for p in finite if not any(dominates(other, p) for other in finite)]
    expected: dict[tuple[float, float], TimedPoint] = {}
    for point in free:
        expected.setdefault((point.seconds_per_instance, point.objective), point)
    assert pareto_front(points) == [expected[key] for key in sorted(expected)]


def test_the_points_of_a_run(
    base: KnowledgeBase,
    settings: Callable[..., EvolutionSettings],
    evolve: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each program of a run is one point; times of another machine are no times."""
    report = evolve(settings(problem="job_shop", generations=0, population=4), base)
    problem = get_problem("job_shop")
    points = timed_points(base, report.run, problem)
    rows = {one.id: one for one in base.run_candidates(report.run.id)}
    assert {rows[one.candidate].hash for one in points} == {one.hash for one in rows.values()}
    assert all(0 < one.seconds_per_instance < 1 for one in points)
    data = problem.dataset("random-10x10-search")
    stored = base.evaluations([one.hash for one in rows.values()], data.digest, "batched")
    for one in points:
        result = stored[rows[one.candidate].hash]
        assert one.objective == result.objective
        assert one.seconds_per_instance == pytest.approx(result.cpu_s / 32)
    assert min(one.objective for one in pareto_front(points)) == report.history[0][0]
    monkeypatch.setattr(store, "this_machine", lambda: "another")
    assert timed_points(base, report.run, problem) == []
