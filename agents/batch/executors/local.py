"""Work in this process: threads that hand programs to one sandbox."""

from ....evaluators import Evaluation
from ....sandbox import Sandbox
from ...parallel import Lane
from ..tasks import Task, do
from .base import Answer


class LocalExecutor:
    """Does tasks in a sandbox of this machine.

    Args:
        sandbox: an open one; closed by its owner. As many tasks run at once as it has workers.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._lane: Lane[Task, Evaluation] = Lane(lambda task: do(task, sandbox), sandbox.workers)

    @property
    def slots(self) -> int:
        """How many tasks run at once."""
        return self._lane.workers

    def submit(self, task: Task) -> None:
        """Hand in a task."""
        self._lane.submit(task)

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return what has ended, waiting for the first one at most so long."""
        return [Answer(*one) for one in self._lane.completed(timeout_s)]

    def close(self) -> None:
        """Let the threads end after what they are at; what waits is dropped."""
        self._lane.close()
