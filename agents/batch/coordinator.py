"""Works on a job: claims items, has them done, stores what came of them, until none is left.

Several coordinators may work on one job, on one machine or on many; each can be killed at any moment.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ...evaluators import InputError
from ...knowledge_base import (
    Finished,
    JobItem,
    KnowledgeBase,
    KnowledgeBaseBusy,
    KnowledgeBaseError,
)
from ...sandbox import OutcomeKind
from ..identity import evaluation_key
from .errors import BatchError, Interrupted
from .events import Listener, Progress
from .executors import Answer, Executor
from .liveness import BEAT_S, SILENT_S, Heart, Watchman, note_end, this_process
from .tasks import Task, material

TRIES = 3
"""How often an item is tried when the fault is not the program's."""
STORE_EVERY_S = 0.5
STORE_AT_MOST = 64
PATIENCE_S = 600.0
"""How long a locked knowledge base is waited for."""

Value = TypeVar("Value")


@dataclass
class Coordinator:
    """One process's part in a job.

    Args:
        base: the knowledge base.
        job: the job's id.
        executor: where items are done.
        listener: hears of progress.
        stop: set it to end after saving.
    """

    base: KnowledgeBase
    job: str
    executor: Executor
    listener: Listener
    stop: threading.Event
    silent_s: float = SILENT_S
    patience_s: float = PATIENCE_S
    _worker: int = 0
    _programs: Sequence[tuple[str, str]] = ()
    _under_way: dict[int, JobItem] = field(default_factory=dict)
    _finished: list[Finished] = field(default_factory=list)
    _stored_at: float = 0.0

    def run(self) -> Progress:
        """Work until every item is done or failed.

        Raises:
            Interrupted: ``stop`` was set.
            BatchError: too many items failed for reasons that no program is to blame for.
            KnowledgeBaseError: results cannot be stored.
        """
        jobs = self.base.jobs
        spec = jobs.get(self.job).spec
        self._limits = (spec["limits"]["cpu_s"], spec["limits"]["memory_mib"])
        self._devices: list[str] = spec["devices"]
        self._programs = [(one.label, one.code) for one in jobs.programs(self.job)]
        self._hashes = [one.hash for one in jobs.programs(self.job)]
        counts = jobs.counts(self.job)
        self._progress = Progress(self.job, sum(counts.values()))
        self._count(counts)
        self._worker = self._patiently(lambda: jobs.join(self.job, this_process()))
        heart = Heart(self.base, self._worker, BEAT_S)
        heart.start()
        self.listener("started", self._progress)
        try:
            self._work()
        finally:
            heart.stop()
            self._end()
        self.listener("ended", self._progress)
        return self._progress

    def _work(self) -> None:
        watchman = Watchman(self.silent_s)
        self._bury(watchman)
        looked = time.monotonic()
        while not self.stop.is_set():
            self._refill()
            if not self._under_way:
                self._store()
                # A claim that a server made just before it went away is ours, but we never heard.
                self._patiently(lambda: self.base.jobs.give_back(self._worker))
                if not self._others_at_work():
                    return
                self.stop.wait(0.5)
            for answer in self.executor.completed(0.1) if self._under_way else ():
                self._take(answer)
            if self._due():
                self._store()
            if time.monotonic() - looked > BEAT_S:
                self._bury(watchman)
                looked = time.monotonic()
        raise Interrupted("The job was asked to stop.")

    def _refill(self) -> None:
        """Claim as much as the slots will soon need; little, so that other coordinators get theirs.

        For each device on its own: no device idles while items of another one come first.
        """
        for device in self._devices:
            wanted = 2 * self.executor.slots_on(device)
            under_way = sum(one.device == device for one in self._under_way.values())
            if under_way <= wanted // 2:
                self._claim(wanted - under_way, device)

    def _claim(self, count: int, device: str) -> None:
        jobs = self.base.jobs
        items = self._patiently(lambda: jobs.claim(self.job, self._worker, count, device))
        known = self._patiently(lambda: jobs.known(items)) if items else set()
        for item in items:
            if item.identity in known:
                self._finished.append(Finished(item.id))
                self._progress.reused += 1
            elif item.attempts > TRIES:
                message = "given up: the process that worked on it ended each time"
                self._finished.append(Finished(item.id, message=message))
            else:
                self._under_way[item.id] = item
                self.executor.submit(self._task(item))

    def _task(self, item: JobItem) -> Task:
        cpu_s, memory_mib = self._limits
        return Task(
            item=item.id,
            problem=item.problem,
            interface=item.interface,
            dataset=item.path or item.dataset,
            from_file=item.path is not None,
            code=self._programs[item.program][1],
            seed=item.seed,
            device=item.device,
            cpu_s=cpu_s,
            memory_mib=memory_mib,
        )

    def _take(self, answer: Answer) -> None:
        item = self._under_way.pop(answer.task.item)
        self._progress.label = f"{self._programs[item.program][0]} on {item.dataset}"
        self._finished.append(self._judged(item, answer))
        self.listener("item", self._progress)

    def _judged(self, item: JobItem, answer: Answer) -> Finished:
        """Return what to store; faults that are ours are tried again, up to a limit."""
        outcome = answer.outcome
        again = item.attempts < TRIES
        if isinstance(outcome, InputError):
            return Finished(item.id, message=str(outcome))
        if isinstance(outcome, Exception):
            message = f"{type(outcome).__name__}: {' '.join(str(outcome).split())}"
            return Finished(item.id, message=message, again=again)
        if outcome.kind is OutcomeKind.SANDBOX_FAILURE:
            return Finished(item.id, message=f"sandbox failure: {outcome.message}", again=again)
        task = answer.task
        problem, data = material(task.problem, task.dataset, task.from_file)
        key = evaluation_key(
            problem,
            task.interface,
            self._hashes[item.program],
            data,
            task.limits(problem, data),
            seed=task.seed,
            device=task.device,
        )
        if key.identity != item.identity:
            return Finished(
                item.id,
                message=f"{item.dataset} or its problem has changed since the job was made: "
                "make a new job",
            )
        self._progress.evaluated += 1
        return Finished(item.id, key, outcome)

    def _due(self) -> bool:
        late = time.monotonic() - self._stored_at > STORE_EVERY_S
        return len(self._finished) >= STORE_AT_MOST or (late and bool(self._finished))

    def _store(self) -> None:
        if not self._finished:
            return
        ended, jobs = self._finished, self.base.jobs
        self._patiently(lambda: jobs.finish(self._worker, ended))
        self._finished = []
        self._stored_at = time.monotonic()
        self._count(self._patiently(lambda: jobs.counts(self.job)))
        self.listener("stored", self._progress)

    def _count(self, counts: dict[str, int]) -> None:
        self._progress.done, self._progress.failed = counts.get("done", 0), counts.get("failed", 0)

    def _others_at_work(self) -> bool:
        counts = self._patiently(lambda: self.base.jobs.counts(self.job))
        self._count(counts)
        return bool(counts.get("pending", 0) or counts.get("claimed", 0))

    def _bury(self, watchman: Watchman) -> None:
        """Put back what dead coordinators had claimed."""
        workers = self._patiently(lambda: self.base.jobs.workers(self.job))
        for worker in watchman.dead([one for one in workers if one.id != self._worker]):
            self._patiently(lambda number=worker: self.base.jobs.leave(number))  # type: ignore[misc]

    def _end(self) -> None:
        """Store what is known and give back the rest.

        A knowledge base that fails now has failed before, and that error is the one to tell; what
        stays claimed goes back when the next coordinator finds this process gone.
        """
        self.executor.close()
        try:
            if self._finished:
                self.base.jobs.finish(self._worker, self._finished)
            self.base.jobs.leave(self._worker)
        except KnowledgeBaseError as error:
            self._progress.label = str(error)
            note_end(self._worker)

    def _patiently(self, write: Callable[[], Value]) -> Value:
        """Write or read, waiting for a knowledge base that is locked or whose server is away."""
        until = time.monotonic() + self.patience_s
        while True:
            try:
                return write()
            except KnowledgeBaseBusy:
                if time.monotonic() > until or self.stop.is_set():
                    raise
                self.listener("waiting", self._progress)
                self.stop.wait(0.2)


__all__ = ["BatchError", "Coordinator"]
