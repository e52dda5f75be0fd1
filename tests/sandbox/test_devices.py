"""Workers of other devices: prepared ahead, single use, shut tight; held with a stand-in."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eurisko.sandbox import (
    ArraySpec,
    Inputs,
    Layers,
    Limits,
    Outcome,
    OutcomeKind,
    Program,
    Rows,
    Sandbox,
    SandboxError,
    devices,
    jail,
)
from eurisko.sandbox.devices import Device
from eurisko.sandbox.places import CONTEXT_BYTES

from .attacks import KNOWN
from .conftest import DRIVER, EXPECTS, VALUES
from .own_attacks import OWN
from .test_attacks import Scene, attacked, breached, scene
from .test_running import descendants

__all__ = ["scene"]

DEFINE = "def heuristic(values):\n    "
NAME = "cpu-prepared"
NODES = ("/dev/null", "/dev/full")
STAND_IN = Device(NAME, "stand-in", "cpu", "stand-in", NODES, ("/proc/cpuinfo",), warm_s=60.0)
LEVELS = {
    "L2 landlock": Layers(jail=False),
    "L2 without landlock": Layers(jail=False, landlock=False),
    "L3": Layers(),
}


class Prepared:
    """A sandbox whose programs run in prepared workers."""

    def __init__(self, layers: Layers, **options: object) -> None:
        self.sandbox = Sandbox(
            workers=2,
            policy=None,
            layers=layers,
            device=NAME,
            **options,  # type: ignore[arg-type]
        )

    def __call__(self, code: str, limits: Limits | None = None, seed: int = 0) -> Outcome:
        limits = limits or Limits(cpu_s=5.0, wall_s=30.0)
        program = Program(code, "heuristic", DRIVER)
        expects = {"answer": ArraySpec("<f8", (6,))}
        return self.sandbox.run(program, {"values": VALUES}, expects, limits, seed=seed)

    def workers(self) -> set[int]:
        """Process ids below the fork server, seen from outside."""
        zygote = self.sandbox._chosen()._current
        assert zygote is not None
        return descendants(zygote.pid)

    def waiting(self, besides: set[int]) -> set[int]:
        """The one worker that waits (it sleeps in a read), once there is exactly one."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = {pid for pid in self.workers() - besides if _threads(pid) == 2}
            if len(found) == 1:
                return found
            time.sleep(0.02)
        raise AssertionError("no worker waits")


def _threads(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return 0


@pytest.fixture(scope="module", autouse=True)
def stand_in() -> Iterator[None]:
    """The private hook: the stand-in can be asked for by name while these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(devices._private, NAME, (STAND_IN,))
        yield


@pytest.fixture(scope="module")
def prepared(stand_in: None) -> Iterator[Prepared]:
    one = Prepared(LEVELS["L2 landlock"])
    with one.sandbox:
        yield one


@pytest.mark.parametrize("level", LEVELS)
def test_the_self_test_holds_at_every_level(level: str) -> None:
    """Prepared workers contain every canary, and the report says that they are not the CPU's."""
    if level == "L3" and jail.binary() is None:
        pytest.skip("bubblewrap is not installed")
    one = Prepared(LEVELS[level])
    with one.sandbox:
        report = one.sandbox.report()
        assert all(canary.contained for canary in report.canaries), report.explain()
        assert len(report.canaries) >= 12
        assert report.isolation.startswith(level[:2] + " ")
        assert "+stand-in (" in report.isolation
        outcome = one(DEFINE + "return values * 2")
        np.testing.assert_array_equal(outcome.arrays["answer"], VALUES * 2)
        assert outcome.isolation == report.isolation


def test_a_worker_waits_ahead_serves_once_and_is_replaced(prepared: Prepared) -> None:
    """Each job goes to the process that waited for it; the next one warms while it runs."""
    code = DEFINE + "import os, time; time.sleep({}); return values * 0 + os.getpid()"
    assert prepared(code.format(0)).ok
    served = set()
    for _ in range(3):
        waiting = prepared.waiting(served)
        outcome = prepared(code.format(0))
        (pid,) = waiting
        assert outcome.arrays["answer"][0] == pid
        assert pid not in prepared.workers()
        served |= waiting
    waiting = prepared.waiting(served)
    box: list[Outcome] = []
    runner = threading.Thread(target=lambda: box.append(prepared(code.format(8))))
    runner.start()
    (replacement,) = prepared.waiting(served | waiting)
    assert runner.is_alive() and waiting <= prepared.workers()
    runner.join()
    assert box[0].arrays["answer"][0] == next(iter(waiting))
    assert prepared(code.format(0)).arrays["answer"][0] == replacement


def test_nothing_passes_from_one_program_to_the_next(prepared: Prepared) -> None:
    """What a program changes in numpy or the interpreter is not there for the next one."""
    mark = "import numpy as np, sys\n    np.mark = sys.mark = 1\n    return values"
    look = (
        "import numpy as np, sys\n    return values * 0 + (hasattr(np, 'mark') or "
        "hasattr(sys, 'mark'))"
    )
    assert prepared(DEFINE + mark).ok
    assert prepared(DEFINE + look).arrays["answer"].tolist() == [0.0] * 6


def test_generators_are_seeded_for_each_request(prepared: Prepared) -> None:
    """The seed of the request decides the draws, not what the warm-up has drawn."""
    code = (
        "import random, torch, numpy as np\n" + DEFINE + "x = [random.random(), "
        "np.random.rand(), torch.rand(1).item()]\n    return x + x"
    )
    first, same, other = (prepared(code, seed=seed).arrays["answer"] for seed in (7, 7, 8))
    assert first.tolist() == same.tolist() != other.tolist()
    with Sandbox(workers=1, policy=None, layers=Layers(jail=False)) as plain:
        usual = plain.run(
            Program(code, "heuristic", DRIVER), {"values": VALUES}, EXPECTS, seed=7
        ).arrays["answer"]
    assert first.tolist() == usual.tolist()


OPENS = {
    "a node, to write": "os.open('/dev/null', os.O_RDWR)",
    "a node, to read": "os.open('/dev/null', os.O_RDONLY)",
    "its own name": "os.open('/proc/self/task/%d/comm' % os.getpid(), os.O_RDWR)",
    "a library": "os.open(np.__file__, os.O_RDONLY)",
    "memory": "os.memfd_create('x')",
    "a thread": "_thread.start_new_thread(print, ())",
    "a pipe": "os.pipe()",
}


def what_works(one: Prepared) -> dict[str, bool]:
    lines = [
        "import os, _thread, numpy as np",
        "def works(step):",
        "    try:",
        "        step()",
        "        return 1",
        "    except (OSError, RuntimeError):",
        "        return 0",
        "def heuristic(values):",
        f"    return {{'answer': np.array([{', '.join(f'works(lambda: {o})' for o in OPENS.values())}"
        "], dtype='<f8')}",
    ]
    expects = {"answer": ArraySpec("<f8", (len(OPENS),))}
    program = Program("\n".join(lines), "heuristic", DRIVER)
    outcome = one.sandbox.run(program, {"values": VALUES}, expects)
    assert outcome.ok, outcome
    return dict(zip(OPENS, map(bool, outcome.arrays["answer"]), strict=True))


def test_after_the_warm_up_nothing_can_be_opened(prepared: Prepared) -> None:
    """What the warm-up itself did (nodes, memory files, threads, names) no program can do."""
    assert what_works(prepared) == dict.fromkeys(OPENS, False)


def test_without_the_second_filter_all_of_it_works() -> None:
    """Ablation: the tightening alone takes these away, and the level says that it is missing."""
    one = Prepared(Layers(jail=False, tighten=False), allow_unsafe=True)
    with one.sandbox:
        assert what_works(one) == dict.fromkeys(OPENS, True)
        report = one.sandbox.report()
        assert report.isolation.startswith("L1")
        got_through = {canary.name for canary in report.canaries if not canary.contained}
        assert got_through == {"start a thread", "memory file"}


def test_without_landlock_and_second_filter_files_can_be_read() -> None:
    """Ablation: with neither of the two a foreign file is read, so each of them holds alone."""
    one = Prepared(Layers(jail=False, landlock=False, tighten=False), allow_unsafe=True)
    with one.sandbox:
        outcome = one(DEFINE + "import os; os.open('/etc/hostname', os.O_RDONLY); return values")
        assert outcome.ok, outcome


def test_threads_of_the_warm_up_are_bound_as_well() -> None:
    """The second filter counts in every thread: two filters in each, none without."""
    one = Prepared(LEVELS["L2 landlock"])
    with one.sandbox:
        assert one(DEFINE + "return values").ok
        (pid,) = one.waiting(set())
        seen = {
            line.split()[1]
            for status in Path(f"/proc/{pid}/task").glob("*/status")
            for line in status.read_text().splitlines()
            if line.startswith("Seccomp_filters")
        }
        assert seen == {"2"}


def test_a_program_is_killed_in_time(prepared: Prepared) -> None:
    """Wall and processor limits hold, and the seconds of the warm-up are not charged."""
    slept = prepared(DEFINE + "import time; time.sleep(60)", Limits(cpu_s=5, wall_s=0.3))
    assert slept.kind is OutcomeKind.TIMEOUT
    assert slept.wall_s < 10
    looped = prepared(DEFINE + "while True: pass", Limits(cpu_s=0.3, wall_s=30))
    assert looped.kind is OutcomeKind.TIMEOUT, looped
    assert 0.2 < looped.cpu_s < 3
    assert prepared(DEFINE + "return values").cpu_s < 1


def test_memory_is_bounded_without_a_limit_on_addresses(prepared: Prepared) -> None:
    """Much address space may be reserved, as drivers do; holding too much is the end."""
    reserve = (
        "import mmap\n    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "    m = mmap.mmap(-1, 1 << 40, flags=flags | 0x4000, prot=0); return values"
    )
    assert prepared(DEFINE + reserve, Limits(memory_mib=64)).ok
    held = "x = bytearray(600 << 20); import time; time.sleep(20); return values"
    outcome = prepared(DEFINE + held, Limits(cpu_s=10, wall_s=40, memory_mib=64))
    assert outcome.kind is OutcomeKind.MEMORY, outcome
    within = "x = bytearray(100 << 20); return values"
    assert prepared(DEFINE + within, Limits(memory_mib=400)).ok


BROKEN = {
    "stand-in-fails": "RuntimeError: the stand-in has no device",
    "stand-in-hangs": "a worker was not warm after 0.5 s",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_device_that_does_not_work_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """At the first start one sentence says why no worker gets warm; nothing is left behind."""
    broken = Device(NAME, kind, "cpu", "stand-in", warm_s=0.5)
    monkeypatch.setitem(devices._private, NAME, (broken,))
    before = descendants(os.getpid())
    one = Prepared(LEVELS["L2 landlock"])
    with one.sandbox, pytest.raises(SandboxError) as caught:
        one(DEFINE + "return values")
    assert str(caught.value).startswith(f"no worker of {NAME} got ready: {BROKEN[kind]}; see that")
    assert descendants(os.getpid()) == before


@pytest.mark.parametrize("kind", BROKEN)
def test_a_worker_that_does_not_get_warm_is_our_failure(kind: str) -> None:
    """On a proved device it is a failure of the sandbox, never the program's, after two tries."""
    one = Prepared(LEVELS["L2 landlock"])
    with one.sandbox:
        assert one(DEFINE + "return values").ok
        servers = one.sandbox._chosen()
        assert servers._plan is not None and servers._current is not None
        broken = Device(NAME, kind, "cpu", "stand-in", warm_s=0.5)
        servers._plan = replace(servers._plan, device=broken)
        servers.discard(servers._current)
        started = servers.started
        outcome = one(DEFINE + "return values")
        assert outcome.kind is OutcomeKind.SANDBOX_FAILURE
        assert outcome.message == f"no worker of {NAME} got ready: {BROKEN[kind]}"
        assert servers.started == started + 2


def test_a_used_device_is_never_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork server in which CUDA was initialised does not start."""
    from eurisko.sandbox import launcher

    boot = launcher._BOOTSTRAP.replace(
        "package.server.main(",
        "import torch; torch.cuda.is_initialized = lambda: True\npackage.server.main(",
    )
    monkeypatch.setattr(launcher, "_BOOTSTRAP", boot)
    one = Prepared(LEVELS["L2 landlock"])
    with one.sandbox, pytest.raises(SandboxError, match="CUDA is initialised in the fork server"):
        one.sandbox.start()
    with Sandbox(workers=1, policy=None, layers=LEVELS["L2 landlock"]) as plain:
        plain.start()  # the processor's server does not care


def test_two_devices_run_two_programs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a server and workers of its own; a third program waits for the first free one."""
    pair = tuple(replace(STAND_IN, name=f"{NAME}:{number}") for number in range(2))
    monkeypatch.setitem(devices._private, NAME, pair)
    one = Prepared(LEVELS["L2 landlock"])
    parent = DEFINE + "import os, time; time.sleep(3); return values * 0 + os.getppid()"
    with one.sandbox:
        for device in pair:
            one.sandbox._devices.of(device).report()
        servers = [one.sandbox._devices.of(device)._current for device in pair]
        box: list[Outcome] = []
        threads = [threading.Thread(target=lambda: box.append(one(parent))) for _ in range(3)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 30
        places = one.sandbox._places
        while places.running + places.waiting < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (places.running, places.waiting) == (2, 1)
        for thread in threads:
            thread.join()
    answers = [outcome.arrays["answer"][0] for outcome in box]
    assert set(answers) == {server.pid for server in servers if server is not None}


@pytest.mark.slow
def test_prepared_workers_contain_every_attack(prepared: Prepared, scene: Scene) -> None:
    """The whole corpus of hostile programs, each followed by an honest one with its exact answer.

    One of them finds something: the nodes that the warm-up holds open, which the next test bounds.
    """
    got_through = {}
    for attack in (*KNOWN, *OWN):
        outcome = attacked(prepared.sandbox, attack, scene)
        breach = breached(outcome, attack, scene)
        if breach is not None:
            got_through[attack.name] = breach
        after = prepared(DEFINE + "return values * 2")
        np.testing.assert_array_equal(after.arrays["answer"], VALUES * 2)
    assert got_through == {"44 inherited descriptors": "it says that it won"}


def test_only_the_nodes_of_the_device_are_inherited(prepared: Prepared) -> None:
    """Beside its own six a program has the descriptors of the device's nodes and no others."""
    kinds = [os.stat(node).st_rdev for node in NODES]  # noqa: PTH116
    code = (
        f"import os, numpy as np\nKINDS = {kinds}\n"
        "ours = {(s.st_dev, s.st_ino) for s in map(os.fstat, range(1, 6))}\n"
        "def heuristic(values):\n    found = []\n    for fd in range(6, 4096):\n"
        "        try: s = os.fstat(fd)\n        except OSError: continue\n"
        "        if (s.st_dev, s.st_ino) not in ours: found.append(s.st_rdev)\n"
        "    others = sum(kind not in KINDS for kind in found)\n"
        "    return [len(found), others, 0, 0, 0, 0]"
    )
    outcome = prepared(code)
    assert outcome.ok, outcome
    assert outcome.arrays["answer"][:2].tolist() == [len(NODES), 0]


def test_the_jail_gets_the_nodes_as_devices(tmp_path: Path) -> None:
    """A plain bind of a device cannot be opened, so nodes are bound as devices, and no others."""
    line = jail.command(Path("/usr/bin/bwrap"), root=True, device=STAND_IN)
    bound = [line[at + 1] for at, word in enumerate(line) if word == "--dev-bind"]
    assert bound == list(NODES)
    assert "--dev-bind" not in jail.command(Path("/usr/bin/bwrap"), root=True)


def test_inputs_serve_many_prepared_workers(prepared: Prepared) -> None:
    """Arrays sealed once are mapped by every worker, though it can open nothing."""
    program = Program(DEFINE + "return values + 1", "heuristic", DRIVER)
    with Inputs({"values": VALUES}) as inputs:
        for _ in range(3):
            outcome = prepared.sandbox.run(program, inputs, EXPECTS)
            np.testing.assert_array_equal(outcome.arrays["answer"], VALUES + 1)


def test_programs_share_a_device_by_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says what it needs runs beside others while memory lasts; who does not runs alone."""
    roomy = replace(STAND_IN, bytes_free=6 * 2**30)
    monkeypatch.setitem(devices._private, NAME, (roomy,))
    one = Prepared(LEVELS["L2 landlock"])
    code = DEFINE + "import time; time.sleep({}); return values * 2"
    program = Program(code.format(2), "heuristic", DRIVER)
    expects = {"answer": ArraySpec("<f8", (6,))}
    limits = Limits(cpu_s=5.0, wall_s=60.0)
    rows = Rows(6, 2**20)
    box: list[Outcome] = []

    def run() -> None:
        box.append(one.sandbox.run(program, {"values": VALUES}, expects, limits, rows=rows))

    with one.sandbox:
        places = one.sandbox._places
        threads = [threading.Thread(target=run) for _ in range(6)]
        for thread in threads:
            thread.start()
        most = 0
        while any(thread.is_alive() for thread in threads):
            most = max(most, places.running)
            time.sleep(0.01)
        # of 95 % of 6 GiB, less the waiting worker: as many contexts and needs as that holds
        room = 0.95 * 6 * 2**30 - CONTEXT_BYTES
        assert most == room // (rows.need + CONTEXT_BYTES) == 4
        assert [outcome.ok for outcome in box] == [True] * 6
        for outcome in box:
            np.testing.assert_array_equal(outcome.arrays["answer"], VALUES * 2)
        assert one(code.format(0)).ok
        assert places.running == places.waiting == 0
