"""Work in this process: threads that hand programs to one sandbox."""

import contextlib
import queue
import threading

from ....evaluators import Evaluation
from ....sandbox import Sandbox
from ..tasks import Task, do
from .base import Answer


class LocalExecutor:
    """Does tasks in a sandbox of this machine.

    Args:
        sandbox: an open one; closed by its owner. As many tasks run at once as it has workers.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._todo: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        for _ in range(self.slots):
            # Daemons: a program that never ends must not keep the process alive after Ctrl-C.
            threading.Thread(target=self._work, daemon=True).start()

    @property
    def slots(self) -> int:
        """How many tasks run at once."""
        return self._sandbox.workers

    def submit(self, task: Task) -> None:
        """Hand in a task."""
        self._todo.put(task)

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return what has ended, waiting for the first one at most so long."""
        answers: list[Answer] = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._done.get(timeout=timeout_s))
            while True:
                answers.append(self._done.get_nowait())
        return answers

    def close(self) -> None:
        """Let the threads end after what they are at; what waits is dropped."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._todo.get_nowait()
        for _ in range(self.slots):
            self._todo.put(None)

    def _work(self) -> None:
        while (task := self._todo.get()) is not None:
            self._done.put(Answer(task, _attempt(task, self._sandbox)))


def _attempt(task: Task, sandbox: Sandbox) -> Evaluation | Exception:
    try:
        return do(task, sandbox)
    except Exception as error:  # noqa: BLE001 - handed to the coordinator as a value, never dropped
        return error
