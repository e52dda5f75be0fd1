"""Seeds, shared inputs, many runs at once, faults of the server itself, and nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from eurisko.sandbox import (
    ArraySpec,
    Inputs,
    Layers,
    Limits,
    OutcomeKind,
    Program,
    Sandbox,
    SandboxClosed,
    SandboxError,
)
from eurisko.sandbox.errors import ZygoteLost

from .conftest import DRIVER, EXPECTS, VALUES, Try

DEFINE = "def heuristic(values):\n    "
DRAW = """
import random
import numpy as np
import torch
first = [random.random(), np.random.rand(), torch.rand(1).item()]
def heuristic(values):
    return first + [random.random(), np.random.rand(), torch.rand(1).item()]
"""


def descendants(pid: int) -> set[int]:
    """All processes below ``pid``, from /proc."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(stat.parent.name)
            found |= {child} | descendants(child)
    return found


def settled(count: int) -> bool:
    """Whether soon as many processes exist below this one as ``count``."""
    deadline = time.monotonic() + 10
    while len(descendants(os.getpid())) != count and time.monotonic() < deadline:
        time.sleep(0.05)
    return len(descendants(os.getpid())) == count


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_same_seed_gives_the_same_numbers(attempt: Try) -> None:
    """random, numpy and torch follow the seed, in the module's body and in the call."""
    draws = [attempt(DRAW, seed=seed).arrays["answer"] for seed in (7, 7, 8, 2**62)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert not np.isin(draws[2], draws[0]).any()
    assert not np.isin(draws[3], draws[2]).any()
    np.testing.assert_array_equal(draws[0][:3], draws[0][3:])
    state = np.random.RandomState(7)
    assert draws[0][4] == state.rand()


def test_string_hashes_are_the_same_in_every_server(attempt: Try) -> None:
    """The order of a set of strings does not depend on which server ran the program."""
    code = DEFINE + "import zlib\n    return values * 0 + zlib.crc32(str({*map(str, range(50))})"
    code += ".encode())"
    first = attempt(code).arrays["answer"]
    with Sandbox(workers=1, policy=None) as other:
        outcome = other.run(Program(code, "heuristic", DRIVER), {"values": VALUES}, EXPECTS)
    np.testing.assert_array_equal(first, outcome.arrays["answer"])


def test_inputs_are_read_only_and_the_same_for_every_run(attempt: Try) -> None:
    """No program can change what the next one sees, also not by native code."""
    write = "import ctypes\n    ctypes.memset(values.ctypes.data, 1, 8)\n    return values"
    assert attempt(DEFINE + write).kind is OutcomeKind.CRASH
    flags = attempt(DEFINE + "values.flags.writeable = True; values[0] = 9; return values")
    assert flags.kind is OutcomeKind.CANDIDATE_ERROR
    for code in ("os.ftruncate(5, 0)", "os.write(5, b'x')", "os.open('/proc/self/fd/5', 2)"):
        outcome = attempt(DEFINE + "import os\n    " + code + "\n    return values")
        assert outcome.kind is OutcomeKind.CANDIDATE_ERROR
    np.testing.assert_array_equal(attempt(DEFINE + "return values").arrays["answer"], VALUES)


def test_inputs_keep_their_types_shapes_and_values(attempt: Try) -> None:
    """Arrays of each type, empty, scalar, transposed and strided, arrive as they are."""
    arrays = {
        "values": VALUES,
        "scalar": np.array(3, "<i4"),
        "none": np.zeros((0, 2), "<f4"),
        "turned": np.arange(6, dtype="<i8").reshape(2, 3).T,
        "every_other": np.arange(9, dtype="|u1")[::2],
        "flags": np.array([True, False]),
    }
    driver = "def solve(heuristic, inputs, device):\n    return {k: v for k, v in inputs.items()}"
    expects = {key: ArraySpec(a.dtype.str, a.shape) for key, a in arrays.items()}
    outcome = attempt("heuristic = print", inputs=arrays, driver=driver, expects=expects)
    assert outcome.ok, outcome
    for key, array in arrays.items():
        np.testing.assert_array_equal(outcome.arrays[key], array)


def test_bad_arguments_are_refused_with_a_sentence(sandbox: Sandbox, attempt: Try) -> None:
    """Wrong limits, inputs, shapes, seeds and devices raise ValueError before anything runs."""
    for options in ({"cpu_s": 0}, {"cpu_s": float("nan")}, {"wall_s": -1}, {"memory_mib": 0}):
        with pytest.raises(ValueError, match="positive"):
            Limits(**options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dtype"):
        ArraySpec("|O", (1,))
    with pytest.raises(ValueError, match="shape"):
        ArraySpec("<f8", (-1,))
    with pytest.raises(ValueError, match="data type"):
        Inputs({"x": np.array(["a"])})
    with pytest.raises(ValueError, match="seed"):
        attempt("", seed=-1)
    with pytest.raises(ValueError, match="device"):
        attempt("", device="gpu")
    with pytest.raises(ValueError, match="workers"):
        Sandbox(workers=0)
    closed = Inputs({"values": VALUES})
    closed.close()
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        attempt("", inputs=closed)


def test_two_hundred_runs_leave_nothing_behind(sandbox: Sandbox, attempt: Try) -> None:
    """Descriptors and processes are the same before and after honest and failing runs."""
    codes = ["return values", "return 1 / 0", "import os; os._exit(1)", "return values[:2]"]
    for code in codes:
        attempt(DEFINE + code)
    before, processes = open_descriptors(), len(descendants(os.getpid()))
    for turn in range(200):
        attempt(DEFINE + codes[turn % len(codes)])
    assert open_descriptors() == before
    assert settled(processes)


def test_processes_left_behind_are_killed(inputs: Inputs) -> None:
    """Without any filter, a daemonised grandchild still does not outlive its program."""
    fork = """
import os, time
def heuristic(values):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(300)
        os._exit(0)
    time.sleep(0.1)
    return values
"""
    bare = Layers(seccomp=False, landlock=False, jail=False)
    with Sandbox(workers=1, layers=bare, allow_unsafe=True, prefork=0, policy=None) as own:
        own.start()
        before = len(descendants(os.getpid()))
        outcome = own.run(Program(fork, "heuristic", DRIVER), inputs, EXPECTS)
        assert outcome.ok, outcome
        assert outcome.isolation.startswith("L1")
        assert settled(before)


def test_eight_threads_each_get_their_own_answer(sandbox: Sandbox, inputs: Inputs) -> None:
    """Runs from many threads at once never mix, and no more run at once than there are workers."""

    def one(number: int) -> bool:
        code = DEFINE + f"return values + {number}"
        outcome = sandbox.run(Program(code, "heuristic", DRIVER), inputs, EXPECTS)
        return bool((outcome.arrays["answer"] == VALUES + number).all())

    before = open_descriptors()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(80)))
    assert open_descriptors() == before


def test_workers_bound_what_runs_at_once(inputs: Inputs) -> None:
    """With one worker the second program waits for the first."""
    code = DEFINE + "import time\n    a = time.monotonic(); time.sleep(0.2)"
    code += "\n    return [a, time.monotonic(), 0, 0, 0, 0]"
    with Sandbox(workers=1, policy=None) as single, ThreadPoolExecutor(3) as pool:
        program = Program(code, "heuristic", DRIVER)
        spans = [
            future.result().arrays["answer"][:2]
            for future in [pool.submit(single.run, program, inputs, EXPECTS) for _ in range(3)]
        ]
    spans.sort(key=lambda span: float(span[0]))
    for earlier, later in pairwise(spans):
        assert earlier[1] <= later[0]


def test_a_server_killed_in_mid_run_is_replaced_and_the_run_retried(
    inputs: Inputs, tmp_path: Path
) -> None:
    """A run whose server dies is carried out on a fresh one and ends well."""
    code = DEFINE + "import time; time.sleep(1); return values"
    with Sandbox(workers=2, policy=None) as own:
        with own._servers.borrow() as zygote:
            pass
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(own.run, Program(code, "heuristic", DRIVER), inputs, EXPECTS)
            time.sleep(0.4)
            os.kill(zygote.pid, signal.SIGKILL)
            outcome = future.result()
        assert outcome.ok, outcome
        assert own._servers._current is not zygote


@pytest.mark.parametrize("kills", [1, 2])
def test_a_program_killed_from_outside_is_run_again(inputs: Inputs, kills: int) -> None:
    """SIGKILL by somebody else costs a program nothing; twice in a row it counts as its own end."""
    code = DEFINE + "import time; time.sleep(4); return values"
    seen: set[int] = set()
    with Sandbox(workers=1, policy=None, prefork=0) as own:  # no process but the program's own
        with own._servers.borrow() as zygote:
            pass
        servers = descendants(zygote.pid)
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(own.run, Program(code, "heuristic", DRIVER), inputs, EXPECTS)
            for _ in range(kills):
                while not (found := descendants(zygote.pid) - servers - seen):
                    time.sleep(0.01)
                time.sleep(1)  # by now it has its job
                seen |= found
                for pid in found:
                    os.kill(pid, signal.SIGKILL)
            outcome = future.result()
        assert own._servers._current is zygote
    assert outcome.kind is (OutcomeKind.OK if kills == 1 else OutcomeKind.CRASH), outcome


def test_a_sandbox_that_fails_twice_says_so(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two lost servers in a row give sandbox_failure, which is not the candidate's fault."""

    def lost(*arguments: object) -> None:
        raise ZygoteLost("gone")

    with Sandbox(workers=1, policy=None) as own:
        own.start()
        monkeypatch.setattr("eurisko.sandbox.sandbox.run_once", lost)
        outcome = own.run(Program("", "heuristic", DRIVER), inputs, EXPECTS)
    assert outcome.kind is OutcomeKind.SANDBOX_FAILURE
    assert outcome.message == "gone"


def test_closing_ends_running_programs_and_refuses_new_ones(inputs: Inputs) -> None:
    """close() kills what runs; the waiting call and every later one raise SandboxClosed."""
    before, processes = open_descriptors(), len(descendants(os.getpid()))
    own = Sandbox(workers=1, policy=None)
    own.start()
    program = Program(DEFINE + "import time; time.sleep(60)", "heuristic", DRIVER)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(own.run, program, inputs, EXPECTS, Limits(cpu_s=90))
        time.sleep(0.3)
        own.close()
        with pytest.raises(SandboxClosed):
            future.result(timeout=20)
    with pytest.raises(SandboxClosed):
        own.run(program, inputs, EXPECTS)
    own.close()
    assert open_descriptors() == before
    assert settled(processes)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT raise: a shell's background job starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_no_child(attempt: Try) -> None:
    """Ctrl-C during a run reaches the caller and kills the program."""
    before, processes = open_descriptors(), len(descendants(os.getpid()))
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        attempt(DEFINE + "import time; time.sleep(20)")
    timer.join()
    assert settled(processes)
    assert open_descriptors() == before


def test_the_server_sees_no_environment(attempt: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the program nor its server has any variable of the caller, least of all keys."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    code = """
import os
def heuristic(values):
    raise ValueError(sorted(os.environ))
"""
    message = attempt(code).message
    assert "OMP_NUM_THREADS" in message
    assert "OPENAI_API_KEY" not in message and "PATH" not in message and "HOME" not in message


def test_a_forked_process_may_not_use_the_sandbox(sandbox: Sandbox, attempt: Try) -> None:
    """In a fork of the caller the sandbox refuses instead of sharing sockets."""
    attempt(DEFINE + "return values")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            attempt(DEFINE + "return values")
        except SandboxError:
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.parametrize("jail", [True, False])
def test_a_killed_caller_takes_its_server_along(jail: bool) -> None:
    """After SIGKILL of the calling process neither server nor running program is left."""
    code = f"""
import threading, time
from eurisko.sandbox import Layers, Program, Sandbox
own = Sandbox(workers=1, policy=None, layers=Layers(jail={jail}))
own.start()
program = Program("import time\\ndef f(): time.sleep(50)", "f", "def solve(h, i, d): h()")
threading.Thread(target=own.run, args=(program, {{}}, {{}}), daemon=True).start()
time.sleep(0.3)
print("ready", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"ready\n"
        family = descendants(caller.pid)
        assert len(family) >= 2
        caller.kill()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in family) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in family if Path(f"/proc/{pid}").exists()]
