"""The sandbox's front door: many threads hand in untrusted programs and get outcomes."""

import contextlib
import json
import os
import threading
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import numpy as np

from .errors import SandboxClosed, SandboxError, ZygoteLost
from .inputs import Inputs
from .launcher import Zygote
from .limits import MAX_CODE_CHARACTERS, ArraySpec, Limits, Program
from .memfd import sealed
from .outcome import Outcome
from .runner import run_once
from .verdict import failure, judge, too_long

DEFAULT_LIMITS = Limits()
TRIES = 2


class Sandbox:
    """Runs untrusted programs in single-use processes forked from a warm server.

    The server starts at the first run (some seconds, once). ``workers`` is the number of programs
    that run at once (default: the processors that this process may use); more calls wait.

    Raises:
        ValueError: when ``workers`` is not positive.
    """

    def __init__(self, *, workers: int | None = None) -> None:
        if workers is None:
            workers = len(os.sched_getaffinity(0))
        if workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers!r}")
        self.workers = workers
        self.isolation = "L1 limits"
        self._slots = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._closed = False
        self._zygote: Zygote | None = None
        self._finalizer: weakref.finalize[[], Sandbox] | None = None

    def start(self) -> None:
        """Start the server now instead of at the first run.

        Raises:
            SandboxError: when it cannot be started.
        """
        self._current()

    def run(
        self,
        program: Program,
        inputs: Inputs | Mapping[str, np.ndarray],
        expects: Mapping[str, ArraySpec],
        limits: Limits = DEFAULT_LIMITS,
        *,
        seed: int = 0,
        device: str = "cpu",
    ) -> Outcome:
        """Run a program once and return how it ended; its faults never raise.

        ``expects`` names the arrays that it must return. ``seed`` (0 to 2**63 − 1) seeds the
        global generators of ``random``, numpy and torch before the program is loaded and again
        before it is called.

        Raises:
            SandboxClosed: when the sandbox is closed, also while the run is going on.
            SandboxError: when the server cannot be started at all.
            ValueError: for a bad seed, device or input.
        """
        if device != "cpu":
            raise ValueError(f"device must be 'cpu', got {device!r}")
        if not 0 <= seed < 2**63:
            raise ValueError(f"seed must be between 0 and 2**63 - 1, got {seed!r}")
        refused = too_long(program.code, MAX_CODE_CHARACTERS)
        if refused is not None:
            return refused
        request = {
            "code": program.code,
            "function": program.function,
            "driver": program.driver,
            "seed": seed,
            "device": device,
        }
        with contextlib.ExitStack() as stack:
            if not isinstance(inputs, Inputs):
                inputs = stack.enter_context(Inputs(inputs))
            data = _owned(stack, inputs.duplicate())
            text = _owned(stack, sealed("request", [json.dumps(request).encode()]))
            stack.enter_context(self._slots)
            return self._attempt(text, data, dict(expects), limits)

    def _attempt(
        self, request: int, data: int, expects: Mapping[str, ArraySpec], limits: Limits
    ) -> Outcome:
        reason = ""
        for _ in range(TRIES):
            zygote = self._current()
            try:
                seen = run_once(zygote, request, data, expects, limits)
            except ZygoteLost as error:
                self._discard(zygote)
                reason = str(error)
                continue
            if seen.ready:
                return judge(seen, limits, self.isolation)
            self._discard(zygote)
            reason = "the child could not confine itself: " + seen.output.decode("utf-8", "replace")
        return failure(reason.strip(), self.isolation)

    def _current(self) -> Zygote:
        with self._lock:
            if self._closed:
                raise SandboxClosed("this sandbox is closed")
            if os.getpid() != self._owner:
                raise SandboxError("a sandbox cannot be used in a forked process; make a new one")
            if self._zygote is None:
                self._zygote = Zygote()
                self._finalizer = weakref.finalize(self, self._zygote.close)
            return self._zygote

    def _discard(self, zygote: Zygote) -> None:
        with self._lock:
            if self._zygote is zygote:
                self._forget()
        zygote.close()

    def _forget(self) -> None:
        self._zygote = None
        if self._finalizer is not None:
            self._finalizer.detach()

    def close(self) -> None:
        """End the server and every program that still runs; their calls raise SandboxClosed."""
        with self._lock:
            self._closed = True
            zygote = self._zygote
            self._forget()
        if zygote is not None:
            zygote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _owned(stack: contextlib.ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor
