"""What a job costs beside its evaluations: the coordinator's processor time, and Ray against local.

The first table has an executor that answers at once with a real evaluation made before, so that the
coordinator's whole path is measured: claims, identities, stored results, counts. The second does the
same job for real in a sandbox of this machine and on a Ray cluster of two workers started here, twice
each in turn.

    python -m benchmarks batch_overhead
"""

import contextlib
import queue
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from eurisko.agents.batch import JobSpec, create_job, plan, work_on
from eurisko.agents.batch.executors import Answer, Executor, LocalExecutor
from eurisko.agents.batch.tasks import Task
from eurisko.evaluators import Evaluation, get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

from .report import family_cpu_s, machine_facts, markdown_table, write_result

WORKERS = 2
REAL_SEEDS = 75
ROUNDS = 2
COUNTS = (1_000, 4_000)


def job(seeds: int) -> JobSpec:
    """Return a job of four quick items for each seed."""
    fields = {
        "name": "overhead",
        "programs": [{"seed": True}],
        "problems": [
            {"name": "job_shop", "datasets": ["search"]},
            {"name": "flow_shop", "datasets": ["taillard-20x5"]},
        ],
        "seeds": list(range(seeds)),
    }
    return JobSpec.model_validate(fields)


class Ready:
    """An executor that answers at once, with the same evaluation for every task of a data set."""

    def __init__(self, known: dict[tuple[str, str, str], Evaluation], slots: int) -> None:
        self.slots, self._known = slots, known
        self._done: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def slots_on(self, device: str) -> int:
        """As many for every device."""
        return self.slots

    def submit(self, task: Task) -> None:
        """Answer."""
        found = self._known[task.problem, task.interface, task.dataset]
        self._done.put(Answer(task, replace(found)))

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return everything."""
        return [self._done.get() for _ in range(self._done.qsize())]

    def close(self) -> None:
        """Nothing to end."""


class Learning(LocalExecutor):
    """Keeps the first evaluation of every data set."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.known: dict[tuple[str, str, str], Evaluation] = {}
        super().__init__(sandbox)

    def completed(self, timeout_s: float) -> list[Answer]:
        """Look at what has ended."""
        answers = super().completed(timeout_s)
        for one in answers:
            assert isinstance(one.outcome, Evaluation)
            self.known[one.task.problem, one.task.interface, one.task.dataset] = one.outcome
        return answers


class Kept:
    """An executor that stays open after a job: what it used can still be counted."""

    def __init__(self, inner: Executor) -> None:
        self.submit, self.completed, self._inner = inner.submit, inner.completed, inner
        self.slots_on = inner.slots_on

    @property
    def slots(self) -> int:
        """As many as it has."""
        return self._inner.slots

    def close(self) -> None:
        """Stay open."""


def run(folder: Path, seeds: int, executor: Executor) -> tuple[int, float, float, float]:
    """Return items, seconds on the clock, CPU of this process, CPU of it and what it started."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "kb.db"
    with KnowledgeBase(f"sqlite:///{path}") as base:
        name = create_job(*plan(job(seeds), base, Path.cwd()), base).id
        wall, own, family = time.monotonic(), time.process_time(), family_cpu_s()
        progress = work_on(name, base, executor=executor)
        wall = time.monotonic() - wall
        own, family = time.process_time() - own, family_cpu_s() - family
        assert progress.evaluated == progress.total and progress.failed == 0
        return progress.total, wall, own, family


def main() -> None:
    """Measure and write ``results/batch_overhead.md``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Sandbox(workers=1) as sandbox:
            learning = Learning(sandbox)
            run(folder, 1, learning)
        coordinator = [
            _coordinator_row(*run(folder, count // 4, Ready(learning.known, 4))) for count in COUNTS
        ]
        real = [row for number in range(ROUNDS) for row in _both(folder, number)]
    head = ["items", "wall ms per item", "CPU ms per item"]
    second = ["where", "items", "seconds", "items/s", "wall ms per item", "CPU ms per item, all"]
    facts = "\n".join(f"- {fact}" for fact in machine_facts("ray", "sqlalchemy", "torch"))
    write_result(
        "batch_overhead",
        "# Overhead of batch jobs\n\n"
        "## The coordinator alone\n\n"
        "An executor that answers at once; SQLite. Target: at most 2 ms of processor time an item. "
        "Made by `python -m benchmarks batch_overhead`.\n\n"
        f"{markdown_table(head, coordinator)}\n\n"
        "## For real, two workers\n\n"
        "Quick items (job shop and flow shop, seed heuristics). Both are warm when the clock starts: "
        "a first item was done on every worker.\n\n"
        f"{markdown_table(second, real)}\n\n{facts}\n",
    )


def _coordinator_row(items: int, wall: float, own: float, _: float) -> list[str]:
    return [f"{items:,}", f"{1000 * wall / items:.2f}", f"{1000 * own / items:.2f}"]


def _both(folder: Path, number: int) -> list[list[str]]:
    from eurisko.agents.batch.executors.ray import RayExecutor

    rows = []
    with Sandbox(workers=WORKERS) as sandbox:
        for where, make in (
            ("local", lambda: LocalExecutor(sandbox)),
            ("Ray", lambda: RayExecutor(workers=WORKERS)),
        ):
            with contextlib.closing(make()) as executor:
                _warm(executor)
                measured = run(folder, REAL_SEEDS, Kept(executor))
            rows.append(_real_row(f"{where}, round {number + 1}", *measured))
    return rows


def _warm(executor: Executor) -> None:
    """Have every worker do something."""
    code = get_problem("job_shop").spec.interfaces["scalar"].seed
    for number in range(2 * WORKERS):
        executor.submit(
            Task(
                item=-number,
                problem="job_shop",
                interface="scalar",
                dataset=get_problem("job_shop").spec.splits["search"][0],
                from_file=False,
                code=code,
                seed=0,
                device="cpu",
                cpu_s=60.0,
                memory_mib=2048,
            )
        )
    answered = 0
    while answered < 2 * WORKERS:
        answered += len(executor.completed(1.0))


def _real_row(where: str, items: int, wall: float, _: float, family: float) -> list[str]:
    rate, each = f"{items / wall:.1f}", f"{1000 * wall / items:.0f}"
    return [where, f"{items}", f"{wall:.1f}", rate, each, f"{1000 * family / items:.0f}"]
