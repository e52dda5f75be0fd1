"""Hand an executor's tasks in from many threads, each of which waits for its own answer."""

import contextlib
import queue
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace

from ....evaluators import Evaluation, InputError
from ..tasks import Task
from .base import Executor

TRIES = 3
"""How often a task is handed in when the place where it ran fails (a lost worker, a lost node)."""
POLL_S = 0.02


class Desk:
    """The one thread that talks to an executor, for all that have something to be done.

    Args:
        executor: an open one; closed by its owner, after the desk.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._orders: queue.SimpleQueue[tuple[Task, Future[Evaluation]] | None] = (
            queue.SimpleQueue()
        )
        self._open: dict[int, tuple[Future[Evaluation], int]] = {}
        self._number = 0
        self._over: Exception | None = None
        """Why no more orders are taken; set under the lock, under which orders come in, too."""
        self._lock = threading.Lock()
        # A daemon: a cluster that does not answer must not keep the process alive after Ctrl-C.
        threading.Thread(target=self._serve, daemon=True).start()

    def do(self, task: Task) -> Evaluation:
        """Return what came of a task; any thread may call, and waits. ``task.item`` is not looked at.

        Raises:
            Exception: that of the executor, once a task has failed there :data:`TRIES` times;
                an InputError at once.
        """
        answer: Future[Evaluation] = Future()
        with self._lock:
            if self._over is not None:
                raise self._over
            self._orders.put((task, answer))
        return answer.result()

    def close(self) -> None:
        """Take no more orders; what is open fails."""
        self._end(RuntimeError("The executor was closed."))
        self._orders.put(None)

    def _end(self, reason: Exception) -> None:
        with self._lock:
            self._over = self._over or reason

    def _serve(self) -> None:
        try:
            while self._take():
                for answer in self.executor.completed(POLL_S) if self._open else ():
                    self._hand_over(answer.task, answer.outcome)
        except Exception as error:  # noqa: BLE001 - handed to all who wait, never dropped
            self._end(error)
        reason = self._over or RuntimeError("The executor was closed.")
        for waiting, _ in self._open.values():
            waiting.set_exception(reason)
        with contextlib.suppress(queue.Empty):  # nothing more can come in
            while True:
                order = self._orders.get_nowait()
                if order is not None:
                    order[1].set_exception(reason)

    def _take(self) -> bool:
        """Submit the orders that wait; return whether there may be more."""
        for order in self._waiting():
            if order is None:
                return False
            task, answer = order
            self._number += 1
            self._open[self._number] = (answer, 1)
            self.executor.submit(replace(task, item=self._number))
        return True

    def _waiting(self) -> Iterator[tuple[Task, Future[Evaluation]] | None]:
        if not self._open:
            yield self._orders.get()
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._orders.get_nowait()

    def _hand_over(self, task: Task, outcome: Evaluation | Exception) -> None:
        waiting, tries = self._open.pop(task.item)
        if not isinstance(outcome, Exception):
            waiting.set_result(outcome)
        elif tries < TRIES and not isinstance(outcome, InputError):
            self._open[task.item] = (waiting, tries + 1)
            self.executor.submit(task)
        else:
            waiting.set_exception(outcome)
