"""The benchmark of the knowledge base, small: rows as many as it says, and every question answered."""

from typing import Any

import pytest
from sqlalchemy import func, select
from support.plans import LARGE, asked, read_whole

from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.models import Base, Evaluation

package = pytest.importorskip("benchmarks.knowledge_base", reason="needs the repository root")
ask, load = package.ask, package.load.__globals__


def no_plan_reads_a_large_table_whole(base: KnowledgeBase, questions: list[Any]) -> None:
    """PostgreSQL finds rows by an index where it would with millions: looking one up costs little."""
    for name, one in questions:
        found = asked(base, lambda _, one=one: one())
        with base.engine.connect() as connection:
            for setting in ("enable_seqscan = off", "random_page_cost = 0.01"):
                connection.exec_driver_sql(f"SET {setting}")
            for statement, values in found:
                explain = f"EXPLAIN (FORMAT JSON) {statement}"
                plan = connection.exec_driver_sql(explain, values).scalar_one()
                assert not {*read_whole(plan[0]["Plan"])} & {*LARGE}, (name, statement)


def test_rows_are_as_many_as_said_and_questions_have_answers(
    each_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each database; a second load leaves what is there alone, and the rates are of rows stored."""
    monkeypatch.setitem(load, "INSIGHTS", 300)
    monkeypatch.setitem(load, "ITEMS", 3000)
    monkeypatch.setattr(ask, "STORED", 6)
    with KnowledgeBase(each_url) as base:
        filled = package.load(base, 5000)
        again = package.load(base, 5000)
        assert (filled.runs, filled.evaluations, again.seconds) == (10, 50_000, None)
        counted = {}
        with base.session() as session:
            for table in ("run", "candidate", "evaluation", "insight", "model_call", "job_item"):
                query = select(func.count()).select_from(Base.metadata.tables[table])
                counted[table] = session.scalar(query)
            shared = select(func.count(Evaluation.program_hash.distinct()))
            programs = session.scalar(shared)
        assert list(counted.values()) == [10, 5000, 50_000, 300, 1000, 3000]
        assert 4500 < programs < 5000
        rows = ask.timed(ask.questions(base, filled), 2)
        assert len({row[0] for row in rows}) == len(rows) and all(len(row) == 6 for row in rows)
        if base.engine.dialect.name == "postgresql":
            no_plan_reads_a_large_table_whole(base, ask.questions(base, filled))
        assert [len(row) for row in ask.insert_rates(base)] == [3, 3]
        with base.session() as session:
            stored = session.scalar(select(func.count()).select_from(Evaluation))
        assert stored == 50_000 + 12
