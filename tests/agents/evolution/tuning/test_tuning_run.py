"""Tuning within runs: what it makes, what it costs, and that it can be interrupted."""

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
from support.models import answer, at
from support.runs import digest

from eurisko.agents.evolution import Budgets, EvolutionSettings, Interrupted
from eurisko.agents.evolution.events import Progress
from eurisko.agents.evolution.offline import render
from eurisko.agents.evolution.scoring import Scoring
from eurisko.agents.evolution.survival import Member
from eurisko.agents.evolution.tuning import Tuning, find_constants
from eurisko.agents.running.budget import TimeBudget
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase

TUNED = {"tune": True, "tune_evaluations": 10, "tune_top": 2, "generations": 1, "population": 3}
QUICK = {**TUNED, "problem": "job_shop"}  # the cheapest to evaluate


def tally(base: KnowledgeBase, run_id: str) -> dict[str, int]:
    """How much a run tuned."""
    result = base.get_run(run_id).result
    assert result is not None
    return dict(result["tuning"])


def test_tuned_candidates_are_candidates(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """Better than their only parent, under a key of their own, with a genome that is their code."""
    report = evolve(settings(**TUNED), base)
    grammar = get_problem("tsp_construct").grammar
    assert grammar is not None
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    rows = {one.id: one for one in base.run_candidates(report.run.id)}
    known = base.evaluations([one.hash for one in rows.values()], data.digest, "batched")
    objective = {one.id: known[one.hash].objective or math.inf for one in rows.values()}
    tuned = [one for one in rows.values() if one.operator == "tune"]
    assert {one.key for one in tuned} <= {"g0/tune/0", "g1/tune/0", "g1/tune/1"} and tuned
    for one in tuned:
        (parent,) = one.parents
        assert objective[one.id] < objective[parent.parent_id]
        assert one.code == render(grammar, "batched", one.genome or "")
        assert "Tuned: " in one.thought and " → " in one.thought
    counts = tally(base, report.run.id)
    assert counts["moments"] in (2, 3) and counts["improved"] == len(tuned)
    assert 12 <= counts["evaluations"] <= 30 and counts["failed"] == 0
    assert report.history[0][0] == min(objective[i] for i, c in rows.items() if c.generation == 0)
    assert report.run.config["tune"] is True


def test_the_bayesian_tuner_tunes_a_run(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """With --tuner bayes a candidate gets four evaluations, and a better one is its child."""
    options = {"tune": True, "tuner": "bayes", "tune_evaluations": 4, "tune_top": 1}
    report = evolve(settings(**options, generations=0, population=3), base)
    counts = tally(base, report.run.id)
    assert (counts["moments"], counts["evaluations"]) == (1, 4)
    tuned = [one for one in base.run_candidates(report.run.id) if one.operator == "tune"]
    assert len(tuned) == counts["improved"]


def test_tuning_is_on_without_a_model_and_off_with_one() -> None:
    """Unless it is asked for."""
    offline = EvolutionSettings(problem="tsp_construct")
    model = offline.model_copy(update={"model": "openai/any"})
    assert (offline.tunes, model.tunes) == (True, False)
    assert offline.model_copy(update={"tune": False}).tunes is False
    assert model.model_copy(update={"tune": True}).tunes is True


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_an_interrupted_moment_is_taken_up(
    base: KnowledgeBase,
    settings: Callable[..., EvolutionSettings],
    evolve: Any,
    resume: Any,
    share: float,
) -> None:
    """Stopped in the middle of tuning and resumed, a run ends like another one that was not.

    The first run's evaluations are known to the second: so it is a base of its own that is stopped.
    """
    stop, inside = threading.Event(), threading.Event()

    def listen(kind: str, progress: Progress) -> None:
        if progress.generation == 0 and progress.evaluations >= 7 + 10 * share:
            stop.set()
            inside.set()

    with pytest.raises(Interrupted):
        evolve(settings(**QUICK), base, listener=listen, stop=stop)
    assert inside.is_set()
    (run,) = base.runs()
    assert "tune" not in {one.operator for one in base.run_candidates(run.id)}
    resumed = resume(run.id, base)
    with KnowledgeBase("sqlite://") as other:
        whole = evolve(settings(**QUICK), other)
        assert digest(base, resumed.run.id) == digest(other, whole.run.id)
        assert tally(base, resumed.run.id) == tally(other, whole.run.id)
        assert resumed.history == whole.history


def test_nothing_is_evaluated_twice(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """The same run again, with another number of workers: the same end, nothing evaluated."""
    made: list[int] = []

    def listen(kind: str, progress: Progress) -> None:
        if kind == "finished":
            made.append(progress.evaluations)

    runs = [evolve(settings(**QUICK, workers=n), base, listener=listen).run.id for n in (2, 1)]
    assert digest(base, runs[0]) == digest(base, runs[1]) and made[1] == 0 < made[0]


class Silent:
    """Tells nobody."""

    def emit(self, kind: str) -> None: ...


class Paper:
    """Scores programs by their first number: it is to be 0.9, and everything above 1 fails."""

    telling = Silent()

    def on_split(self, programs: Mapping[str, str], split: str, listen: Any) -> dict[str, float]:
        values = {name: float(find_constants(code)[0].value) for name, code in programs.items()}
        return {name: abs(one - 0.9) for name, one in values.items() if one <= 1}


def tuning(base: KnowledgeBase, seconds: float | None = None, **fields: Any) -> Tuning:
    """Tuning of models' programs that are scored on paper."""
    run = base.create_run(
        workflow="evolve", problem="tsp_construct", problem_version="1", interface="batched",
        proposer="", seed=0, config={}, folder="", version="0",
    )  # fmt: skip
    settings = EvolutionSettings(problem="tsp_construct", **fields)
    scoring, budget = cast(Scoring, Paper()), TimeBudget(seconds)
    problem = get_problem("tsp_construct")
    return Tuning(run.id, settings, problem, "batched", base, scoring, budget)


def parent(base: KnowledgeBase, run_id: str, code: str, objective: float) -> Member:
    """A stored candidate."""
    row = {"run_id": run_id, "key": "g0/i1/0", "generation": 0, "operator": "i1", "slot": 0}
    (stored,) = base.add_candidates([row | {"code": code, "hash": "h", "thought": "Weigh."}])
    return Member(stored.id, "h", objective, "Weigh.", code, None)


def test_a_failing_variant_costs_only_itself(base: KnowledgeBase) -> None:
    """Some variants fail: they are counted, and the best of the others is made a candidate."""
    tool = tuning(base, tune_evaluations=80)
    member = parent(base, tool.run_id, "y = 0.4 * x\n", 0.5)
    (row,), counts, stop = tool.tune([member], 2)
    assert stop == "" and row.key == "g2/tune/0" and row.parents[0].parent_id == member.id
    assert find_constants(row.code)[0].value == pytest.approx(0.9, abs=0.02)
    assert 0 < counts.failed < counts.evaluations <= 80 and counts.improved == 1


def test_the_cap_is_kept_and_no_gain_makes_no_candidate(base: KnowledgeBase) -> None:
    """Exactly so many programs as allowed, also below a whole generation; an optimum stays alone."""
    tool = tuning(base, tune_evaluations=5)
    member = parent(base, tool.run_id, "y = 0.9 * x\n", 0.0)
    rows, counts, _ = tool.tune([member], 0)
    assert (rows, counts.evaluations, counts.improved) == ([], 5, 0)


def test_a_moment_without_time_leaves_nothing(base: KnowledgeBase) -> None:
    """With the time budget used up, tuning says so and stores no candidate."""
    tool = tuning(base, seconds=1e-9)
    member = parent(base, tool.run_id, "y = 0.4 * x\n", 0.5)
    rows, counts, stop = tool.tune([member], 0)
    assert rows == [] and counts.evaluations == 0 and "time budget" in stop


def test_a_time_budget_within_tuning_is_taken_up(
    base: KnowledgeBase,
    settings: Callable[..., EvolutionSettings],
    evolve: Any,
    resume: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A budget that ends in the middle of a moment ends the run cleanly; with more it goes on."""
    asked = 0

    def exhausted(self: TimeBudget) -> str:
        nonlocal asked
        asked += 1
        return "The time budget is used up." if self.seconds == 1.0 and asked >= 4 else ""

    monkeypatch.setattr(TimeBudget, "exhausted", exhausted)
    stopped = evolve(settings(**TUNED, budgets={"seconds": 1.0}), base)
    assert stopped.run.status == "stopped" and len(stopped.history) == 1
    assert "tune" not in {one.operator for one in base.run_candidates(stopped.run.id)}
    finished = resume(stopped.run.id, base, budgets=Budgets(seconds=600))
    whole = evolve(settings(**TUNED), base)
    assert finished.run.status == "finished" and finished.history == whole.history
    assert digest(base, finished.run.id) == digest(base, whole.run.id)
    assert tally(base, finished.run.id) == tally(base, whole.run.id)


def test_with_a_model_only_where_asked_for_and_without_a_question(
    base: KnowledgeBase,
    settings: Callable[..., EvolutionSettings],
    evolve: Any,
    scripted_endpoint: Callable[..., Any],
) -> None:
    """By default a model's run has no tuned candidate; asked for, the weight moves at no call more."""
    calls, operators = {}, {}
    for tune in (None, True):
        endpoint = scripted_endpoint(answer)
        more = {**TUNED, **at(endpoint), "tune": tune, "strategy": "eoh", "generations": 0}
        report = evolve(settings(**more), base)
        rows = base.run_candidates(report.run.id)
        operators[tune] = {one.operator for one in rows}
        calls[tune] = (report.spent.calls, len(endpoint.requests))
        tuned = [one for one in rows if one.operator == "tune"]
    assert operators == {None: {"seed", "i1"}, True: {"seed", "i1", "tune"}}
    assert calls[None] == calls[True] and calls[None][0] >= 6
    for one in tuned:
        assert one.genome is None and one.thought.count("Tuned: 0.") == 1
        (weight,) = find_constants(one.code)
        assert f"→ {weight.value:g}." in one.thought
