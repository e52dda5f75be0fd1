"""Jobs on several devices: no device waits for another one's items, and results are the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eurisko.agents.batch import create_job, plan, work_on
from eurisko.agents.batch.executors import Answer, LocalExecutor
from eurisko.agents.batch.executors.local import AT_ONCE_ON_GPU
from eurisko.agents.batch.tasks import Task
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Layers, OutcomeKind, Sandbox, devices
from eurisko.sandbox.devices import Device

from .test_coordinator import Hands

STAND_IN = Device(
    "cpu-prepared",
    "stand-in",
    "cpu",
    "stand-in",
    ("/dev/null", "/dev/full"),
    ("/proc/cpuinfo",),
    bytes_free=8 * 2**30,
)
"""A device that is the processor, reached as a graphics processor would be."""


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def job(base: KnowledgeBase, seeds: int, *where: str) -> str:
    spec = {
        "programs": [{"seed": True}],
        "problems": [{"name": "job_shop", "datasets": ["ft06"], "interface": "batched"}],
        "seeds": list(range(seeds)),
        "devices": list(where),
    }
    return create_job(*plan(spec, base, Path.cwd()), base).id


class Busy(Hands):
    """The device ``slow`` answers nothing until every item of the others is done."""

    def __init__(self, others: int) -> None:
        super().__init__()
        self.held: list[Task] = []
        self.others = others
        self.most = 0

    def submit(self, task: Task) -> None:
        if task.device != "slow":
            self.others -= 1
            super().submit(task)
            return
        self.held.append(task)
        self.most = max(self.most, len(self.held))

    def completed(self, timeout_s: float) -> list[Answer]:
        if self.others == 0:
            for task in self.held:
                super().submit(task)
            self.held = []
        return super().completed(timeout_s)


@pytest.mark.parametrize("order", [("slow", "cpu"), ("cpu", "slow")])
def test_a_device_that_is_busy_keeps_nobody_waiting(
    base: KnowledgeBase, order: tuple[str, str]
) -> None:
    """Forty items of the processor are done while a few of the other device are under way."""
    name, hands = job(base, 40, *order), Busy(40)
    progress = work_on(name, base, executor=hands)
    assert (progress.done, progress.failed) == (80, 0)
    assert hands.most <= 2 * hands.slots_on("slow")


def test_slots_are_those_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor has as many as the sandbox has workers, a device as many as its places."""
    monkeypatch.setitem(devices._private, "two", (STAND_IN, STAND_IN))
    with Sandbox(workers=3) as sandbox:
        executor = LocalExecutor(sandbox)
        assert (executor.slots, executor.slots_on("cpu")) == (3, 3)
        assert executor.slots_on("two") == 2 * AT_ONCE_ON_GPU
        monkeypatch.setattr(devices, "_absent", lambda: "there is none")
        assert executor.slots_on("auto") == 3  # where there is no GPU the processor does it
        assert executor.slots_on("cuda:99") == 1  # not here: its tasks say so


def test_items_of_two_devices_side_by_side(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the whole path, with a device whose workers are prepared ahead: equal results."""
    monkeypatch.setitem(devices._private, STAND_IN.name, (STAND_IN,))
    name = job(base, 3, "cpu", STAND_IN.name)
    with Sandbox(workers=1, layers=Layers(jail=False)) as sandbox:
        progress = work_on(name, base, executor=LocalExecutor(sandbox))
    assert (progress.done, progress.failed) == (6, 0)
    found: dict[str, list[float | None]] = {}
    for item, result in base.jobs.rows(name):
        assert result is not None and result.outcome == OutcomeKind.OK
        found.setdefault(item.device, []).append(result.objective)
    assert found["cpu"] == found[STAND_IN.name] and len(found["cpu"]) == 3
