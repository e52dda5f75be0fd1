"""The knowledge base: once under its key, whole or not at all, and clear about what it cannot do."""

import multiprocessing
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text
from support.rows import RUN, candidate, key, result

from eurisko.knowledge_base import KnowledgeBase, KnowledgeBaseError, UnknownRun
from eurisko.knowledge_base.engine import HEAD, current_revision, known_revisions
from eurisko.knowledge_base.models import Base
from eurisko.sandbox import OutcomeKind


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def test_models_and_migrations_agree(base: KnowledgeBase) -> None:
    """Alembic finds nothing to change between the migrated schema and the models."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with base.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []


def test_head_is_the_newest_migration(base: KnowledgeBase) -> None:
    """The constant that spares the import of Alembic names the newest migration."""
    from alembic.script import ScriptDirectory

    from eurisko.knowledge_base import engine

    folder = Path(engine.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_current_head() == HEAD
    assert HEAD in known_revisions()
    assert current_revision(base.engine) == HEAD


def test_journal_is_write_ahead(tmp_path: Path) -> None:
    """SQLite runs in WAL mode with foreign keys on."""
    with (
        KnowledgeBase(url_of(tmp_path / "kb.db")) as base,
        base.engine.connect() as connection,
    ):
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_a_candidate_is_stored_once_under_its_key(base: KnowledgeBase) -> None:
    """Writing a step twice keeps the first program, its id and its parents."""
    run = base.create_run(**RUN)
    first, second = base.add_candidates(
        [candidate(run.id, "g0/i1/0"), candidate(run.id, "g0/i1/1", slot=1)]
    )
    (child,) = base.add_candidates([candidate(run.id, "g1/e1/0", parents=[second.id, first.id])])
    (again,) = base.add_candidates([candidate(run.id, "g1/e1/0", code="other", parents=[first.id])])
    assert again.id == child.id
    assert again.code == "def f(): pass"
    assert [one.parent_id for one in again.parents] == [second.id, first.id]
    assert base.count_candidates(run.id) == 3
    assert list(base.find_candidates(run.id, ["g0/i1/1", "g9/e1/0"])) == ["g0/i1/1"]


def test_an_evaluation_comes_back_as_it_was(base: KnowledgeBase) -> None:
    """Arrays come back bit for bit; another limit, seed or version is another evaluation."""
    gaps = np.array([0.1, 1 / 3])
    base.add_evaluation(key(), result(gaps=gaps))
    base.add_evaluation(key(), result(objective=99.0))
    (found,) = base.find_evaluations([key()]).values()
    assert found.objective == 2.5
    assert found.gaps is not None and found.gaps.tobytes() == gaps.tobytes()
    assert found.cpu_s == 0.5
    others = [key(limits="cpu=1s"), key(seed=1), key(problem_version="2"), key(device="cuda")]
    assert base.find_evaluations(others) == {}


def test_the_name_of_a_data_set_does_not_matter_but_its_content_does() -> None:
    """Two names of the same data share evaluations."""
    assert key(dataset="a").identity == key(dataset="b").identity
    assert key(dataset_digest="x").identity != key().identity


def test_failures_are_rows_but_our_own_failures_are_not(base: KnowledgeBase) -> None:
    """A program's failure is remembered with its reason; a failure of the sandbox is not."""
    failed = result(
        kind=OutcomeKind.CANDIDATE_ERROR,
        error_type="ZeroDivisionError",
        message="division by zero",
        line=3,
        objective=None,
        gaps=None,
        raw=None,
    )
    base.add_evaluation(key(), failed)
    base.add_evaluation(key(seed=1), result(kind=OutcomeKind.SANDBOX_FAILURE))
    (found,) = base.find_evaluations([key(), key(seed=1)]).values()
    assert (found.kind, found.error_type, found.line) == (
        OutcomeKind.CANDIDATE_ERROR,
        "ZeroDivisionError",
        3,
    )
    assert found.gaps is None


def test_times_of_another_machine_are_not_taken_over(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score is shared between machines, its seconds are not."""
    base.add_evaluation(key(), result())
    monkeypatch.setattr("eurisko.knowledge_base.store.this_machine", lambda: "elsewhere")
    (found,) = base.find_evaluations([key()]).values()
    assert found.objective == 2.5
    assert np.isnan(found.cpu_s) and np.isnan(found.wall_s)


def test_runs_are_found_by_beginning_and_last(base: KnowledgeBase) -> None:
    """A run is named by its id, a unique beginning or 'last'; anything else is one clear error."""
    first = base.create_run(**RUN)
    second = base.create_run(**RUN)
    assert base.get_run(first.id).config == {"population": 4}
    assert base.get_run("last").id == second.id
    assert base.get_run(first.id[: len("tsp_construct-") + 6]).id == first.id
    with pytest.raises(UnknownRun, match="several runs"):
        base.get_run("tsp_")
    with pytest.raises(UnknownRun, match="eurisko runs"):
        base.get_run("nothing")
    with pytest.raises(UnknownRun):
        base.get_run("%")


def test_spent_counts_answered_calls_and_unknown_prices(base: KnowledgeBase) -> None:
    """Every request counts, failed ones too; one unknown price makes the sum unknown."""
    run = base.create_run(**RUN)
    call = {"run_id": run.id, "role": "r", "model": "m", "prompt_hash": "h", "request": {}}
    assert base.spent(run.id) == (0, 0, 0.0)
    base.add_call(**call, key="a", text="x", prompt_tokens=3, completion_tokens=4, usd=0.5)
    base.add_call(**call, key="b", error="no answer")
    assert base.spent(run.id) == (2, 7, 0.5)
    assert base.find_call(run.id, "b", "h") is None
    base.add_call(**call, key="b", text="y", usd=None, attempts=3)
    assert base.spent(run.id) == (5, 7, None)
    found = base.find_call(run.id, "b", "h")
    assert found is not None and found.text == "y"


def _write_many(url: str, run_id: str, start: int) -> None:
    with KnowledgeBase(url) as base:
        for index in range(start, start + 40):
            base.add_candidates([candidate(run_id, f"g0/i1/{index}", slot=index)])


def test_several_processes_write_at_once(each_url: str) -> None:
    """Four processes on a fresh database, overlapping keys: each key is there exactly once."""
    url = each_url
    with KnowledgeBase(url) as base:
        run = base.create_run(**RUN)
        context = multiprocessing.get_context("spawn")
        workers = [
            context.Process(target=_write_many, args=(url, run.id, start))
            for start in (0, 20, 40, 60)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(300)
        assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
        slots = sorted(one.slot for one in base.run_candidates(run.id))
    assert slots == list(range(100))


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """A newer schema is neither read nor changed."""
    path = tmp_path / "kb.db"
    KnowledgeBase(url_of(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(KnowledgeBaseError, match=r"newer Eurisko.*9999.*upgrade Eurisko"):
        KnowledgeBase(url_of(path))


def test_a_locked_database_says_so(tmp_path: Path) -> None:
    """A lock held by another process ends in one sentence after the time-out, nothing lost."""
    path = tmp_path / "kb.db"
    with KnowledgeBase(url_of(path), busy_timeout_s=0.2) as base:
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(KnowledgeBaseError, match="locked by another process"):
            base.create_run(**RUN)
        blocker.execute("ROLLBACK")
        blocker.close()
        assert base.create_run(**RUN).status == "running"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to read-only files")
def test_a_read_only_file_says_so(tmp_path: Path) -> None:
    """A file without write permission is named as such."""
    path = tmp_path / "kb.db"
    KnowledgeBase(url_of(path)).close()
    path.chmod(stat.S_IRUSR)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with (
            KnowledgeBase(url_of(path)) as base,
            pytest.raises(KnowledgeBaseError, match="read-only"),
        ):
            base.create_run(**RUN)
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_database_opened_read_only_says_so(tmp_path: Path) -> None:
    """The driver's read-only error becomes one sentence, for root too."""
    path = tmp_path / "kb.db"
    KnowledgeBase(url_of(path)).close()
    base = KnowledgeBase(f"sqlite:///file:{path}?mode=ro&uri=true")
    with base, pytest.raises(KnowledgeBaseError, match="read-only"):
        base.create_run(**RUN)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "missing" / "kb.db", "cannot be opened"),
        (lambda folder: folder, "cannot be opened"),
    ],
)
def test_a_path_that_cannot_be_opened_says_so(tmp_path: Path, make: Any, message: str) -> None:
    """A missing folder, or a folder in place of a file, is one sentence."""
    with pytest.raises(KnowledgeBaseError, match=message):
        KnowledgeBase(url_of(make(tmp_path)))


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    """A text file is refused and left as it was."""
    path = tmp_path / "notes.txt"
    path.write_text("not a database, " * 100)
    with pytest.raises(KnowledgeBaseError, match="not a SQLite database"):
        KnowledgeBase(url_of(path))
    assert path.read_text().startswith("not a database")


@pytest.mark.parametrize("url", ["nonsense", "mysql+nodriver://x/y"])
def test_an_unusable_url_says_so(url: str) -> None:
    """A URL that SQLAlchemy cannot use is explained."""
    with pytest.raises(KnowledgeBaseError, match=r"database URL|no driver"):
        KnowledgeBase(url)
