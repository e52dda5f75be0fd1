"""What a place to work offers."""

from dataclasses import dataclass
from typing import Protocol

from ....evaluators import Evaluation
from ..tasks import Task


@dataclass(frozen=True)
class Answer:
    """What came of a task: its evaluation, or the fault of the place where it ran."""

    task: Task
    outcome: Evaluation | Exception


class Executor(Protocol):
    """Does tasks side by side; used by one thread."""

    @property
    def slots(self) -> int:
        """How many tasks run at once on processors."""
        ...

    def slots_on(self, device: str) -> int:
        """How many tasks for a device run at once; no device waits for the tasks of another."""
        ...

    def submit(self, task: Task) -> None:
        """Hand in a task; it waits where all slots are taken."""
        ...

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return what has ended since the last call, waiting for the first one at most so long."""
        ...

    def close(self) -> None:
        """End; what is under way is given up."""
        ...
