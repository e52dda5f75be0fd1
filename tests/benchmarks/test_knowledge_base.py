"""The benchmark of the knowledge base, small: rows as many as it says, and every question answered."""

import pytest
from sqlalchemy import func, select

from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.models import Base, Evaluation

package = pytest.importorskip("benchmarks.knowledge_base", reason="needs the repository root")
ask, load = package.ask, package.load.__globals__


def test_rows_are_as_many_as_said_and_questions_have_answers(
    each_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each database; a second load leaves what is there alone, and the rates are of rows stored."""
    monkeypatch.setitem(load, "INSIGHTS", 300)
    monkeypatch.setitem(load, "ITEMS", 200)
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
        assert list(counted.values()) == [10, 5000, 50_000, 300, 1000, 200]
        assert 4500 < programs < 5000
        rows = ask.timed(ask.questions(base, filled), 2)
        assert len({row[0] for row in rows}) == len(rows) and all(len(row) == 6 for row in rows)
        assert [len(row) for row in ask.insert_rates(base)] == [3, 3]
        with base.session() as session:
            stored = session.scalar(select(func.count()).select_from(Evaluation))
        assert stored == 50_000 + 12
