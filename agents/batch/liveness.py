"""Which coordinators live: by their heartbeats and, on their own machine, by their processes."""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from ...knowledge_base import JobWorker, KnowledgeBase, KnowledgeBaseError, this_machine

BEAT_S = 2.0
SILENT_S = 30.0
"""A coordinator whose heart has not beaten for so long, by our own steady clock, is dead."""


_ended: set[int] = set()
"""Coordinators of this process that ended without being able to say so in the knowledge base."""


def note_end(worker: int) -> None:
    """Remember that a coordinator of this process has ended."""
    _ended.add(worker)


def this_process() -> str:
    """Return what tells this process from all others of the machine, also from later ones."""
    return process_mark(os.getpid())


def process_mark(pid: int) -> str:
    """Return the id of a process and, where the system tells it, when it was started."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return f"{pid}:"
    return f"{pid}:{stat.rpartition(')')[2].split()[19]}"


def lives(mark: str) -> bool:
    """Return whether the process of this mark is still there (on this machine)."""
    pid = int(mark.partition(":")[0])
    if process_mark(pid) != f"{pid}:":
        return process_mark(pid) == mark
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return mark == f"{pid}:"


class Heart(threading.Thread):
    """Beats for a coordinator until it is stopped; a beat that fails is made up for by the next."""

    def __init__(self, base: KnowledgeBase, worker: int, every_s: float = BEAT_S) -> None:
        super().__init__(daemon=True)
        self._base, self._worker, self._every = base, worker, every_s
        self._stop = threading.Event()

    def run(self) -> None:
        """Beat."""
        while not self._stop.wait(self._every):
            try:
                self._base.jobs.beat(self._worker)
            except KnowledgeBaseError:
                continue  # the coordinator itself will say so if it lasts

    def stop(self) -> None:
        """End."""
        self._stop.set()


class Watchman:
    """Finds coordinators that died.

    No clock is compared with another one's: silence is measured by this process's steady clock.
    """

    def __init__(self, silent_s: float = SILENT_S) -> None:
        self._silent = silent_s
        self._heard: dict[int, tuple[int, float]] = {}

    def dead(self, workers: Sequence[JobWorker]) -> list[int]:
        """Return the numbers of those that do not live any more."""
        now = time.monotonic()
        found = []
        for worker in workers:
            beat, since = self._heard.get(worker.id, (-1, now))
            if worker.beat != beat:
                since = now
                self._heard[worker.id] = (worker.beat, since)
            ours = worker.machine == this_machine()
            gone = ours and (worker.id in _ended or not lives(worker.process))
            if gone or now - since > self._silent:
                found.append(worker.id)
        return found
