"""One item of a job as plain data, and how a worker does it, on this machine or another."""

import threading
from dataclasses import dataclass
from functools import lru_cache

from ...evaluators import Dataset, Evaluation, Problem, evaluate, get_problem
from ...sandbox import Limits, Sandbox
from ..identity import allowed

_loading = threading.RLock()


@dataclass(frozen=True)
class Task:
    """A program on a data set; ``problem`` and ``dataset`` say how to find them again.

    ``dataset`` is a name, or the absolute path of an instance file when ``from_file``.
    """

    item: int
    problem: str
    interface: str
    dataset: str
    from_file: bool
    code: str
    seed: int
    device: str
    cpu_s: float | None
    memory_mib: int

    def limits(self, problem: Problem, data: Dataset) -> Limits:
        """Return what the program may use."""
        given = Limits(cpu_s=self.cpu_s or 1.0, memory_mib=self.memory_mib)
        return allowed(problem, data, given, per_instance=self.cpu_s is None)


def do(task: Task, sandbox: Sandbox) -> Evaluation:
    """Evaluate a task's program; its faults are results.

    Raises:
        InputError: the problem or its data are not there any more.
        SandboxError: nothing can be run here.
    """
    problem, data = material(task.problem, task.dataset, task.from_file)
    return evaluate(
        sandbox,
        problem,
        task.interface,
        task.code,
        data,
        task.limits(problem, data),
        seed=task.seed,
        device=task.device,
    )


def material(reference: str, dataset: str, from_file: bool) -> tuple[Problem, Dataset]:
    """Return a problem and its data set, loaded once per process while they are in use."""
    with _loading:
        return _material(reference, dataset, from_file)


@lru_cache(maxsize=16)
def _material(reference: str, dataset: str, from_file: bool) -> tuple[Problem, Dataset]:
    problem = get_problem(reference)
    return problem, problem.load(dataset) if from_file else problem.dataset(dataset)
