"""Diversity by decisions in a run: measured from what programs did, and the same after a resume."""

import threading
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from eurisko.agents.evolution import EvolutionSettings, Interrupted
from eurisko.agents.evolution.foresight import decision_diversity
from eurisko.evaluators import evaluate, get_problem
from eurisko.evaluators.decisions import edge_traits, sketch
from eurisko.evaluators.problems.tsp_construct.construct import TspConstruct
from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.models import Evaluation

Settings = Callable[..., EvolutionSettings]


def test_diversity_is_the_mean_over_pairs() -> None:
    """Of three programs two decide alike and one shares nothing: two of three pairs differ."""
    same, other = sketch(np.arange(500)), sketch(np.arange(1_000, 1_500))
    assert decision_diversity([same, same, other]) == pytest.approx(2 / 3)
    assert decision_diversity([same]) == decision_diversity([]) == 0.0


FARTHER = (
    "def score_next(current, start, unvisited, distances):\n"
    "    rows = range(len(current))\n"
    "    return -distances[rows, current] + 0.6 * distances[rows, start]\n"
)


def test_evaluations_keep_what_was_decided(sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The distance of two programs' sketches is the share of edges that their tours do not share."""
    problem = get_problem("tsp_construct")
    data = problem.dataset("uniform-50-search")
    tours = []
    score = TspConstruct.score

    def listening(self: Any, data: Any, decisions: Any) -> Any:
        tours.append(decisions["tours"])
        return score(self, data, decisions)

    monkeypatch.setattr(TspConstruct, "score", listening)
    seed = problem.spec.interface("batched").seed
    sketches = [
        evaluate(sandbox, problem, "batched", code, data).decisions for code in (seed, FARTHER)
    ]
    edges = [set(edge_traits(one, 50, closed=True).tolist()) for one in tours]
    apart = 1 - len(edges[0] & edges[1]) / (64 * 50)
    assert 0.1 < apart < 0.9
    assert decision_diversity(sketches) == pytest.approx(apart, abs=0.1)


def test_a_resumed_run_measures_the_same(
    base: KnowledgeBase, settings: Settings, evolve: Any, resume: Any
) -> None:
    """Interrupted after its first generation, a run sees the diversities of one that was not."""
    made = settings(problem="job_shop", generations=3, diversity="decisions", seed=4)
    whole = evolve(made, base)
    stop = threading.Event()

    def listener(kind: str, progress: Any) -> None:
        if kind == "selected" and progress.generation == 1:
            stop.set()

    with pytest.raises(Interrupted):
        evolve(made, base, listener=listener, stop=stop)
    again = resume("last", base)
    assert again.run.id != whole.run.id and again.best.hash == whole.best.hash
    numbers = [[one["numbers"] for one in report.foresight] for report in (whole, again)]
    assert numbers[0] == numbers[1] and numbers[0][-1]["diversity"] > 0


def test_rows_of_older_versions_are_completed(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Evaluations without a sketch are made again for it, and come to the same diversity."""
    made = settings(problem="job_shop", generations=2, diversity="decisions")
    first = evolve(made, base)
    with base.session() as session, session.begin():
        session.execute(update(Evaluation).values(decisions=None))
    second = evolve(made, base)
    numbers = [[one["numbers"] for one in report.foresight] for report in (first, second)]
    assert numbers[0] == numbers[1]
    data = get_problem("job_shop").dataset("random-10x10-search")
    rows = base.evaluations([first.best.hash], data.digest, "batched")
    assert rows[first.best.hash].decisions is not None


def test_equal_programs_have_equal_sketches(sandbox: Any) -> None:
    """Routes have sketches too, and a program that runs twice has the same one."""
    problem = get_problem("cvrp_construct")
    data = problem.dataset("uniform-50-search")
    seed = problem.spec.interface("batched").seed
    found = [evaluate(sandbox, problem, "batched", seed, data).decisions for _ in range(2)]
    assert all(np.array_equal(one, other) for one, other in combinations(found, 2))
