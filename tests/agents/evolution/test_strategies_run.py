"""Strategies over one engine: the same counting for all, and each uses what it says."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from support.models import (
    Messages,
    answer,
    at,
    broken,
    is_lesson,
    is_repair,
    prompts,
    sometimes_broken,
)
from support.runs import scripted_answer
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution import EvolutionSettings, RunReport
from eurisko.agents.evolution.strategies import STRATEGIES
from eurisko.knowledge_base import KnowledgeBase

Settings = Callable[..., EvolutionSettings]

GUIDED = {"hifo", "hifo-no-hindsight", "hifo-random-regime"}
TAUGHT = {"hifo", "hifo-no-foresight", "hifo-random-regime"}


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_each_strategy_uses_what_it_says_and_counts_alike(
    base: KnowledgeBase, settings: Settings, evolve: Any, strategy: str
) -> None:
    """Same number of candidates for all; emphasis, insights and parents only where they belong."""
    with ScriptedEndpoint(answer) as endpoint:
        report: RunReport = evolve(settings(strategy=strategy, **at(endpoint)), base)
        asked = [p for p in prompts(endpoint) if not is_lesson(p)]
        lessons = len(endpoint.requests) - len(asked)
    assert report.run.status == "finished" and report.strategy == strategy
    assert report.candidates == 1 + 6 + 15
    assert report.spent.calls == len(asked) + lessons
    assert all(("# Emphasis" in p) == (strategy in GUIDED) for p in asked)
    assert all(("has learnt so far" in p) == (strategy in TAUGHT) for p in asked)
    assert lessons == (2 if strategy in TAUGHT else 0)
    assert len(report.foresight) == (2 if strategy in GUIDED else 0)
    assert all(
        (one["rule"] == "random") == (strategy == "hifo-random-regime") for one in report.foresight
    )
    operators = Counter(one.operator for one in base.run_candidates(report.run.id))
    if strategy == "random":
        assert operators == {"seed": 1, "i1": 21}
        assert not any("What exists" in p for p in asked)
    elif strategy == "oneplusone":
        assert operators == {"seed": 1, "i1": 1, "refine": 20}
    else:
        assert operators == {"seed": 1, "i1": 6, "e1": 3, "e2": 3, "m1": 3, "m2": 3, "m3": 3}


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_every_strategy_stops_at_the_same_number_of_calls(
    base: KnowledgeBase, settings: Settings, evolve: Any, strategy: str
) -> None:
    """Candidates, repairs and insights count alike: twelve calls, then the end."""
    with ScriptedEndpoint(sometimes_broken) as endpoint:
        made = settings(strategy=strategy, budgets={"calls": 12}, **at(endpoint))
        report = evolve(made, base)
        assert len(endpoint.requests) == 12 == report.spent.calls
    assert report.run.status == "stopped" and report.best is not None


def test_one_plus_one_keeps_the_best_and_learns_from_errors(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Every parent is the best so far; the next prompt tells what became of the last attempt."""

    def answers(messages: Messages, index: int) -> str:
        prompt = messages[-1]["content"]
        return broken(prompt) if index == 2 else scripted_answer(prompt)

    with ScriptedEndpoint(answers) as endpoint:
        report = evolve(settings(strategy="oneplusone", **at(endpoint)), base)
        asked = prompts(endpoint)
    assert "failed with candidate_error: NameError" in asked[3]
    assert "`missing = unknown_name`" in asked[3]
    rows = base.run_candidates(report.run.id)
    objective = dict(zip([one.id for one in rows], _objectives(base, rows), strict=True))
    best = objective[rows[0].id]
    for row in rows[1:]:
        if row.operator == "refine":
            (parent,) = row.parents
            assert objective[parent.parent_id] == best
        best = min(best, objective[row.id])
    assert not any(is_repair(p) for p in asked), "feedback takes the place of repair"


def _objectives(base: KnowledgeBase, rows: Any) -> list[float]:
    from eurisko.evaluators import get_problem

    data = get_problem("tsp_construct").dataset("uniform-50-search")
    found = base.evaluations({row.hash for row in rows}, data.digest, "batched")
    values = [found[row.hash].objective for row in rows]
    return [math.inf if value is None else value for value in values]


def test_offline_the_navigator_acts_and_insights_stay_out(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Without a model decisions are stored, and no insight is shown, credited or even seeded."""
    quick = {"problem": "job_shop", "generations": 2}
    report = evolve(settings(**quick), base)
    assert [one["generation"] for one in report.foresight] == [0, 1, 2]
    assert "does not read" in report.insights["note"]
    assert report.insights["members"] == [] and base.insights.count() == 0
    plain = evolve(settings(**quick, strategy="eoh"), base)
    assert plain.foresight == [] and "uses no insights" in plain.insights["note"]


@pytest.mark.parametrize("measure", ["description", "code", "behaviour", "decisions"])
def test_each_diversity_measure_can_be_chosen(
    base: KnowledgeBase, settings: Settings, evolve: Any, measure: str
) -> None:
    """The measure is computed from the survivors and stored with the decision."""
    constants = {"navigator": {"diversity": 1.0}}
    quick = {"problem": "job_shop", "generations": 2}
    report = evolve(settings(**quick, diversity=measure, **constants), base)
    last = report.foresight[2]
    assert 0 <= last["numbers"]["diversity"] <= 1
    if last["numbers"]["diversity"] < 1:
        assert (last["rule"], last["regime"]) == ("diversity", "explore")
