"""The fork servers of one sandbox: started when needed, proved once, replaced when worn or lost."""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from .errors import SandboxClosed, SandboxError
from .inputs import Inputs
from .launcher import Zygote
from .layers import Layers, Plan, make_plan
from .limits import ArraySpec, Limits, Program
from .outcome import Outcome
from .report import Level, Report, promised
from .request import sealed_request
from .runner import run_once
from .selftest import run_canaries
from .verdict import failure, judge


class Servers:
    """At most one server takes new runs; worn ones live on until their last run ends."""

    def __init__(
        self,
        layers: Layers,
        require: Level,
        *,
        spare_children: int,
        recycle_after: int,
        memory_total: int | None,
    ) -> None:
        self._layers = layers
        self._require = require
        self._spare_children = spare_children
        self._recycle_after = recycle_after
        self._memory_total = memory_total
        self._lock = threading.RLock()
        self._counting = threading.Lock()
        self._owner = os.getpid()
        self._closed = False
        self._plan: Plan | None = None
        self._report: Report | None = None
        self._current: Zygote | None = None
        self._next: Zygote | None = None
        self._warming: threading.Thread | None = None
        self._in_use: dict[Zygote, int] = {}
        self._worn: set[Zygote] = set()
        self.started = 0

    @contextlib.contextmanager
    def borrow(self) -> Iterator[Zygote]:
        """Yield the server for one run.

        Raises:
            SandboxClosed: when closed.
            SandboxError: when no server can be started, or it confines less than required.
        """
        with self._lock:
            zygote = self._ready()
            with self._counting:
                self._in_use[zygote] = self._in_use.get(zygote, 0) + 1
        try:
            yield zygote
        finally:
            self._give_back(zygote)

    def _give_back(self, zygote: Zygote) -> None:
        with self._counting:
            self._in_use[zygote] -= 1
            idle = self._in_use[zygote] == 0
            if idle:
                del self._in_use[zygote]
            done = idle and zygote in self._worn
            self._worn -= {zygote} if done else set()
        if done:
            zygote.close()

    def discard(self, zygote: Zygote) -> None:
        """Close a server that failed; the next run gets a fresh one."""
        with self._lock:
            if self._current is zygote:
                self._current = None
        zygote.close()

    def report(self) -> Report:
        """Start the server if there is none yet and return what its self-test proved."""
        with self._lock:
            if self._report is None:
                self._ready(check=False)
            assert self._report is not None
            return self._report

    @property
    def isolation(self) -> str:
        """The proved level and layers, or an empty text before the first start."""
        return self._report.isolation if self._report is not None else ""

    def close(self) -> None:
        """Close every server and all that runs in them."""
        self._closed = True
        with self._counting:
            running = set(self._in_use) | self._worn
        for zygote in running:  # without the lock: one of them may be in its self-test
            zygote.close()
        with self._lock:
            warming = self._warming
        if warming is not None:
            warming.join()
        with self._lock:
            for rest in (self._current, self._next):
                if rest is not None:
                    rest.close()
            self._current = self._next = None

    def _ready(self, *, check: bool = True) -> Zygote:
        if self._closed:
            raise SandboxClosed("this sandbox is closed")
        if os.getpid() != self._owner:
            raise SandboxError("a sandbox cannot be used in a forked process; make a new one")
        if self._current is not None and self._current.served >= self._recycle_after:
            self._retire(self._current)
        if self._current is None:
            self._current, self._next = self._next or self._start(), None
        if self._report is None:
            self._report = self._prove(self._current)
        if check:
            self._check(self._report)
        if self._current.served >= 0.9 * self._recycle_after:
            self._warm_next()
        return self._current

    def _start(self) -> Zygote:
        if self._plan is None:
            self._plan = make_plan(self._layers)
        try:
            zygote = self._launch(self._plan)
        except SandboxError as error:
            if self._plan.bwrap is None or self._report is not None:
                raise
            missing = self._plan.missing | {"jail": str(error)}
            present = {k: v for k, v in self._plan.present.items() if k != "jail"}
            self._plan = replace(self._plan, bwrap=None, missing=missing, present=present)
            zygote = self._launch(self._plan)
        return zygote

    def _launch(self, plan: Plan) -> Zygote:
        self.started += 1
        return Zygote(plan, spare=self._spare_children, memory_total=self._memory_total)

    def _retire(self, zygote: Zygote) -> None:
        self._current = None
        with self._counting:
            busy = zygote in self._in_use
            if busy:
                self._worn.add(zygote)
        if not busy:
            zygote.close()
        if self._next is None and self._warming is not None:
            warming, self._warming = self._warming, None
            warming.join()

    def _warm_next(self) -> None:
        if self._next is not None or (self._warming is not None and self._warming.is_alive()):
            return
        self._warming = threading.Thread(target=self._warm, name="sandbox-spare", daemon=True)
        self._warming.start()

    def _warm(self) -> None:
        try:
            self._next = self._start()
        except SandboxError:
            return  # the next run tries again and reports it

    def _prove(self, zygote: Zygote) -> Report:
        """Run the self-test; a canary that gets through leaves the resource limits alone."""
        plan = zygote.plan
        level = promised(plan)
        canaries = run_canaries(
            lambda program, arrays, expects, limits: attempt_once(
                zygote, program, arrays, expects, limits
            )
        )
        if not all(canary.contained for canary in canaries):
            level = Level.LIMITS
        return Report(level, plan.present, plan.missing, canaries)

    def _check(self, report: Report) -> None:
        if report.level < self._require:
            reasons = "; ".join(report.explain()) or "no layer of confinement is on"
            raise SandboxError(
                f"the sandbox reaches only {report.level.label} here, but {self._require.label} "
                f"is required: {reasons}"
            )


def attempt_once(
    zygote: Zygote,
    program: Program,
    arrays: Mapping[str, np.ndarray],
    expects: Mapping[str, ArraySpec],
    limits: Limits,
) -> Outcome:
    """Run a program on a given server, once, outside any queue."""
    with contextlib.ExitStack() as stack:
        inputs = stack.enter_context(Inputs(arrays))
        data = inputs.duplicate()
        stack.callback(os.close, data)
        request = sealed_request(program, seed=0, device="cpu")
        stack.callback(os.close, request)
        seen = run_once(zygote, request, data, expects, limits)
    return failure(seen.refused, "") if seen.refused is not None else judge(seen, limits, "")
