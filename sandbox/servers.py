"""The fork servers of one sandbox: started when needed, proved once, replaced when worn or lost."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from .devices import Device
from .errors import SandboxClosed, SandboxError
from .inputs import Inputs
from .launcher import Zygote, environment
from .layers import Layers, Plan, make_plan
from .limits import ArraySpec, Limits, Program
from .outcome import Outcome, OutcomeKind
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
        device: Device | None = None,
    ) -> None:
        self._device = device
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
        self._device_bytes: int | None = None
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

    @property
    def device_bytes(self) -> int | None:
        """Memory of the device that was free when its first worker was warm; None before."""
        current = self._current
        if self._device_bytes is None and current is not None:
            self._device_bytes = current.device_bytes
        return self._device_bytes

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
            self._plan = make_plan(self._layers, self._device)
        try:
            zygote = self._launch(self._plan)
        except SandboxError as error:
            if self._report is not None or (self._plan.bwrap is None and self._plan.cgroup is None):
                raise
            zygote = self._launch_weaker(self._plan, error)
        return zygote

    def _launch(self, plan: Plan) -> Zygote:
        self.started += 1
        return Zygote(plan, spare=self._spare_children, memory_total=self._memory_total)

    def _launch_weaker(self, plan: Plan, error: SandboxError) -> Zygote:
        """Start without the control group, else without the jail as well."""
        for layer in ("cgroup", "jail"):
            missing = plan.missing | ({layer: str(error)} if layer in plan.present else {})
            present = {name: found for name, found in plan.present.items() if name != layer}
            bwrap = plan.bwrap if layer == "cgroup" else None
            plan = replace(plan, cgroup=None, bwrap=bwrap, missing=missing, present=present)
            with contextlib.suppress(SandboxError):
                zygote = self._launch(plan)
                self._plan = plan
                return zygote
        raise error

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
            partial(self._attempt_canary, zygote),
            environment(plan.device),
        )
        if not all(canary.contained for canary in canaries):
            level = Level.LIMITS
        modifiers = () if plan.device is None else (plan.device.modifier,)
        return Report(level, plan.present, plan.missing, canaries, modifiers)

    def _attempt_canary(
        self,
        zygote: Zygote,
        program: Program,
        arrays: Mapping[str, np.ndarray],
        expects: Mapping[str, ArraySpec],
        limits: Limits,
    ) -> Outcome:
        outcome = attempt_once(zygote, program, arrays, expects, limits)
        if self._device is not None and outcome.kind is OutcomeKind.SANDBOX_FAILURE:
            self.discard(zygote)  # each further canary would wait as long for nothing
            raise SandboxError(
                f"no worker of {self._device.name} got ready: {outcome.message}; "
                "see that torch works on it outside the sandbox, or use the device 'cpu'"
            )
        return outcome

    def _check(self, report: Report) -> None:
        if report.level < self._require:
            reasons = report.lacks(self._require)
            raise SandboxError(
                f"the sandbox reaches only {report.level.label} here, but {self._require.label} "
                f"is required: {reasons}"
            )


class DeviceServers:
    """One ``Servers`` for each device that was asked for."""

    def __init__(self, make: Callable[..., Servers]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._closed = False
        self._by_name: dict[str, Servers] = {}

    def of(self, device: Device) -> Servers:
        """Return the servers of a device.

        Raises:
            SandboxClosed: when closed.
        """
        with self._lock:
            if device.name not in self._by_name:
                if self._closed:
                    raise SandboxClosed("this sandbox is closed")
                self._by_name[device.name] = self._make(device=device)
            return self._by_name[device.name]

    def memory(self, device: Device) -> int | None:
        """Return the bytes of a device that were free at its first start; None before it."""
        with self._lock:
            servers = self._by_name.get(device.name)
        return None if servers is None else servers.device_bytes

    def close(self) -> None:
        """Close all of them and all that runs in them."""
        with self._lock:
            self._closed = True
            opened = list(self._by_name.values())
        for servers in opened:
            servers.close()


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
        device = zygote.plan.device
        inside, kind = ("cpu", None) if device is None else (device.inside, device.kind)
        request = sealed_request(program, seed=0, device=inside, kind=kind)
        stack.callback(os.close, request)
        seen = run_once(zygote, request, data, expects, limits)
    return failure(seen.refused, "") if seen.refused is not None else judge(seen, limits, "")
