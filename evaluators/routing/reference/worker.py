"""OR-Tools in a process of its own: what it cannot take ends its process, not ours.

A worker starts with the first request and waits for the next; it ends with its parent.
"""

import os
import pickle
import subprocess
import sys
import threading
from typing import Any

from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan
from .budget import Budget
from .errors import SolverFailed, load

Answer = tuple[list[Plan], tuple[str, ...]]
_LENGTH = 8  # bytes of a message's length


class _Worker:
    """The process, and a lock: one request at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Any) -> Any:
        """Send a request and return the answer; None where the process ended instead."""
        with self.lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            try:
                _write(process.stdin, request)
                return _read(process.stdout)
            except (OSError, EOFError):
                process.kill()
                process.wait()
                self.process = None
                return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"from {__name__} import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        return self.process


_WORKER = _Worker()


def ask_ortools(
    instance: RoutingInstance, names: frozenset[str], objective: Objective, budget: Budget
) -> Answer:
    """Solve in the worker.

    Raises:
        SolverMissing: OR-Tools is not installed.
        SolverFailed: OR-Tools ended its process.
    """
    load("ortools")
    answer = _WORKER.ask((instance, names, objective, budget))
    if answer is None:
        raise SolverFailed("OR-Tools crashed on this instance; there is no reference solution.")
    if isinstance(answer, Exception):
        raise answer
    plans, notes = answer
    return plans, notes


def serve() -> None:
    """Answer requests until there are no more; runs in the worker."""
    from .ortools_solve import solve_ortools

    source, target = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing but answers goes to the parent
    while True:
        try:
            request = _read(source)
        except EOFError:
            return
        answer: Any
        try:
            answer = solve_ortools(*request)
        except Exception as error:  # noqa: BLE001 - raised again by the parent
            answer = error
        _write(target, answer)


def _write(stream: Any, message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(_LENGTH, "big") + data)
    stream.flush()


def _read(stream: Any) -> Any:
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        raise EOFError
    wanted = int.from_bytes(head, "big")
    data = stream.read(wanted)
    if len(data) < wanted:
        raise EOFError
    return pickle.loads(data)
