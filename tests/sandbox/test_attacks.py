"""Every hostile program is contained at each level, and an honest one is right after each."""

import json
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eurisko.sandbox import Inputs, Limits, Outcome, Program, Sandbox, jail

from .attacks import KNOWN, Attack
from .conftest import DRIVER, EXPECTS, VALUES, contained_count
from .own_attacks import OWN

OPTIMUM = 123456.789
WEIGHTS = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])


@dataclass
class Scene:
    """What the attacks are after: files, sockets and numbers outside the sandbox."""

    constants: dict[str, Any]
    scratch: Path
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    reference: np.ndarray


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    # Not pytest's own folder: that one is closed to other users, and the attacks shall be open to
    # everything but the sandbox.
    with tempfile.TemporaryDirectory(prefix="scene-") as folder:
        Path(folder).chmod(0o777)
        yield from _scene(Path(folder))


def _scene(scratch: Path) -> Iterator[Scene]:
    secret = scratch / "secret"
    secret.write_text("s3cret")
    secret.chmod(0o666)
    key = "sk-" + secrets.token_hex(8)
    os.environ["EURISKO_TEST_API_KEY"] = key
    root = Path(jail.__file__).resolve().parent.parent
    tcp, udp = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    unix = socket.socket(socket.AF_UNIX)
    tcp.bind(("127.0.0.1", 0))
    udp.bind(tcp.getsockname())
    unix.bind(str(scratch / "socket"))
    (scratch / "socket").chmod(0o777)
    for listener in (tcp, unix):
        listener.listen()
        listener.setblocking(False)
    udp.setblocking(False)
    constants = {
        "SCRATCH": str(scratch),
        "SECRET": str(secret),
        "HOME": str(Path.home()),
        "KEY": key,
        "CALLER": os.getpid(),
        "CALLER_UID": os.getuid(),
        "PARENT": os.getppid(),
        "PORT": tcp.getsockname()[1],
        "SOCKET": str(scratch / "socket"),
        "ABSTRACT": "nobody-listens-" + key,
        "PYTHON": os.path.realpath("/proc/self/exe"),
        "OPTIMUM": "float('123456.' + '789')",
        "PLATFORM": [str(root / "__init__.py"), str(root / "pyproject.toml"), __file__],
    }
    yield Scene(constants, scratch, tcp, udp, unix, np.full(6, OPTIMUM))
    for one in (tcp, udp, unix):
        one.close()
    del os.environ["EURISKO_TEST_API_KEY"]


def header(constants: dict[str, Any]) -> str:
    lines = [
        f"{name} = {value if name == 'OPTIMUM' else json.dumps(value)}\n"
        for name, value in constants.items()
    ]
    return "".join(lines)


def attacked(sandbox: Sandbox, attack: Attack, scene: Scene) -> Outcome:
    code = header(scene.constants) + attack.code
    if attack.name.startswith("o39"):
        code = attack.code
    limits = Limits(cpu_s=attack.cpu_s, wall_s=attack.wall_s, memory_mib=1024)
    with Inputs({"values": VALUES}) as inputs:
        return sandbox.run(Program(code, "heuristic", DRIVER), inputs, EXPECTS, limits)


def score(outcome: Outcome) -> float | None:
    """The trusted scorer of this suite: a weighted order of six items; None if infeasible."""
    if not outcome.ok:
        return None
    order = outcome.arrays["answer"]
    if not np.isfinite(order).all() or sorted(order) != sorted(VALUES):
        return None
    return float((WEIGHTS * VALUES[order.astype(int)]).sum())


def breached(outcome: Outcome, attack: Attack, scene: Scene) -> str | None:
    """Return what the attack got, or None when it was contained."""
    if outcome.kind == "sandbox_failure":
        return f"the sandbox itself failed: {outcome.message}"
    if attack.want and outcome.kind not in attack.want:
        return f"ended as {outcome.kind} ({outcome.message[:200]}) instead of {attack.want}"
    if outcome.ok and (outcome.arrays["answer"] == 666.0).any():
        return "it says that it won"
    for text in (outcome.message, outcome.stdout, outcome.error_type or ""):
        if any(not (c.isprintable() or c in "\n\t") for c in text):
            return "hidden characters came out"
    if len(outcome.message) > 2100 or len(outcome.stdout) > 8192 + 10:
        return "more text came out than may"
    if "late" in outcome.stdout:
        return "code ran after the end"
    names = {path.name for path in scene.scratch.iterdir()}
    if names != {"secret", "socket"} or (scene.scratch / "secret").read_text() != "s3cret":
        return f"files changed: {names}"
    for listener in (scene.tcp, scene.unix):
        try:
            listener.accept()
        except BlockingIOError:
            continue
        return "a connection came"
    try:
        scene.udp.recv(10)
    except BlockingIOError:
        return None
    return "a datagram came"


def leftovers() -> tuple[int, list[str], str]:
    """Descriptors, shared memory and System V objects of this machine that may not change."""
    shared = sorted(os.listdir("/dev/shm"))  # noqa: PTH208
    segments = Path("/proc/sysvipc/shm")
    lines = len(segments.read_text().splitlines()) if segments.exists() else 0
    return len(list(Path("/proc/self/fd").iterdir())), shared, str(lines)


@pytest.mark.parametrize("attack", [*KNOWN, *OWN], ids=lambda attack: attack.name)
def test_a_hostile_program_is_contained(
    fort: Sandbox, attack: Attack, scene: Scene, request: pytest.FixtureRequest
) -> None:
    """It gets nothing, leaves nothing, and the honest program after it gets its exact score."""
    before = leftovers()
    growth = resident_mib()
    for _ in range(2 if attack.name.startswith("42") else 1):
        outcome = attacked(fort, attack, scene)
        assert breached(outcome, attack, scene) is None, outcome
    assert resident_mib() - growth < 60
    honest = "def heuristic(values): return values[::-1]"
    with Inputs({"values": VALUES}) as inputs:
        result = fort.run(Program(honest, "heuristic", DRIVER), inputs, EXPECTS)
    assert score(result) == float((WEIGHTS * VALUES[::-1]).sum()), result
    assert leftovers() == before
    contained_count[request.node.callspec.params["fort"]] += 1


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.parametrize("answer", ["values * float('nan')", "values * 0", "values - 100"])
def test_an_infeasible_answer_has_no_score(sandbox: Sandbox, answer: str) -> None:
    """Not-a-number, repeated and out-of-range decisions come out and are refused outside."""
    program = Program(f"def heuristic(values): return {answer}", "heuristic", DRIVER)
    outcome = sandbox.run(program, {"values": VALUES}, EXPECTS)
    assert outcome.ok and score(outcome) is None


def test_the_corpus_is_as_large_as_promised() -> None:
    """All 47 known kinds are there, and at least 15 of our own, each under its own name."""
    kinds = {attack.name[:2] for attack in KNOWN}
    assert kinds == {f"{number:02d}" for number in range(1, 48)}
    assert len(OWN) >= 15
    names = [attack.name for attack in (*KNOWN, *OWN)]
    assert len(names) == len(set(names))
