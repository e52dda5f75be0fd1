"""The populations that the page works out again are those that the run had."""

from typing import Any

import pytest
from support.models import at, sometimes_broken
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution.page.data import PageData, collect
from eurisko.knowledge_base import KnowledgeBase

TUNED = {"tune": True, "tune_evaluations": 10, "tune_top": 2}


def means(data: PageData) -> list[float]:
    """Return the mean after each generation, as the page draws it."""
    found: list[float] = []
    for one in data.convergence:
        if one["mean"] is not None and (not found or one["mean"] != found[-1]):
            found.append(one["mean"])
    return found


def agree(data: PageData) -> None:
    """Compare with what the run noted of its populations while it ran."""
    noted = [mean for _, mean in data.report.history]
    different = [one for n, one in enumerate(noted) if n == 0 or one != noted[n - 1]]
    assert means(data) == pytest.approx(different)


def test_a_tuned_run_that_selects_on_time(base: KnowledgeBase, settings: Any, evolve: Any) -> None:
    """Members trade objective for time; tuned candidates join them and have a row of their own."""
    made = settings(objective="gap+time", **TUNED)
    data = collect(base, evolve(made, base).run.id)
    agree(data)
    rows = {one["operator"]: one for one in data.operators}
    assert data.report.tuning["improved"] == rows["tune"]["made"] == rows["tune"]["better"] > 0
    assert all(one["entered"] <= one["ok"] <= one["made"] for one in data.operators)


@pytest.mark.parametrize("strategy", ["hifo", "oneplusone", "random"])
def test_runs_with_a_model(base: KnowledgeBase, settings: Any, evolve: Any, strategy: str) -> None:
    """With repairs, or one candidate at a time, of which only the best so far is a member."""
    with ScriptedEndpoint(sometimes_broken) as endpoint:
        report = evolve(settings(generations=2, strategy=strategy, **at(endpoint)), base)
    data = collect(base, report.run.id)
    agree(data)
    if strategy == "oneplusone":
        entered = sum(one["entered"] for one in data.operators)
        assert entered == len({one["best"] for one in data.convergence if one["best"] is not None})
        assert data.convergence[-1]["mean"] == data.convergence[-1]["best"]
