"""Work in this process: threads that hand programs to one sandbox."""

import queue

from ....evaluators import Evaluation
from ....sandbox import Sandbox, SandboxError, devices_for
from ...parallel import Lane, drain
from ..tasks import Task, do
from .base import Answer

AT_ONCE_ON_GPU = 4
"""How many programs are handed to one GPU; its memory decides how many of them run."""


class LocalExecutor:
    """Does tasks in a sandbox of this machine, those of each device in a queue of their own.

    Args:
        sandbox: an open one; closed by its owner. As many tasks run at once on the processor as it
            has workers.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lanes: dict[str, Lane[Task, Evaluation]] = {}
        self._done: queue.SimpleQueue[tuple[Task, Evaluation | Exception]] = queue.SimpleQueue()

    @property
    def slots(self) -> int:
        """How many tasks run at once on the processor."""
        return self._sandbox.workers

    def slots_on(self, device: str) -> int:
        """How many tasks for a device run at once."""
        try:
            found = devices_for(device)
        except (SandboxError, ValueError):
            return 1  # not here: each task says so when it is tried
        # None at all means the processor, for "auto" too where there is no GPU.
        return AT_ONCE_ON_GPU * len(found) if found else self.slots

    def submit(self, task: Task) -> None:
        """Hand in a task."""
        if task.device not in self._lanes:
            self._lanes[task.device] = Lane(
                lambda one: do(one, self._sandbox), self.slots_on(task.device), self._done
            )
        self._lanes[task.device].submit(task)

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return what has ended, waiting for the first one at most so long."""
        return [Answer(*one) for one in drain(self._done, timeout_s)]

    def close(self) -> None:
        """Let the threads end after what they are at; what waits is dropped."""
        for lane in self._lanes.values():
            lane.close()
