"""Everything goes from one database to another and back: ids, times, numbers, blobs and lineage."""

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, select, text, update
from support.long_run import long_run
from support.rows import RUN, candidate, key, result

from eurisko.knowledge_base import KnowledgeBase, KnowledgeBaseError, SolverKey
from eurisko.knowledge_base.models import Base, Candidate, Evaluation, Run
from eurisko.knowledge_base.status import status
from eurisko.knowledge_base.transfer import copy

Make = Callable[[str], str]
WAYS = [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("sqlite", "sqlite")]


def fill(base: KnowledgeBase, folder: Path) -> str:
    """Store rows in every table, with what databases keep differently; return a run's id."""
    run = long_run(base, 60, folder, code=200)
    base.update_run(run, result={"best": 3, "history": [[math.inf, 0.1 + 0.2]], "é": "\0"})
    when = datetime(2026, 3, 29, 1, 30, 0, 7, tzinfo=UTC) - timedelta(days=9)
    other = base.create_run(**RUN | {"created_at": when, "config": {"b": 1, "a": [None, True]}})
    base.add_candidates([candidate(other.id, "g0/i1/0", thought="é𝔸\n", genome=None)])
    base.add_evaluation(key(), result(gaps=np.array([0.1, math.nan, -0.0]), objective=1e-308))
    base.add_decision(
        run, 1, {"regime": "r", "directive": "", "rule": "x", "reason": "", "numbers": {"n": 1.0}}
    )
    base.insights.note_events(
        [{"run_id": run, "key": "k", "generation": 0, "step": 0, "verdict": "seed", "text": "t"}]
    )
    study = base.create_run(**RUN)
    base.studies.create(study.id, "furnace")
    base.studies.suggest(
        study.id, [{"number": 1, "point": {"x": 0.5}, "phase": "initial"}], None, {}
    )
    base.studies.tell(study.id, 1, math.inf)
    solved = SolverKey.of(["visit"], ["CAPACITY"], "vrplib", "nearest", [[("cost", 1.0)]])
    solver = base.solvers.add(
        solved, "x = 1\n", type="CVRP", description={}, checks={}, origin="test", run_id=run
    )
    base.solvers.note_use(
        solver.id, text="f", name="a", feasible=True, values=[1.0, math.nan], seconds=0.1
    )
    item = {
        "program": 0,
        "problem": "p",
        "interface": "i",
        "dataset": "d",
        "instances": 1,
        "seed": 0,
    }
    items = [item | {"device": "cpu", "identity": f"x{n}", "path": None} for n in range(3)]
    job = base.jobs.create("job", {"a": 1}, [{"hash": "h", "label": "l", "code": "c"}], items, "0")
    base.jobs.claim(job.id, base.jobs.join(job.id, "1:1"), 2, "cpu")
    return run


def contents(base: KnowledgeBase) -> dict[str, list[Any]]:
    """Return all rows of all tables as Python sees them, read without any of the copy's code."""
    found = {}
    with base.engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            rows = connection.execute(select(table)).all()
            found[table.name] = sorted(repr(tuple(row)) for row in rows)
    return found


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_copy_has_everything(fresh_url: Make, tmp_path: Path, source: str, target: str) -> None:
    """No table is empty, all rows are equal, and the source is as it was."""
    with KnowledgeBase(fresh_url(source)) as old, KnowledgeBase(fresh_url(target)) as new:
        fill(old, tmp_path)
        before, heard = contents(old), []
        assert all(before.values()), [name for name, rows in before.items() if not rows]
        copied = copy(old.engine, new.engine, lambda *what: heard.append(what))
        assert contents(new) == before == contents(old)
        assert {one.table: one.rows for one in copied} == {n: len(r) for n, r in before.items()}
        assert ("candidate", 61, 61) in heard
        assert status(new.engine).rows == status(old.engine).rows


@pytest.mark.parametrize(("source", "target"), WAYS[:2])
def test_a_copy_goes_on_counting(fresh_url: Make, tmp_path: Path, source: str, target: str) -> None:
    """Rows added to the copy get ids after those that were copied, in every table."""
    with KnowledgeBase(fresh_url(source)) as old, KnowledgeBase(fresh_url(target)) as new:
        run = fill(old, tmp_path)
        copy(old.engine, new.engine)
        highest = max(one.id for one in old.run_candidates(run))
        (made,) = new.add_candidates([candidate(run, "new", parents=[highest])])
        assert made.id > highest
        new.add_evaluation(key(seed=9), result())
        new.add_call(run_id=run, key="k", role="r", model="m", prompt_hash="h", request={})
        assert new.jobs.join(new.jobs.get("last").id, "2:2") > 1


def test_a_target_with_rows_is_left_alone(fresh_url: Make, tmp_path: Path) -> None:
    """Ids would collide: refused with a sentence that says what to do instead."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        fill(old, tmp_path)
        new.create_run(**RUN)
        before = contents(new)
        with pytest.raises(KnowledgeBaseError, match=r"not empty .*run.*--archive"):
            copy(old.engine, new.engine)
        assert contents(new) == before


def test_a_name_that_does_not_fit_is_named(fresh_url: Make) -> None:
    """SQLite does not count characters: the row is named and nothing is copied."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        run = old.create_run(**RUN | {"problem": "p" * 300})
        with pytest.raises(KnowledgeBaseError, match=rf"run {run.id} has a problem of 300 .* 200"):
            copy(old.engine, new.engine)
        assert new.runs() == []


def test_texts_of_older_versions_are_mended(fresh_url: Make) -> None:
    """NUL and over-long descriptions, which older versions stored in SQLite, are not in the way."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        run = old.create_run(**RUN)
        with old.engine.begin() as connection:
            dirty = text("UPDATE run SET folder = 'a' || char(0) || 'b', proposer = :long")
            connection.execute(dirty, {"long": "x" * 300})
        copy(old.engine, new.engine)
        found = new.get_run(run.id)
        assert (found.folder, found.proposer) == ("a\ufffdb", "x" * 200)


@pytest.mark.parametrize("damage", ["lost", "changed"])
def test_a_copy_that_differs_is_undone(
    fresh_url: Make, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """A row lost or changed on the way is noticed, and the target stays empty."""
    from eurisko.knowledge_base import transfer

    original = transfer._set_sequence

    def interfere(connection: Any, table: Any) -> None:
        original(connection, table)
        if table.name == "evaluation":
            one = Evaluation.id == 7
            if damage == "lost":
                connection.execute(Evaluation.__table__.delete().where(one))
            else:
                connection.execute(update(Evaluation).where(one).values(objective=1.0))

    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        for number in range(9):
            old.add_evaluation(key(seed=number), result())
        monkeypatch.setattr(transfer, "_set_sequence", interfere)
        with pytest.raises(KnowledgeBaseError, match=r"evaluation .* differs"):
            copy(old.engine, new.engine)
        assert status(new.engine).rows["evaluation"] == 0


def test_the_source_is_read_at_one_moment(fresh_url: Make) -> None:
    """What others write meanwhile is not copied, so that no row misses its parent."""
    for backend in ("sqlite", "postgresql"):
        with KnowledgeBase(fresh_url(backend)) as old, KnowledgeBase(fresh_url("sqlite")) as new:
            old.create_run(**RUN)

            def write(table: str, done: int, _: int, base: KnowledgeBase = old) -> None:
                if table == "run" and done:
                    late = base.create_run(**RUN)
                    base.add_candidates([candidate(late.id, "late")])

            copy(old.engine, new.engine, write)
            assert len(new.runs()) == 1 and len(old.runs()) == 2


def test_many_rows_go_in_batches(fresh_url: Make) -> None:
    """More rows than one batch holds, in an order that is not that of their keys."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        run = old.create_run(**RUN)
        numbers = random.Random(1).sample(range(1, 10_000), 2500)
        rows = [{"id": n, **candidate(run.id, f"k{n}")} for n in numbers]
        with old.session() as session, session.begin():
            session.execute(insert(Candidate), rows)
        copied = {one.table: one.rows for one in copy(old.engine, new.engine)}
        assert copied["candidate"] == 2500
        assert [one.id for one in new.run_candidates(run.id)] == sorted(numbers)


def test_status_says_what_is_there(base: KnowledgeBase, tmp_path: Path) -> None:
    """Counts of every table, a size, the schema; nothing is needed but a connection."""
    fill(base, tmp_path)
    found = status(base.engine)
    assert found.backend == base.engine.dialect.name and found.schema == found.newest
    assert found.rows == {name: len(rows) for name, rows in contents(base).items()}
    assert found.size_bytes > 50_000 and found.server[0].isdigit()
    with base.session() as session, session.begin():
        session.execute(update(Run).values(folder="x" * 2_000_000))
    assert status(base.engine).size_bytes > found.size_bytes
