"""The live self-test: a dozen small attacks through the real path; what they prove is the level."""

import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from .limits import ArraySpec, Limits, Program
from .outcome import Outcome, OutcomeKind
from .report import Canary

Attempt = Callable[[Program, dict[str, np.ndarray], dict[str, ArraySpec], Limits], Outcome]

# 1 in the answer says that the attack worked.
_DRIVER = """
import numpy as np

def solve(heuristic, inputs, device):
    try:
        return {"breach": np.array([heuristic()], dtype="<i4")}
    except (OSError, ValueError, ImportError, RuntimeError):
        return {"breach": np.array([0], dtype="<i4")}
"""
_EXPECTS = {"breach": ArraySpec("<i4", (1,))}
_LIMITS = Limits(cpu_s=5.0, wall_s=20.0, memory_mib=512)

# Calls that must be refused, or kill the program.
_BARRED = {
    "read a foreign file": "open(SECRET).read(); return 1",
    "read the project": "open(PROJECT).read(); return 1",
    "list processes": "import os; return int(any(n.isdigit() for n in os.listdir('/proc')))",
    "environment": "import os; return int(any(n not in KNOWN for n in os.environ))",
    "environment of the server": "import os\n"
    "    return int(bool(open(f'/proc/{os.getppid()}/environ', 'rb').read()))",
    "open a socket": "import socket; socket.socket(); return 1",
    "fork": "import os\n    if os.fork() == 0: os._exit(0)\n    return 1",
    "start a thread": "import _thread; _thread.start_new_thread(print, ()); return 1",
    "execute a program": "import os; os.execv(PYTHON, [PYTHON, '-c', "
    "'import os; os.write(4, b\"EUR1\")'])",
    "write a file": "open(WRITE, 'w').close(); return 1",
    "memory file": "import os; os.memfd_create('x'); return 1",
    "trace the server": "import ctypes, os\n    libc = ctypes.CDLL(None, use_errno=True)\n"
    "    return int(libc.ptrace(16, os.getppid(), 0, 0) == 0)",
    "signal the server": "import os; os.kill(os.getppid(), 0); return 1",
}
# Limits that must stop the program with a certain outcome.
_STOPPED = {
    "20 GB of memory": ("bytearray(20 * 10**9); return 1", OutcomeKind.MEMORY),
    "endless loop": ("while True: pass", OutcomeKind.TIMEOUT),
    "oversized result": (
        "import os\n    while True: os.write(4, b'x' * 65536)",
        OutcomeKind.BAD_RESULT,
    ),
}


def run_canaries(attempt: Attempt, environment: Iterable[str]) -> tuple[Canary, ...]:
    """Run every canary; ``attempt`` is a sandbox's own way of running a program.

    ``environment`` are the names that a program may see.
    """
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        Path(folder).chmod(0o755)
        secret = Path(folder) / "secret"
        secret.write_text(secrets.token_hex(8))
        secret.chmod(0o644)
        target = f"/tmp/canary-{os.getpid()}-{secrets.token_hex(4)}"
        names = {
            "SECRET": str(secret),
            "KNOWN": list(environment),
            "PROJECT": str(Path(__file__).resolve()),
            "PYTHON": str(Path("/proc/self/exe").resolve()),
            "WRITE": target,
        }
        head = "".join(f"{name} = {json.dumps(value)}\n" for name, value in names.items())
        found = [_barred(attempt, name, head + _function(body)) for name, body in _BARRED.items()]
        found += [
            _stopped(attempt, name, head + _function(body), kind)
            for name, (body, kind) in _STOPPED.items()
        ]
        Path(target).unlink(missing_ok=True)
    return tuple(found)


def _function(body: str) -> str:
    return f"def heuristic():\n    {body}\n"


def _barred(attempt: Attempt, name: str, code: str) -> Canary:
    outcome = attempt(Program(code, "heuristic", _DRIVER), {}, _EXPECTS, _LIMITS)
    if outcome.kind is OutcomeKind.FORBIDDEN_SYSCALL:
        return Canary(name, True, "killed at the system call")
    if outcome.ok:
        breach = bool(outcome.arrays["breach"][0])
        return Canary(name, not breach, "it worked" if breach else "refused")
    return Canary(name, False, f"unexpected: {outcome.kind} {outcome.message}"[:300])


def _stopped(attempt: Attempt, name: str, code: str, kind: OutcomeKind) -> Canary:
    limits = Limits(cpu_s=0.05, wall_s=20.0) if kind is OutcomeKind.TIMEOUT else _LIMITS
    outcome = attempt(Program(code, "heuristic", _DRIVER), {}, _EXPECTS, limits)
    return Canary(name, outcome.kind is kind, f"{outcome.kind} {outcome.message}"[:300])
