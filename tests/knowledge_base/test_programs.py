"""Programs over all runs: against plain searches through all rows, and without reading them all."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import event
from support.long_run import long_run
from support.postgres import BACKENDS, knowledge_base_on

from eurisko.agents.evolution.pareto import front_of_run, stored_front
from eurisko.agents.evolution.report import summarise
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase

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
    kept = stored_front(summarise(base, run, problem).front)
    run.status, run.result = "finished", kept
    assert front_of_run(base, run, problem) == computed != []
    run.result = {**kept, "machine": "another", "front": []}
    assert front_of_run(base, run, problem) == computed


QUESTIONS = {
    "runs": lambda base: base.runs(20),
    "best": lambda base: base.programs.best("tsp_construct", "d", "batched"),
    "ancestors": lambda base: base.programs.ancestors(7),
    "programs of a run": lambda base: base.programs.of_run("r"),
    "verdicts": lambda base: base.programs.verdicts(["a"], "d", "batched"),
    "evaluations": lambda base: base.evaluations(["a"], "d", "batched"),
    "timed": lambda base: base.timed(["a"], "d", "batched", "cpu"),
    "generation": lambda base: base.run_candidates("r", 3),
    "calls": lambda base: base.calls("r"),
    "spent": lambda base: base.spent("r"),
    "counts of a job": lambda base: base.jobs.counts("j"),
    "claim": lambda base: base.jobs.claim("j", 1, 8),
    "usual seconds": lambda base: base.jobs.usual_seconds("tsp_construct", "batched", "d"),
    "uses": lambda base: base.insights.uses("r"),
    "shown to": lambda base: base.insights.shown_to([1, 2]),
    "events": lambda base: base.insights.events("r"),
}
LARGE = ("candidate", "candidate_parent", "evaluation", "model_call", "job_item", "insight_use")


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_a_large_table_whole(base: KnowledgeBase, name: str) -> None:
    """SQLite's plan of every statement finds rows by an index; none scans millions of them."""
    if base.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL's plan depends on how many rows there are")
    statements: list[tuple[str, object]] = []

    def note(_c: object, _k: object, statement: str, values: object, *_: object) -> None:
        statements.append((statement, values))

    event.listen(base.engine, "before_cursor_execute", note)
    try:
        QUESTIONS[name](base)
    finally:
        event.remove(base.engine, "before_cursor_execute", note)
    selects = [
        one for one in statements if one[0].lstrip().startswith(("SELECT", "WITH", "UPDATE"))
    ]
    assert selects
    with base.engine.connect() as connection:
        for statement, values in selects:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
            scans = [row[3] for row in plan if row[3].startswith("SCAN")]
            assert not [one for one in scans if one.split()[1] in LARGE], statement
