"""Jobs on Ray, on a cluster of two nodes on this machine: the same results, whatever is lost."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.batch import BatchError, Progress, create_job, plan, work_on
from eurisko.agents.batch.executors import LocalExecutor
from eurisko.agents.batch.executors.ray import RayExecutor
from eurisko.agents.batch.tasks import Task
from eurisko.evaluators import InputError, get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import OutcomeKind, Sandbox

pytestmark = pytest.mark.slow

HEAD = "def score_jobs(time, start, work, steps, load, waiting):\n"
ENDLESS = HEAD + "    while True:\n        pass\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and one more node, each with one processor."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray", reason="Ray is not installed (extra 'ray')")
    from ray.cluster_utils import Cluster

    store = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
    head = {**store, "include_dashboard": False}
    try:
        started = Cluster(initialize_head=True, head_node_args=head)
    except Exception:  # noqa: BLE001 - Ray waits 30 seconds for a node, on a busy machine too few
        started = Cluster(initialize_head=True, head_node_args=head)
    started.add_node(**store)
    ray.init(address=started.address, log_to_driver=False, logging_level="ERROR")
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def executor(cluster: Any) -> Iterator[RayExecutor]:
    opened = RayExecutor(cluster.address)
    yield opened
    opened.close()


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def job(base: KnowledgeBase, seeds: int) -> str:
    given = {
        "name": "shops",
        "programs": [{"seed": True}],
        "problems": [
            {"name": "job_shop", "datasets": ["search"]},
            {"name": "flow_shop", "datasets": ["taillard-20x5"]},
        ],
        "seeds": list(range(seeds)),
    }
    return create_job(*plan(given, base, Path.cwd()), base).id


def found(base: KnowledgeBase, name: str) -> list[tuple[Any, ...]]:
    return [
        (item.number, item.status, e and (e.outcome, e.objective, e.gaps))
        for item, e in base.jobs.rows(name)
    ]


def task(code: str, number: int = 0, cpu_s: float = 60.0, **other: Any) -> Task:
    fields = {
        "problem": "job_shop",
        "interface": "batched",
        "dataset": get_problem("job_shop").spec.splits["search"][0],
        "from_file": False,
        "seed": 0,
        "device": "cpu",
        "memory_mib": 1024,
        **other,
    }
    return Task(item=number, code=code, cpu_s=cpu_s, **fields)


def answers(executor: Any, count: int) -> dict[int, Any]:
    got: dict[int, Any] = {}
    until = time.monotonic() + 120
    while len(got) < count:
        assert time.monotonic() < until, "no answer"
        got.update({one.task.item: one.outcome for one in executor.completed(0.5)})
    return got


def processes() -> dict[int, tuple[int, int]]:
    """Return parent and used processor ticks of every process of this machine."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(folder.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    return found


def workers() -> set[int]:
    """Return the processes that do tasks of a Ray cluster of this test."""
    found, everything = set(), processes()
    for pid in everything:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith((b"ray::work", b"ray::IDLE")) and below(
            pid, {os.getpid()}, everything
        ):
            found.add(pid)
    return found


def below(pid: int, ancestors: set[int], everything: dict[int, tuple[int, int]]) -> bool:
    while pid in everything:
        pid = everything[pid][0]
        if pid in ancestors:
            return True
    return False


def busy_programs() -> set[int]:
    """Return the processes below a worker that have used processor time for long."""
    mine, everything = workers(), processes()
    return {
        pid
        for pid, (_, ticks) in everything.items()
        if below(pid, mine, everything) and ticks > 150
    }


def whole_job_here(folder: Path, seeds: int) -> list[tuple[Any, ...]]:
    """Return what the job finds in a sandbox of this process."""
    with KnowledgeBase(f"sqlite:///{folder / 'here.db'}") as base, Sandbox(workers=1) as sandbox:
        name = job(base, seeds)
        work_on(name, base, executor=LocalExecutor(sandbox))
        return found(base, name)


def test_results_are_those_of_this_machine(
    base: KnowledgeBase, executor: RayExecutor, tmp_path: Path
) -> None:
    """Item by item the same on Ray and in a sandbox here, to the last bit."""
    assert executor.slots == 2
    name = job(base, 3)
    progress = work_on(name, base, executor=executor)
    assert (progress.failed, progress.evaluated) == (0, 12)
    assert found(base, name) == whole_job_here(tmp_path, 3)


def test_programs_are_at_fault_and_nobody_else(executor: RayExecutor) -> None:
    """Loops, memory, a crash and a forbidden import are results; the workers go on."""
    executor.submit(task(ENDLESS, 1, cpu_s=0.5))
    executor.submit(task("import os\n" + HEAD + "    os._exit(0)\n", 2))
    executor.submit(task(HEAD + "    return work\n", 3))
    executor.submit(task(HEAD + "    return bytearray(20 * 10**9)\n", 4))
    executor.submit(task(HEAD + "    raise SystemExit\n", 5))
    got = answers(executor, 5)
    kinds = [got[number].kind for number in (1, 2, 3, 4, 5)]
    assert kinds == [
        OutcomeKind.TIMEOUT,
        OutcomeKind.POLICY_VIOLATION,
        OutcomeKind.OK,
        OutcomeKind.MEMORY,
        OutcomeKind.CRASH,
    ]


def test_what_a_node_lacks_is_said(executor: RayExecutor) -> None:
    """A file that is not there is no fault of the program, and is not tried again."""
    executor.submit(task(HEAD + "    return work\n", dataset="/nowhere/a.txt", from_file=True))
    outcome = answers(executor, 1)[0]
    assert isinstance(outcome, InputError) and "under the same path" in str(outcome)


@pytest.mark.parametrize(("device", "said"), [("cuda", "has a GPU"), ("cuda:1", "Ray picks")])
def test_a_device_that_no_node_has_is_not_waited_for(
    executor: RayExecutor, device: str, said: str
) -> None:
    """Ray would wait for ever; other tasks still get their answers."""
    executor.submit(task(HEAD + "    return work\n", 1))
    executor.submit(task(HEAD + "    return work\n", 2, device=device))
    got = answers(executor, 2)
    assert isinstance(got[2], InputError) and said in str(got[2])
    assert got[1].kind is OutcomeKind.OK


def test_other_gpus_have_another_sandbox() -> None:
    """A worker that Ray moves to another GPU does not go on with what is warm on the first."""
    from eurisko.agents.batch.executors import ray_worker

    first = ray_worker._sandbox("0", 0.5)
    assert ray_worker._sandbox("0", 0.5) is first
    assert ray_worker._sandbox("1", 0.5) is not first
    ray_worker._sandbox.cache_clear()


def test_a_worker_of_another_version_is_refused(executor: RayExecutor) -> None:
    """What another Eurisko computes is not taken for ours."""
    executor._version = "0.0.0"
    executor.submit(task(HEAD + "    return work\n"))
    assert "install the same" in str(answers(executor, 1)[0])


def test_a_killed_worker_costs_one_try(executor: RayExecutor) -> None:
    """SIGKILL of a worker in mid-task is answered as an error, and its program goes down with it."""
    executor.submit(task(ENDLESS))
    until = time.monotonic() + 60
    while not (busy := busy_programs()):
        assert time.monotonic() < until, "the task never began"
        time.sleep(0.1)
    for pid in workers():
        os.kill(pid, signal.SIGKILL)
    outcome = answers(executor, 1)[0]
    assert isinstance(outcome, BatchError) and "worker was lost" in str(outcome)
    while any(Path(f"/proc/{pid}").exists() for pid in busy):
        assert time.monotonic() < until, "a program outlived its worker"
        time.sleep(0.1)
    executor.submit(task(HEAD + "    return work\n", 1))
    assert answers(executor, 1)[1].kind is OutcomeKind.OK


def test_a_job_survives_the_loss_of_a_worker_and_of_a_node(
    postgres_url: str, cluster: Any, executor: RayExecutor, tmp_path: Path
) -> None:
    """On PostgreSQL, with a worker killed and then a node gone: every item is done, once, and right."""
    with KnowledgeBase(postgres_url) as base:
        _survives(base, cluster, executor, tmp_path)


def _survives(base: KnowledgeBase, cluster: Any, executor: RayExecutor, tmp_path: Path) -> None:
    name = job(base, 6)
    lost: list[str] = []

    def disturb(kind: str, progress: Progress) -> None:
        if kind == "item" and progress.evaluated == 2 and not lost:
            lost.append("worker")
            for pid in workers():
                os.kill(pid, signal.SIGKILL)
        elif kind == "item" and progress.evaluated == 8 and lost == ["worker"]:
            lost.append("node")
            cluster.remove_node(max(cluster.worker_nodes, key=lambda node: node.node_id))

    progress = work_on(name, base, executor=executor, listener=disturb)
    assert lost == ["worker", "node"]
    assert (progress.done, progress.failed) == (24, 0)
    assert found(base, name) == whole_job_here(tmp_path, 6)


@pytest.mark.parametrize("address", ["127.0.0.1:9", "nowhere", "ray://127.0.0.1:9"])
def test_an_address_where_nobody_listens(address: str) -> None:
    """It takes one sentence, not minutes; Ray itself would end the process."""
    from eurisko.agents.batch.executors.ray import _reach

    with pytest.raises(BatchError, match="Ray cluster"):
        _reach(address)
