"""Programs over all runs: against plain searches through all rows, and without reading them all."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import event
from support.long_run import long_run
from support.plans import LARGE, asked
from support.postgres import BACKENDS, knowledge_base_on
from support.rows import key, result

from eurisko.agents.evolution.pareto import front_of_run
from eurisko.agents.evolution.report import kept_of, summarise
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import Candidate, KnowledgeBase

COUNT = 400


@pytest.fixture(scope="module", params=BACKENDS)
def base(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KnowledgeBase]:
    """A long run, on each database in turn."""
    folder: Path = tmp_path_factory.mktemp("programs")
    with ExitStack() as stack:
        url = f"sqlite:///{folder / 'kb.db'}"
        if request.param == "postgresql":
            url = stack.enter_context(knowledge_base_on(request.getfixturevalue("postgres")))
        opened = stack.enter_context(KnowledgeBase(url))
        long_run(opened, COUNT, folder, code=200)
        yield opened


def test_best_are_the_best_of_all(base: KnowledgeBase) -> None:
    """The same programs in the same order as by sorting every evaluation."""
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    run = base.get_run("last")
    hashes = {one.hash for one in base.run_candidates(run.id)}
    results = base.evaluations(hashes, data.digest, "batched")
    values = sorted(
        (one.objective, name) for name, one in results.items() if one.objective is not None
    )
    found = base.programs.best("tsp_construct", data.digest, "batched", 25)
    assert [(one.objective, one.program_hash) for one in found] == values[:25]
    assert {one.run_id for one in found} == {run.id}
    assert base.programs.best("tsp_construct", "no such data", "batched") == []


def test_ancestors_are_those_of_a_plain_walk(base: KnowledgeBase) -> None:
    """All of them, each once, for candidates old and young."""
    rows = {one.id: one for one in base.run_candidates(base.get_run("last").id)}
    rng = random.Random(0)
    for start in [1, 2, COUNT, *rng.sample(sorted(rows), 10)]:
        line, wave = {start}, {start}
        while wave:
            wave = {p.parent_id for one in wave for p in rows[one].parents} - line
            line |= wave
        found = base.programs.ancestors(start)
        assert [one.id for one in found] == sorted(line, reverse=True)
        parents = {one.id: tuple(p.parent_id for p in rows[one.id].parents) for one in found}
        assert {one.id: one.parents for one in found} == parents
    assert len(base.programs.ancestors(COUNT, limit=3)) == 3


def test_a_run_that_has_ended_is_shown_as_before(base: KnowledgeBase) -> None:
    """With what it keeps the report is the same, and nobody else's evaluations are looked up."""
    problem, run = get_problem("tsp_construct"), base.get_run("last")
    best = summarise(base, run, problem).best
    assert best is not None
    run.status, run.result = "finished", {"best": best.id}
    computed = summarise(base, run, problem)
    run.result = {"best": best.id, **kept_of(computed)}
    looked: set[str] = set()

    def note(_c: object, _k: object, statement: str, values: object, *_: object) -> None:
        if "FROM evaluation" in statement:
            given = values.values() if isinstance(values, dict) else values
            looked.update(v for v in given if isinstance(v, str))  # type: ignore[attr-defined]

    event.listen(base.engine, "before_cursor_execute", note)
    try:
        shown = summarise(base, run, problem)
    finally:
        event.remove(base.engine, "before_cursor_execute", note)
    assert shown.to_json() == computed.to_json() and shown.failures
    seed = base.run_candidates(run.id, 0)[0].hash
    others = {name for _, name in base.programs.of_run(run.id)} - {seed}
    assert looked & others == {one.hash for one in shown.lineage} - {seed}


def test_a_run_without_its_texts_is_the_run(base: KnowledgeBase) -> None:
    """Every candidate in its order, and the line of first parents that a plain walk finds."""
    rows = base.run_candidates(base.get_run("last").id)
    plain = [(c.id, c.hash, c.operator, c.generation, c.proposal_error is not None) for c in rows]
    found = base.programs.proposed(rows[0].run_id)
    assert [(c.id, c.hash, c.operator, c.generation, c.failed) for c in found] == plain
    by_id = {one.id: one for one in rows}
    for start in (rows[0], rows[COUNT // 2], rows[-1]):
        line, one = [start.id], start
        while one.parents:
            one = by_id[one.parents[0].parent_id]
            line.append(one.id)
        assert base.programs.first_parents(start.id) == line[::-1]


def test_a_report_reads_the_texts_of_few_candidates(base: KnowledgeBase) -> None:
    """Of hundreds of candidates only those of the lineage and the front are read with their code."""
    read: set[int] = set()

    def note(candidate: Candidate, _context: object) -> None:
        read.add(candidate.id)

    event.listen(Candidate, "load", note)
    try:
        report = summarise(base, base.get_run("last"), get_problem("tsp_construct"))
    finally:
        event.remove(Candidate, "load", note)
    shown = {one.id for one in report.lineage} | {one["candidate"] for one in report.front}
    assert report.candidates == COUNT and read == shown and len(shown) < COUNT / 4


def test_verdicts_agree_with_whole_evaluations(base: KnowledgeBase) -> None:
    """Outcome and objective are those of the evaluations, failures included."""
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    hashes = [name for _, name in base.programs.of_run(base.get_run("last").id)]
    whole = base.evaluations(hashes, data.digest, "batched")
    found = base.programs.verdicts(hashes, data.digest, "batched")
    assert {name: (one.kind, one.objective) for name, one in whole.items()} == {
        name: (one.kind, one.objective) for name, one in found.items()
    }
    assert len({one.kind for one in found.values()}) == 2


def test_a_kept_front_is_that_of_the_moment(base: KnowledgeBase) -> None:
    """What a finished run keeps is its front; another machine's is not believed."""
    problem, run = get_problem("tsp_construct"), base.get_run("last")
    computed = front_of_run(base, run, problem)
    kept = kept_of(summarise(base, run, problem))
    run.status, run.result = "finished", kept
    assert front_of_run(base, run, problem) == computed != []
    run.result = {**kept, "machine": "another", "front": []}
    assert front_of_run(base, run, problem) == computed


QUESTIONS: dict[str, Callable[[KnowledgeBase], object]] = {
    "runs": lambda base: base.runs(20),
    "best": lambda base: base.programs.best("tsp_construct", "d", "batched"),
    "ancestors": lambda base: base.programs.ancestors(7),
    "programs of a run": lambda base: base.programs.of_run("r"),
    "candidates of a run": lambda base: base.programs.proposed("r"),
    "first parents": lambda base: base.programs.first_parents(7),
    "verdicts": lambda base: base.programs.verdicts(["a"], "d", "batched"),
    "evaluations": lambda base: base.evaluations(["a"], "d", "batched"),
    "timed": lambda base: base.timed(["a"], "d", "batched", "cpu"),
    "generation": lambda base: base.run_candidates("r", 3),
    "calls": lambda base: base.calls("r"),
    "spent": lambda base: base.spent("r"),
    "counts of a job": lambda base: base.jobs.counts("j"),
    "claim": lambda base: base.jobs.claim("j", 1, 8, "cpu"),
    "usual seconds": lambda base: base.jobs.usual_seconds("tsp_construct", "batched", "d"),
    "uses": lambda base: base.insights.uses("r"),
    "shown to": lambda base: base.insights.shown_to([1, 2]),
    "events": lambda base: base.insights.events("r"),
}


def only_sqlite(base: KnowledgeBase) -> None:
    """Skip on PostgreSQL, whose plans depend on how many rows there are."""
    if base.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL's plan depends on how many rows there are")


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_a_large_table_whole(base: KnowledgeBase, name: str) -> None:
    """SQLite's plan of every statement finds rows by an index; none scans millions of them."""
    only_sqlite(base)
    with base.engine.connect() as connection:
        for statement, values in asked(base, QUESTIONS[name]):
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
            scans = [row[3] for row in plan if row[3].startswith("SCAN")]
            assert not [one for one in scans if one.split()[1] in LARGE], statement


def test_insights_are_read_in_the_order_in_which_they_are_shown(base: KnowledgeBase) -> None:
    """SQLite walks the ranking's index and stops at the limit: it does not sort all insights."""
    only_sqlite(base)

    def ask(opened: KnowledgeBase) -> None:
        opened.insights.find(problem="tsp_construct", limit=20)
        opened.insights.to_inherit("tsp_construct", 30)

    with base.engine.connect() as connection:
        for statement, values in asked(base, ask):
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
            steps = [row[3] for row in plan]
            assert any("ix_insight_ranking" in step for step in steps), steps
            assert "USE TEMP B-TREE FOR ORDER BY" not in steps


def test_a_program_evaluated_often_is_ranked_once(base: KnowledgeBase) -> None:
    """Many evaluations of the best program do not crowd out the others."""
    found = base.programs.best("tsp_construct", _digest(), "batched", 5)
    for seed in range(1, 40):
        again = key(program_hash=found[0].program_hash, dataset_digest=_digest(), seed=seed)
        base.add_evaluation(again, result(objective=found[0].objective - seed))
    ranked = base.programs.best("tsp_construct", _digest(), "batched", 5)
    assert [one.program_hash for one in ranked] == [one.program_hash for one in found]
    assert ranked[0].objective == found[0].objective - 39


def _digest() -> str:
    return get_problem("tsp_construct").dataset("uniform-50-search").digest
