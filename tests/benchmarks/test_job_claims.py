"""Four coordinators at once, processes of their own: no item is claimed twice on any database."""

import threading

import pytest

from eurisko.knowledge_base import KnowledgeBase

job_claims = pytest.importorskip("benchmarks.job_claims", reason="needs the repository root")

ITEMS = 240


def test_no_item_is_claimed_twice(each_url: str) -> None:
    """Counted over all four; all items are done, each with its own result."""
    KnowledgeBase(each_url).close()
    found = job_claims.measure(each_url, 4, ITEMS, batch=3)
    assert sorted(found.claimed) == list(range(ITEMS))
    assert set(found.claimed.values()) == {1}
    assert len(found.waits_ms) >= ITEMS / 3
    assert job_claims.row("x", found)[-1] == "0"


def test_claims_do_not_wait_for_each_other(postgres_url: str) -> None:
    """While one claim's transaction is open another one gets the next items (SKIP LOCKED)."""
    from sqlalchemy import text

    with KnowledgeBase(postgres_url, busy_timeout_s=5) as base:
        job = job_claims.make_job(base, 6)
        with base.engine.begin() as connection:
            lock = "SELECT id FROM job_item WHERE number IN (0, 2) FOR UPDATE"
            connection.execute(text(lock))
            mine = base.jobs.claim(job, base.jobs.join(job, "1:1"), 3, "cpu")
        assert [item.number for item in mine] == [1, 3, 4]
        assert [item.number for item in base.jobs.claim(job, 2, 9, "cpu")] == [0, 2, 5]


def test_a_benchmark_that_claims_twice_fails() -> None:
    """The count is looked at."""
    twice = job_claims.Outcome(1, 2, 1.0, job_claims.Counter([0, 1, 1]), [1.0])
    with pytest.raises(RuntimeError, match="1 items were claimed twice"):
        job_claims.row("x", twice)


def run_all(tasks: "list[threading.Thread]") -> None:
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()


def test_results_are_stored_once_in_any_order(each_url: str) -> None:
    """Two coordinators that store the same evaluations in opposite orders do not block each other."""
    errors: list[BaseException] = []
    with KnowledgeBase(each_url) as base:
        job = job_claims.make_job(base, 60)
        workers = [base.jobs.join(job, f"{n}:1") for n in range(2)]
        items = list(base.jobs.claim(job, workers[0], 60, "cpu"))

        def store(worker: int, step: int) -> None:
            try:
                for start in range(0, 60, 20):
                    part = items[start : start + 20][::step]
                    base.jobs.finish(worker, [job_claims.finished(item) for item in part])
            except BaseException as error:  # noqa: BLE001 - shown by the assertion below
                errors.append(error)

        pairs = zip(workers, (1, -1), strict=True)
        run_all([threading.Thread(target=store, args=pair) for pair in pairs])
        assert errors == []
        job_claims.check(base, job, 60)
