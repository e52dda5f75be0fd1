"""Lockstep sessions: decisions come step by step, and the future is never in the child."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from eurisko.sandbox import (
    ArraySpec,
    Limits,
    OutcomeKind,
    Program,
    Sandbox,
    SandboxClosed,
    SandboxError,
    SessionEnded,
)

DRIVER = """
import numpy as np

def start(heuristic, inputs, device):
    state = {"total": np.zeros(3)}
    def answer(observation):
        state["total"] = state["total"] + observation["item"]
        return {"bin": np.asarray(heuristic(observation["item"], state["total"]), dtype="<i8")}
    return answer
"""
OBSERVATION = {"item": ArraySpec("<f8", (3,))}
DECISION = {"bin": ArraySpec("<i8", (3,))}
HONEST = "def heuristic(item, total):\n    return total"
LIMITS = Limits(cpu_s=5.0, wall_s=20.0)


def play(sandbox: Sandbox, code: str, steps: int, limits: Limits = LIMITS, step_s: float = 5.0):
    """Run a session and return the decisions and the outcome."""
    rows = []
    program = Program(code, "heuristic", DRIVER)
    try:
        with sandbox.session(program, {}, OBSERVATION, DECISION, limits, step_s=step_s) as session:
            for step in range(steps):
                rows.append(session.step({"item": np.full(3, float(step))})["bin"])
            return rows, session.close()
    except SessionEnded as ended:
        return rows, ended.outcome


def test_decisions_come_step_by_step(sandbox: Sandbox) -> None:
    """Each step's decisions follow from what was seen so far; the session ends well."""
    rows, outcome = play(sandbox, HONEST, 200)
    np.testing.assert_array_equal(rows, np.cumsum(np.arange(200))[:, None].repeat(3, 1))
    assert outcome.ok, outcome
    assert outcome.cpu_s > 0


STEP = "def heuristic(item, total):\n    if item[0] == 3: "
ENDS = [
    (STEP + "1 / 0\n    return total", "candidate_error", 3),
    (STEP + "import os; os._exit(0)\n    return total", "crash", 3),
    (STEP + "raise SystemExit\n    return total", "crash", 3),
    (STEP + "return total[:2]\n    return total", "bad_result", 3),
    (STEP + "\n        while True: pass\n    return total", "timeout", 3),
    (STEP + "bytearray(20 * 10**9)\n    return total", "memory", 3),
    (STEP + "import os; os.write(4, b'x')\n    return total", "bad_result", 3),
    ("def heuristic(item): return item", "candidate_error", 0),
    ("def heuristic(:", "syntax_error", 0),
    ("x = 1", "candidate_error", 0),
]


@pytest.mark.parametrize(("code", "kind", "steps"), ENDS)
def test_a_fault_ends_the_session_in_its_step(
    sandbox: Sandbox, code: str, kind: str, steps: int
) -> None:
    """Every kind of fault ends the session at its step, with the outcome in the exception."""
    rows, outcome = play(sandbox, code, 10, Limits(cpu_s=1.0, wall_s=10.0), step_s=2.0)
    assert outcome.kind == kind, outcome
    assert len(rows) == steps
    if kind == "candidate_error" and steps:
        assert outcome.line == 2


def test_an_answer_before_the_question_is_refused(sandbox: Sandbox) -> None:
    """A program that writes decisions ahead of the observation is stopped."""
    code = """
import os, struct, json, threading, time
head = json.dumps({"kind": "ok", "arrays": [["bin", "<i8", [3]]]}).encode()
frame = struct.pack("<4sI", b"EUR1", len(head)) + head + bytes(24)
def heuristic(item, total):
    os.write(4, frame * 2)
    return total
"""
    rows, outcome = play(sandbox, code, 5)
    assert outcome.kind is OutcomeKind.BAD_RESULT
    assert len(rows) <= 1


def test_a_slow_step_is_a_timeout(sandbox: Sandbox) -> None:
    """The limit of one step on the clock holds, long before that of the session."""
    began = time.monotonic()
    code = STEP + "import time; time.sleep(30)\n    return total"
    rows, outcome = play(sandbox, code, 10, LIMITS, step_s=0.3)
    assert outcome.kind is OutcomeKind.TIMEOUT and len(rows) == 3
    assert time.monotonic() - began < 15


def test_large_observations_pass_a_full_pipe(sandbox: Sandbox) -> None:
    """Observations larger than any pipe arrive whole, and a child that ignores them is stopped."""
    size = 1_000_000
    driver = (
        "import numpy as np\ndef start(h, i, d):\n    return lambda o: {'s': np.array(h(o['x']))}"
    )
    spec, decision = {"x": ArraySpec("<f8", (size,))}, {"s": ArraySpec("<f8", ())}
    values = np.random.default_rng(0).random(size)
    program = Program("def heuristic(x): return x.max()", "heuristic", driver)
    with sandbox.session(program, {}, spec, decision, LIMITS) as session:
        for _ in range(3):
            assert session.step({"x": values})["s"] == values.max()
        with pytest.raises(ValueError, match="wanted"):
            session.step({"x": values[:5]})
        with pytest.raises(ValueError, match="observation"):
            session.step({})
    asleep = "import numpy as np, time\ndef start(h, i, d):\n    time.sleep(60)"
    with (
        pytest.raises(SessionEnded) as caught,
        sandbox.session(
            Program("heuristic = abs", "heuristic", asleep), {}, spec, decision, LIMITS, step_s=0.5
        ),
    ):
        pass
    assert caught.value.outcome.kind is OutcomeKind.TIMEOUT


def test_sessions_leave_nothing_behind(sandbox: Sandbox) -> None:
    """Descriptors are the same after sessions that end well, badly, or by an exception."""
    play(sandbox, HONEST, 1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for code in (HONEST, STEP + "1 / 0\n    return total", "x = 1"):
        play(sandbox, code, 6)
    program = Program(HONEST, "heuristic", DRIVER)
    with (
        pytest.raises(KeyError),
        sandbox.session(program, {}, OBSERVATION, DECISION, LIMITS) as session,
    ):
        session.step({"item": np.zeros(3)})
        raise KeyError("the caller's own")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert sandbox.run(Program(HONEST, "heuristic", ""), {}, {}).kind is OutcomeKind.BAD_RESULT


def test_the_child_never_holds_what_was_not_sent(sandbox: Sandbox) -> None:
    """Inside the child, a number of a later observation is nowhere among its objects."""
    code = """
import gc
import numpy as np
def heuristic(item, total):
    found = [o for o in gc.get_objects() if isinstance(o, np.ndarray) and 77.0 in o]
    return np.full(3, len(found))
"""
    program = Program(code, "heuristic", DRIVER)
    with sandbox.session(program, {}, OBSERVATION, DECISION, LIMITS) as session:
        assert not session.step({"item": np.zeros(3)})["bin"].any()
        session.step({"item": np.full(3, 77.0)})


def test_a_closed_session_says_so(sandbox: Sandbox) -> None:
    """A step after the end raises SessionEnded with the outcome again."""
    with sandbox.session(
        Program(HONEST, "heuristic", DRIVER), {}, OBSERVATION, DECISION, LIMITS
    ) as session:
        session.step({"item": np.zeros(3)})
        assert session.close().ok
        with pytest.raises(SessionEnded):
            session.step({"item": np.zeros(3)})
    assert issubclass(SandboxClosed, SandboxError) and os.getpid()


def test_a_lost_server_ends_a_session_as_our_fault() -> None:
    """A session whose server dies ends as sandbox_failure; the next session works again."""
    program = Program(HONEST, "heuristic", DRIVER)
    with Sandbox(workers=1) as own:
        with (
            pytest.raises(SessionEnded) as caught,
            own.session(program, {}, OBSERVATION, DECISION, LIMITS) as session,
        ):
            session.step({"item": np.zeros(3)})
            with own._servers.borrow() as zygote:
                os.kill(zygote.pid, signal.SIGKILL)
            for _ in range(1000):  # the kill takes a moment to reach the child
                session.step({"item": np.zeros(3)})
                time.sleep(0.01)
        assert caught.value.outcome.kind is OutcomeKind.SANDBOX_FAILURE
        rows, outcome = play(own, HONEST, 3)
        assert outcome.ok and len(rows) == 3
