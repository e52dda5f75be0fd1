"""Coordinators: nothing is lost and nothing counts twice, whatever dies, fails or is locked.

The evaluations are stand-ins that cost nothing; the whole path is in the test of the command.
"""

import os
import queue
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from support.postgres import knowledge_base_on, running_postgres

from eurisko.agents.batch import BatchError, Interrupted, Progress, create_job, plan, work_on
from eurisko.agents.batch.coordinator import Coordinator
from eurisko.agents.batch.executors import Answer
from eurisko.agents.batch.liveness import Watchman, lives, process_mark, this_process
from eurisko.agents.batch.tasks import Task
from eurisko.evaluators import Evaluation, InputError
from eurisko.knowledge_base import (
    JobItem,
    Jobs,
    JobWorker,
    KnowledgeBase,
    KnowledgeBaseBusy,
    KnowledgeBaseError,
    this_machine,
)
from eurisko.sandbox import OutcomeKind

SEEDS = 30
JOB = {
    "name": "shops",
    "programs": [{"seed": True}],
    "problems": [{"name": "job_shop", "datasets": ["search"]}],
    "seeds": list(range(SEEDS)),
}
ITEMS = 2 * SEEDS


def evaluation(task: Task, kind: OutcomeKind = OutcomeKind.OK) -> Evaluation:
    """Return a made-up result that depends on the task alone."""
    value = task.seed + len(task.interface) / 100
    return Evaluation(
        kind=kind,
        error_type=None,
        message="" if kind is OutcomeKind.OK else "made up",
        line=None,
        objective=value if kind is OutcomeKind.OK else None,
        gaps=np.full(32, value),
        raw=np.full(32, value),
        cpu_s=0.01,
        wall_s=0.01,
        peak_mib=1.0,
        isolation="none",
        dataset=task.dataset,
        dataset_digest="",
    )


class Hands:
    """An executor whose results come from a function, each at once."""

    slots = 4

    def __init__(self, work: Callable[[Task], Evaluation | Exception] = evaluation) -> None:
        self.work = work
        self.done: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self.seen: list[Task] = []

    def slots_on(self, device: str) -> int:
        """As many for every device."""
        return self.slots

    def submit(self, task: Task) -> None:
        """Do it."""
        self.seen.append(task)
        self.done.put(Answer(task, self.work(task)))

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return all that is there."""
        answers = []
        while not self.done.empty():
            answers.append(self.done.get())
        return answers

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture
def base(each_url: str) -> Iterator[KnowledgeBase]:
    """An empty knowledge base, on each database in turn."""
    with KnowledgeBase(each_url) as opened:
        yield opened


@pytest.fixture
def file_base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """One in the file kb.db, for what only SQLite does."""
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def job(base: KnowledgeBase) -> str:
    return create_job(*plan(JOB, base, Path.cwd()), base).id


def values(base: KnowledgeBase, name: str) -> dict[int, float | None]:
    return {item.number: e and e.objective for item, e in base.jobs.rows(name)}


def expected(base: KnowledgeBase, name: str) -> dict[int, float]:
    rows = base.jobs.rows(name)
    return {item.number: item.seed + len(item.interface) / 100 for item, _ in rows}


def test_every_item_is_done_once(base: KnowledgeBase) -> None:
    """All results are there, each from one evaluation."""
    name, hands = job(base), Hands()
    progress = work_on(name, base, executor=hands)
    assert (progress.done, progress.failed, progress.evaluated) == (ITEMS, 0, ITEMS)
    assert values(base, name) == expected(base, name)
    assert base.jobs.get(name).status == "finished"
    assert base.jobs.workers(name) == []


def test_a_second_job_evaluates_nothing_again(base: KnowledgeBase) -> None:
    """What is known is done when the job is made."""
    work_on(job(base), base, executor=Hands())
    again, hands = job(base), Hands()
    assert base.jobs.counts(again) == {"done": ITEMS}
    work_on(again, base, executor=hands)
    assert hands.seen == [] and values(base, again) == expected(base, again)


def test_coordinators_share_a_job(each_url: str, base: KnowledgeBase) -> None:
    """Four at once: every item is handed out once."""
    name, hands = job(base), [Hands() for _ in range(4)]
    errors: list[BaseException] = []

    def work(mine: Hands) -> None:
        try:
            with KnowledgeBase(each_url) as own:
                work_on(name, own, executor=mine)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in hands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    given = Counter(task.item for one in hands for task in one.seen)
    assert len(given) == ITEMS and set(given.values()) == {1}
    assert values(base, name) == expected(base, name)


def test_what_a_dead_coordinator_claimed_is_done(base: KnowledgeBase) -> None:
    """Its process is gone: the items go back at once, whatever its heart said."""
    name = job(base)
    dead = base.jobs.join(name, "999999999:1")
    assert len(base.jobs.claim(name, dead, 10, "cpu")) == 10
    base.jobs.beat(dead)
    work_on(name, base, executor=Hands())
    assert values(base, name) == expected(base, name)


def test_a_silent_coordinator_elsewhere_is_given_up(base: KnowledgeBase) -> None:
    """On another machine only the heart tells; one that beats is waited for, one that stops is not."""
    name = job(base)
    with base.session() as session, session.begin():
        other = JobWorker(job_id=name, machine="elsewhere", process="1:1")
        session.add(other)
        session.flush()
        number = other.id
    base.jobs.claim(name, number, 5, "cpu")
    hands = Hands()
    coordinator = Coordinator(
        base, name, hands, lambda kind, progress: None, threading.Event(), silent_s=0.3
    )
    beats = 4
    ended = threading.Event()

    def beat() -> None:
        for _ in range(beats):
            base.jobs.beat(number)
            time.sleep(0.1)
        ended.set()

    threading.Thread(target=beat).start()
    coordinator.run()
    assert ended.is_set()
    assert values(base, name) == expected(base, name)


def test_the_watchman_compares_no_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of the system's clock, forward or back, kills nobody."""
    worker = JobWorker(id=1, job_id="x", machine="elsewhere", process="1:1", beat=3)
    watchman = Watchman(silent_s=60)
    monkeypatch.setattr(time, "time", lambda: 1e12)
    assert watchman.dead([worker]) == []
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert watchman.dead([worker]) == []


def test_processes_are_told_apart_from_later_ones() -> None:
    """The same id with another start is another process."""
    assert lives(this_process())
    assert not lives(f"{os.getpid()}:1")
    assert not lives("999999999:")
    assert process_mark(os.getpid()) == this_process()
    ours = JobWorker(id=1, job_id="x", machine=this_machine(), process=f"{os.getpid()}:1", beat=0)
    assert Watchman().dead([ours]) == [1]


def test_faults_of_ours_are_tried_again(base: KnowledgeBase) -> None:
    """A failing place is tried three times, then the item fails with the reason; others go on."""
    name = job(base)
    tries: Counter[int] = Counter()

    def work(task: Task) -> Evaluation | Exception:
        tries[task.item] += 1
        if task.seed == 3:
            return OSError("no more processes")
        if task.seed == 4 and tries[task.item] == 1:
            return evaluation(task, OutcomeKind.SANDBOX_FAILURE)
        return evaluation(task)

    progress = work_on(name, base, executor=Hands(work))
    assert (progress.done, progress.failed) == (ITEMS - 2, 2)
    messages = {item.seed: item.message for item, _ in base.jobs.rows(name) if item.message}
    assert messages == {3: "OSError: no more processes"}
    assert {tries[item.id] for item, _ in base.jobs.rows(name) if item.seed == 3} == {3}
    again = work_on(name, base, executor=Hands(), retry_failed=True)
    assert (again.done, again.failed) == (ITEMS, 0)
    assert values(base, name) == expected(base, name)


def test_faults_of_programs_are_results(base: KnowledgeBase) -> None:
    """A program that fails is done: the outcome is stored and not tried again."""
    name = job(base)
    hands = Hands(lambda task: evaluation(task, OutcomeKind.CANDIDATE_ERROR))
    progress = work_on(name, base, executor=hands)
    assert (progress.done, progress.failed) == (ITEMS, 0) and len(hands.seen) == ITEMS
    assert {e.outcome for _, e in base.jobs.rows(name) if e is not None} == {"candidate_error"}


def test_data_that_are_gone_fail_at_once(base: KnowledgeBase) -> None:
    """Nothing is gained by trying again."""
    name, hands = job(base), Hands(lambda task: InputError("The file is gone."))
    assert work_on(name, base, executor=hands).failed == ITEMS
    assert len(hands.seen) == ITEMS


def test_stopped_and_gone_on_with(base: KnowledgeBase) -> None:
    """What was done is stored, what was claimed goes back, and the rest is done later."""
    name, stop = job(base), threading.Event()

    def work(task: Task) -> Evaluation:
        if task.seed == 5:
            stop.set()
        return evaluation(task)

    with pytest.raises(Interrupted):
        work_on(name, base, executor=Hands(work), stop=stop)
    counts = base.jobs.counts(name)
    assert 0 < counts["done"] < ITEMS and "claimed" not in counts
    rest = Hands()
    work_on(name, base, executor=rest)
    assert len(rest.seen) == ITEMS - counts["done"]
    assert values(base, name) == expected(base, name)


def test_a_cancelled_job_is_not_worked_on(base: KnowledgeBase) -> None:
    """The sentence says what to do."""
    name = job(base)
    base.jobs.set_status(name, "cancelled")
    with pytest.raises(BatchError, match="was cancelled"):
        work_on(name, base, executor=Hands())


def test_a_locked_database_is_waited_for(tmp_path: Path, file_base: KnowledgeBase) -> None:
    """Another process holds the lock for longer than one time-out: the job waits and goes on."""
    base = file_base
    name = job(base)
    base.close()
    heard: list[str] = []
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}", busy_timeout_s=0.05) as impatient:
        other = sqlite3.connect(tmp_path / "kb.db", check_same_thread=False)
        started = threading.Event()

        def hold() -> None:
            other.execute("BEGIN IMMEDIATE")
            started.set()
            time.sleep(0.6)
            other.rollback()

        def listen(kind: str, progress: Progress) -> None:
            heard.append(kind)

        thread = threading.Thread(target=hold)
        thread.start()
        started.wait()
        work_on(name, impatient, executor=Hands(), listener=listen)
        thread.join()
        other.close()
        assert "waiting" in heard
        assert values(impatient, name) == expected(impatient, name)


def test_a_server_that_restarts_is_waited_for() -> None:
    """PostgreSQL goes away in mid-job and comes back: the job goes on and nothing counts twice."""
    reached, go_on = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def work(task: Task) -> Evaluation:
        if task.seed == 5:
            reached.set()
            go_on.wait(60)
        return evaluation(task)

    with running_postgres() as server, knowledge_base_on(server) as url, KnowledgeBase(url) as base:
        name, heard = job(base), []

        def coordinate() -> None:
            try:
                listener = lambda kind, progress: heard.append(kind)  # noqa: E731
                work_on(name, base, executor=Hands(work), listener=listener)
            except BaseException as error:  # noqa: BLE001 - shown by the assertion below
                errors.append(error)

        thread = threading.Thread(target=coordinate)
        thread.start()
        assert reached.wait(60)
        server.stop()
        go_on.set()
        time.sleep(0.5)
        server.start()
        thread.join()
        assert errors == [] and "waiting" in heard
        assert values(base, name) == expected(base, name)
        assert base.jobs.counts(name) == {"done": ITEMS}


def test_a_claim_that_was_never_heard_of_goes_back(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server commits a claim and goes away before it says so: the items are done all the same."""
    name, lost = job(base), []
    claim = Jobs.claim

    def unheard(self: Jobs, job_id: str, worker: int, count: int, device: str) -> Sequence[JobItem]:
        items = claim(self, job_id, worker, count, device)
        if len(lost) < 3 and items:
            lost.extend(items)
            raise KnowledgeBaseBusy("The server is away.")
        return items

    monkeypatch.setattr(Jobs, "claim", unheard)
    progress = work_on(name, base, executor=Hands())
    assert lost and (progress.done, progress.failed) == (ITEMS, 0)
    assert values(base, name) == expected(base, name)


def test_a_full_disk_ends_with_a_sentence_and_loses_nothing(
    tmp_path: Path, file_base: KnowledgeBase
) -> None:
    """SQLite may not grow: the job stops and says so; with room again it ends as it should."""
    from sqlalchemy import event

    base = file_base
    name = job(base)
    limit = [0]

    def set_limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count={limit[0]}")

    with base.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    assert isinstance(pages, int)
    limit[0] = pages + 2
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as narrow:
        event.listen(narrow.engine, "connect", set_limit)
        narrow.engine.dispose()
        with pytest.raises(KnowledgeBaseError, match="disk is full"):
            work_on(name, narrow, executor=Hands())
    work_on(name, base, executor=Hands())
    assert values(base, name) == expected(base, name)
    assert base.jobs.counts(name) == {"done": ITEMS}
