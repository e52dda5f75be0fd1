"""Foresight and hindsight in whole runs with a scripted model, many workers, budgets and replays."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
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
from support.runs import digest, learnt, scripted_answer
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution import (
    Budgets,
    EvolutionSettings,
    write_run_recording,
)
from eurisko.agents.evolution.hindsight import SEED_INSIGHTS
from eurisko.knowledge_base import KnowledgeBase

Settings = Callable[..., EvolutionSettings]


def own_credit(objective: float, population: list[float]) -> float:
    """The published tiers, written once more."""
    best, worst, mean = min(population), max(population), sum(population) / len(population)
    if best == worst:
        return 0.1
    rho = (worst - objective) / (worst - best)
    if objective <= best:
        value = 0.8 + 0.2 * rho
    elif objective <= mean:
        value = 0.2 + 0.6 * rho
    else:
        value = -0.3 + 0.5 * rho
    return max(-1.0, min(1.0, value))


def test_credit_reaches_the_coordinator_with_many_workers(
    base: KnowledgeBase, settings: Settings, evolve: Any, tmp_path: Path
) -> None:
    """Four calls at once: every prompt's insights are credited, and the pool is the same as with one.

    The moving averages are computed once more here, from what is stored of candidates and uses.
    """
    found = []
    for concurrency in (4, 1):
        with (
            ScriptedEndpoint(answer, together=min(concurrency, 2)) as endpoint,
            KnowledgeBase(f"sqlite:///{tmp_path / f'{concurrency}.db'}") as fresh,
        ):
            made = settings(population=4, generations=2, **at(endpoint, concurrency=concurrency))
            report = evolve(made, fresh)
            found.append((digest(fresh, report.run.id), learnt(report.to_json())))
            uses = fresh.insights.uses(report.run.id)
            if concurrency == 4:
                assert endpoint.most_at_once >= 2
                averages: dict[int, float] = defaultdict(float)
                for use in uses:
                    assert use.credit is not None
                    averages[use.insight_id] = 0.7 * averages[use.insight_id] + 0.3 * use.credit
                    assert use.effectiveness == pytest.approx(averages[use.insight_id])
                candidates = report.candidates - 1  # the seed heuristic had no prompt
                assert len(uses) == 3 * candidates == 3 * (8 + 2 * 20)
                assert sum(one.uses for one in fresh.insights.find(limit=99)) == len(uses)
                assert len({round(one, 6) for one in averages.values()}) > 3
    assert found[0] == found[1]


def test_credit_is_that_of_the_population_a_candidate_was_bred_from(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """In the first generation's first step, credit follows from the survivors of generation 0."""
    with ScriptedEndpoint(answer) as endpoint:
        report = evolve(settings(population=4, **at(endpoint)), base)
    rows = base.run_candidates(report.run.id)
    from eurisko.evaluators import get_problem

    data = get_problem("tsp_construct").dataset("uniform-50-search")
    scores = {
        name: one.objective
        for name, one in base.evaluations({r.hash for r in rows}, data.digest, "batched").items()
    }
    zero: dict[float, str] = {}
    for row in rows:
        if row.generation == 0 and scores[row.hash] is not None:
            zero.setdefault(round(float(scores[row.hash] or 0), 5), row.hash)
    population = [float(scores[zero[one]] or 0) for one in sorted(zero)[:4]]
    by_id = {row.id: row for row in rows}
    checked = 0
    for use in base.insights.uses(report.run.id):
        row = by_id[use.candidate_id]
        if row.generation == 1 and row.operator == "e1":
            objective = scores[row.hash]
            assert objective is not None
            assert use.credit == pytest.approx(own_credit(objective, population))
            checked += 1
    assert checked == 3 * 4


def test_guidance_reaches_every_prompt_and_is_stored(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Each heuristic's prompt shows three insights, the directive and the regime of its generation."""
    with ScriptedEndpoint(answer) as endpoint:
        report = evolve(settings(generations=2, **at(endpoint)), base)
        asked = [p for p in prompts(endpoint) if not is_lesson(p)]
        lessons = [p for p in prompts(endpoint) if is_lesson(p)]
    assert len(asked) >= 6 + 2 * 15 and len(lessons) == 3  # a double is asked for once more
    assert all(p.count("\n- Do: ") + p.count("\n- Avoid: ") == 3 for p in asked)
    timeline = report.foresight
    assert [one["generation"] for one in timeline] == [0, 1, 2]
    for one in timeline:
        assert one["reason"] and one["rule"]
        assert sum(one["directive"] in p for p in asked) >= 6
    assert [one["rule"] for one in timeline[:2]] == ["warm-up", "warm-up"]
    assert timeline[2]["rule"] in ("otherwise", "diversity", "progress")
    ledger = report.insights
    assert (ledger["seeds"], ledger["inherited"]) == (5, 0)
    assert "no insights of earlier runs" in ledger["note"]
    stated = Counter(one["verdict"] for one in ledger["events"])
    assert stated["admitted"] >= 2 and sum(stated.values()) == 2 * 3
    shown = {one["text"] for one in ledger["members"] if one["uses"]}
    assert shown - set(SEED_INSIGHTS), "what was learnt is shown to later prompts"


def test_a_second_run_begins_with_what_the_first_has_learnt_and_says_so(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Insights, and their effectiveness, are carried over; --fresh-insights leaves them out."""
    begun: list[int] = []

    def listen(kind: str, progress: Any) -> None:
        if kind == "begun":
            begun.append(progress.inherited)

    with ScriptedEndpoint(answer) as endpoint:
        first = evolve(settings(**at(endpoint)), base, listener=listen)
        learnt_first = {
            one["text"] for one in first.insights["members"] if one["origin"] == "extracted"
        }
        asked = len(endpoint.requests)
        second = evolve(settings(seed=5, **at(endpoint)), base, listener=listen)
        opening = prompts(endpoint)[asked : asked + 6]
        third = evolve(settings(seed=6, transfer=False, **at(endpoint)), base, listener=listen)
    assert begun == [0, len(learnt_first), 0] and learnt_first
    assert f"began with {len(learnt_first)} insight" in second.insights["note"]
    assert any(text in prompt for text in learnt_first for prompt in opening)
    starts = {
        one.text: (one.verdict, one.effectiveness)
        for one in base.insights.events(second.run.id)
        if one.verdict in ("seed", "inherited")
    }
    assert {text for text, (verdict, _) in starts.items() if verdict == "inherited"} == learnt_first
    finals = {one["text"]: one["effectiveness"] for one in first.insights["members"] if one["uses"]}
    mean = sum(finals.values()) / len(finals)
    for text, (_, start) in starts.items():
        assert start == pytest.approx(finals[text] - mean if text in finals else 0.0)
    assert third.insights["inherited"] == 0


def test_a_run_that_began_with_inherited_insights_replays_anywhere(
    base: KnowledgeBase, settings: Settings, evolve: Any, tmp_path: Path
) -> None:
    """The recording holds what the run began with: a replay in an empty knowledge base is the same."""
    with ScriptedEndpoint(answer) as endpoint:
        evolve(settings(**at(endpoint)), base)
        second = evolve(settings(seed=5, **at(endpoint)), base)
    assert second.insights["inherited"]
    file = tmp_path / "second.jsonl"
    assert write_run_recording(base, second.run.id, file) == second.spent.calls
    made = settings(seed=5, model=f"replay:{file}")
    with KnowledgeBase(f"sqlite:///{tmp_path / 'other.db'}") as other:
        for _ in range(2):
            replayed = evolve(made, other)
            assert digest(other, replayed.run.id) == digest(base, second.run.id)
        there = learnt(replayed.to_json())
    assert there["credits"] == learnt(second.to_json())["credits"]
    again = evolve(made, base)
    assert digest(base, again.run.id) == digest(base, second.run.id)


def test_a_replay_is_no_new_evidence(
    base: KnowledgeBase, settings: Settings, evolve: Any, tmp_path: Path
) -> None:
    """Replaying a run moves no insight's lifetime effectiveness."""
    with ScriptedEndpoint(answer) as endpoint:
        first = evolve(settings(generations=0, **at(endpoint)), base)
    before = [(one.id, one.effectiveness, one.uses) for one in base.insights.find()]
    file = tmp_path / "first.jsonl"
    write_run_recording(base, first.run.id, file)
    evolve(settings(generations=0, model=f"replay:{file}"), base)
    assert [(one.id, one.effectiveness, one.uses) for one in base.insights.find()] == before


def test_a_failed_program_is_mended_once_with_its_exact_outcome(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """One repair call each, which counts; the mended program joins the population; credit is -0.8."""
    with ScriptedEndpoint(sometimes_broken) as endpoint:
        report = evolve(settings(generations=0, **at(endpoint)), base)
        repairs = [p for p in prompts(endpoint) if is_repair(p)]
        assert report.spent.calls == len(endpoint.requests) == 6 + 6 + 1
    assert len(repairs) == 6
    for prompt in repairs:
        assert "Outcome: candidate_error" in prompt and "Error: NameError" in prompt
        assert "`missing = unknown_name`" in prompt
    assert report.failures == {"candidate_error": 6}
    rows = base.run_candidates(report.run.id)
    mended = [one for one in rows if one.operator == "repair"]
    failed = {one.id: one for one in rows if one.operator == "i1"}
    assert len(mended) == 6
    for one in mended:
        (parent,) = one.parents
        assert one.key == f"{failed[parent.parent_id].key}/repair"
    assert report.best is not None and report.best.operator == "repair"
    uses = base.insights.uses(report.run.id)
    assert {(use.tier, use.credit) for use in uses} == {("failure", -0.8)}
    assert {use.candidate_id for use in uses} == set(failed)
    roles = Counter(one.role for one in base.calls(report.run.id))
    assert roles == {"heuristic": 6, "repair": 6, "insight": 1}


def test_without_repair_a_failure_stays_one(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Repair can be switched off, and a broken repair is not mended again."""
    with ScriptedEndpoint(sometimes_broken) as endpoint:
        report = evolve(settings(generations=0, repair=False, **at(endpoint)), base)
    assert report.candidates == 1 + 6 and report.spent.calls == 6  # nothing to learn from

    def hopeless(messages: Messages, _index: int) -> str:
        prompt = messages[-1]["content"]
        return scripted_answer(prompt) if is_lesson(prompt) else broken(prompt)

    with ScriptedEndpoint(hopeless) as endpoint:
        report = evolve(settings(generations=0, seed=3, **at(endpoint)), base)
        assert sum(is_repair(p) for p in prompts(endpoint)) == 6
    assert report.candidates == 1 + 6 + 6
    assert report.best is not None and report.best.operator == "seed"


@pytest.mark.parametrize("calls", [4, 7, 9, 12, 13, 22, 28])
def test_a_budget_that_cuts_a_step_short_never_credits_twice(
    base: KnowledgeBase, settings: Settings, evolve: Any, resume: Any, calls: int
) -> None:
    """Stopped anywhere, also between a generation and its insights, and resumed: one credit each."""
    with ScriptedEndpoint(sometimes_broken) as endpoint:
        stopped = evolve(settings(budgets={"calls": calls}, **at(endpoint)), base)
        assert stopped.run.status == "stopped" and stopped.spent.calls == calls
        report = resume(stopped.run.id, base, budgets=Budgets(calls=1000))
    assert report.run.status == "finished"
    assert len(report.history) == 2
    uses = base.insights.uses(report.run.id)
    assert all(use.credit is not None for use in uses)
    counted = Counter(use.candidate_id for use in uses)
    asked = [
        one for one in base.run_candidates(report.run.id) if one.operator not in ("seed", "repair")
    ]
    assert counted == {one.id: 3 for one in asked} and len(asked) == 21
    averages: dict[int, float] = defaultdict(float)
    for use in uses:
        averages[use.insight_id] = 0.7 * averages[use.insight_id] + 0.3 * float(use.credit or 0)
    members = {one["id"]: one["effectiveness"] for one in report.insights["members"]}
    assert all(members[id_] == pytest.approx(value) for id_, value in averages.items())
    lifetime = {one.id: one.uses for one in base.insights.find(limit=99)}
    assert sum(lifetime.values()) == len(uses)


def test_an_unreadable_lesson_is_noted_and_the_run_goes_on(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """What cannot be read becomes an event with its reason, never an insight."""

    def silent(messages: Messages, _index: int) -> str:
        prompt = messages[-1]["content"]
        return "I have no idea." if is_lesson(prompt) else scripted_answer(prompt)

    with ScriptedEndpoint(silent) as endpoint:
        report = evolve(settings(**at(endpoint)), base)
    assert report.run.status == "finished"
    events = report.insights["events"]
    assert [one["verdict"] for one in events] == ["unreadable"] * 2
    assert "DO: or AVOID:" in events[0]["text"]
    assert base.insights.count() == 5


def test_a_retired_insight_is_not_learnt_again(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Neither shown to later runs nor admitted when it is stated once more."""
    lesson = "DO: Look at the second nearest node before you choose."

    def stubborn(messages: Messages, _index: int) -> str:
        prompt = messages[-1]["content"]
        return lesson if is_lesson(prompt) else scripted_answer(prompt)

    with ScriptedEndpoint(stubborn) as endpoint:
        evolve(settings(generations=0, **at(endpoint)), base)
        (one,) = base.insights.find(words="second nearest")
        base.insights.retire(one.id)
        asked = len(endpoint.requests)
        report = evolve(settings(seed=4, **at(endpoint)), base)
        assert not any("second nearest" in p for p in prompts(endpoint)[asked:])
    assert {one["verdict"] for one in report.insights["events"]} == {"retired"}
