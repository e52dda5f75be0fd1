"""The sandbox's front door: many threads hand in untrusted programs and get outcomes."""

import asyncio
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Self

import numpy as np

from .devices import Device, acceptable, concrete
from .errors import ZygoteLost
from .gate import FairGate
from .inputs import Inputs
from .layers import Layers
from .limits import BASE_BYTES, MAX_CODE_CHARACTERS, ArraySpec, Limits, Program, Rows
from .outcome import Outcome, OutcomeKind
from .places import CONTEXT_BYTES, Place, Places
from .policy import DEFAULT_POLICY, Policy
from .report import Level, Report
from .request import sealed_request
from .runner import Observed, run_once
from .servers import DeviceServers, Servers
from .session import Session, SessionEnded
from .verdict import failure, judge, killed_by_others, too_long

DEFAULT_LIMITS = Limits()
TRIES = 2
WAITING_PER_DEVICE = 2  # each holds some hundred MB of the device's memory
SHARED_PART = 0.95  # of a device's free memory: allocators round up


class Sandbox:
    """Runs untrusted programs in single-use processes forked from a warm server.

    The server starts at the first run (some seconds, once) and proves by a self-test how well it
    confines programs. ``require`` is the level below which nothing is run (``L1`` to ``L4``); below
    L2 nothing is run unless ``allow_unsafe``. ``workers`` is the number of programs that run at
    once (default: the processors that this process may use); more calls wait their turn.
    ``prefork`` children wait confined for their job (default: one per worker; on
    another device one, at most two). The server is
    replaced after ``recycle_after`` runs; all running programs together may hold
    ``memory_total_mib`` (default: 80 % of what is free at the start). ``policy`` is checked first;
    None leaves it out. ``device`` is where programs run unless a run says otherwise: ``cpu``,
    ``cuda`` (any graphics processor), ``cuda:N``, or ``auto``; sessions always run on the CPU.
    ``device_share`` is the part of each device's memory that this sandbox may use.

    Raises:
        ValueError: for a number that is not positive, a share above 1, an unknown level or device, or a
            level below L2 without ``allow_unsafe``.
        SandboxError: for a device that is not here.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        require: str | int | Level = Level.CONFINED,
        allow_unsafe: bool = False,
        layers: Layers | None = None,
        prefork: int | None = None,
        recycle_after: int = 2000,
        memory_total_mib: int | None = None,
        policy: Policy | None = DEFAULT_POLICY,
        device: str = "cpu",
        device_share: float = 1.0,
    ) -> None:
        workers = len(os.sched_getaffinity(0)) if workers is None else workers
        if workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers!r}")
        if recycle_after < 1:
            raise ValueError(f"recycle_after must be at least 1, got {recycle_after!r}")
        if not 0 < device_share <= 1:
            raise ValueError(f"device_share must be above 0 and at most 1, got {device_share!r}")
        self.workers = workers
        self._device_share = device_share
        self.policy = policy
        self._gate = FairGate(workers)
        self._places = Places(self._device_memory)
        self.device = concrete(device)
        make = partial(
            Servers,
            layers or Layers(),
            _required(require, allow_unsafe),
            recycle_after=recycle_after,
            memory_total=None if memory_total_mib is None else memory_total_mib * 2**20,
        )
        self._servers = make(spare_children=workers if prefork is None else prefork)
        self._waiting = 1 if prefork is None else min(prefork, WAITING_PER_DEVICE)
        self._devices = DeviceServers(partial(make, spare_children=self._waiting))
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._finalizer = weakref.finalize(self, _close, self._devices, self._servers)

    @property
    def isolation(self) -> str:
        """The proved level and its layers in one line; empty before the first start."""
        return self._chosen().isolation

    def start(self) -> None:
        """Start and prove the server of this sandbox's device now instead of at the first run.

        Raises:
            SandboxError: when it cannot be started or confines less than required.
        """
        with self._chosen().borrow():
            pass

    def _chosen(self) -> Servers:
        wanted = acceptable(self.device)
        return self._devices.of(wanted[0]) if wanted else self._servers

    def report(self) -> Report:
        """Return level, self-test, what is missing and how to get it; never refuses a level.

        Raises:
            SandboxError: when no server can be started at all.
        """
        return self._chosen().report()

    def run(
        self,
        program: Program,
        inputs: Inputs | Mapping[str, np.ndarray],
        expects: Mapping[str, ArraySpec],
        limits: Limits = DEFAULT_LIMITS,
        *,
        seed: int = 0,
        device: str | None = None,
        rows: Rows | None = None,
    ) -> Outcome:
        """Run a program once and return how it ended; its faults never raise.

        ``expects`` names the arrays that it must return. ``seed`` (0 to 2**63 − 1) seeds the
        global generators of ``random``, numpy and torch before the program is loaded and again
        before it is called. ``device`` overrules the sandbox's own.

        With ``rows`` the run is divided where memory asks for it (see ``Rows``): on the processor
        when the rows need more than ``limits.memory_mib``, on a device when they need more than is
        free there. Several such runs share a device, each with the memory that its rows need;
        without ``rows`` a run has the device to itself.

        Raises:
            SandboxClosed: when the sandbox is closed, also while the run is going on.
            SandboxError: when the server cannot be started or confines less than required, or the
                device is not here.
            ValueError: for a bad seed, device or input.
        """
        return self._run(program, inputs, expects, limits, seed, device, rows, None)

    async def run_async(
        self,
        program: Program,
        inputs: Inputs | Mapping[str, np.ndarray],
        expects: Mapping[str, ArraySpec],
        limits: Limits = DEFAULT_LIMITS,
        *,
        seed: int = 0,
        device: str | None = None,
        rows: Rows | None = None,
    ) -> Outcome:
        """Like ``run``, for hundreds of queued tasks; cancelling one kills its program."""
        stop = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        call = partial(self._run, program, inputs, expects, limits, seed, device, rows, stop)
        try:
            future: Future[Outcome] = self._threads().submit(call)
        except BaseException:
            os.close(stop)
            raise
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            os.eventfd_write(stop, 1)
            raise
        finally:
            future.add_done_callback(lambda _: os.close(stop))

    @contextlib.contextmanager
    def session(
        self,
        program: Program,
        inputs: Inputs | Mapping[str, np.ndarray],
        observation: Mapping[str, ArraySpec],
        decision: Mapping[str, ArraySpec],
        limits: Limits = DEFAULT_LIMITS,
        *,
        seed: int = 0,
        step_s: float = 10.0,
    ) -> Iterator[Session]:
        """Run a program in lockstep: it sees each observation only when it has to decide.

        The driver defines ``start(heuristic, inputs, device)``, which returns a function of one
        observation (dict of read-only arrays) that returns the decisions (dict of arrays).
        ``limits`` hold for the whole session, ``step_s`` for each step on the clock. The session
        keeps one of the workers until it ends.

        Raises:
            SessionEnded: when the program ends before its first step; later from ``step``.
            SandboxError: as in ``run``.
            ValueError: for a bad seed or input.
        """
        refused = self._refused(program)
        if refused is not None:
            raise SessionEnded(refused)
        with contextlib.ExitStack() as stack:
            if not isinstance(inputs, Inputs):
                inputs = stack.enter_context(Inputs(inputs))
            stack.enter_context(self._gate)
            zygote = stack.enter_context(self._servers.borrow())
            try:
                opened = Session(
                    stack,
                    zygote,
                    program,
                    inputs,
                    observation,
                    decision,
                    limits,
                    seed=seed,
                    step_s=step_s,
                    isolation=self._servers.isolation,
                )
                with opened:
                    yield opened
            except SessionEnded as ended:
                if ended.outcome.kind is OutcomeKind.SANDBOX_FAILURE:
                    self._servers.discard(zygote)  # ours: the caller may open a new session
                raise

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.workers, thread_name_prefix="sandbox-run")
            return self._executor

    def _run(
        self,
        program: Program,
        inputs: Inputs | Mapping[str, np.ndarray],
        expects: Mapping[str, ArraySpec],
        limits: Limits,
        seed: int,
        device: str | None,
        rows: Rows | None,
        cancel: int | None,
    ) -> Outcome:
        wanted = acceptable(self.device if device is None else device)
        refused = self._refused(program)
        if refused is not None:
            return refused
        with contextlib.ExitStack() as stack:
            if wanted:
                place = stack.enter_context(
                    self._places.take(wanted, None if rows is None else rows.need)
                )
                servers = self._devices.of(place.device)
                if rows is not None and place.granted is None:
                    with servers.borrow():  # proves it, and from then on its memory is known
                        pass
                    self._places.settle(place)
                sealing = _on_device(place, rows)
            else:
                stack.enter_context(self._gate)
                servers = self._servers
                sealing = partial(sealed_request, rows=_on_processor(limits, rows))
            request = _owned(stack, sealing(program, seed=seed))
            if not isinstance(inputs, Inputs):
                inputs = stack.enter_context(Inputs(inputs))
            data = _owned(stack, inputs.duplicate())
            return _attempt(servers, request, data, dict(expects), limits, cancel)

    def _device_memory(self, device: Device) -> int | None:
        """Return what running programs may share of a device, beside workers that wait."""
        free = self._devices.memory(device)
        if free is None:
            return None
        return int(SHARED_PART * self._device_share * free) - self._waiting * CONTEXT_BYTES

    def _refused(self, program: Program) -> Outcome | None:
        """Answer without running what needs no run."""
        refused = too_long(program.code, MAX_CODE_CHARACTERS)
        if refused is None and self.policy is not None:
            refused = self.policy.with_modules(*program.modules).check(program.code)
        return None if refused is None else replace(refused, isolation=self.isolation)

    def close(self) -> None:
        """End the server and every program that still runs; their calls raise SandboxClosed."""
        _close(self._devices, self._servers)
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _on_processor(limits: Limits, rows: Rows | None) -> tuple[int, int] | None:
    """Return how to divide rows; None where they fit, so that lack of memory is the program's."""
    if rows is None:
        return None
    first = rows.within(limits.memory_mib * 2**20)
    return None if first == rows.count else (rows.count, first)


def _on_device(place: Place, rows: Rows | None) -> Callable[..., int]:
    """Return what seals a request for a place on a device."""
    seal = partial(sealed_request, device=place.device.inside, kind=place.device.kind)
    if rows is None:
        return seal
    first = rows.count if place.granted is None else rows.within(place.granted - BASE_BYTES)
    return partial(seal, rows=(rows.count, first), device_bytes=place.granted)


def _attempt(
    servers: Servers,
    request: int,
    data: int,
    expects: Mapping[str, ArraySpec],
    limits: Limits,
    cancel: int | None,
) -> Outcome:
    """Run a request; a fault of ours is tried again once, on a fresh server.

    So is a run that somebody else may have killed: a program that kills itself does so twice.
    """
    reason = ""
    for number in range(TRIES):
        with servers.borrow() as zygote:
            try:
                seen: Observed = run_once(zygote, request, data, expects, limits, cancel)
            except ZygoteLost as error:
                servers.discard(zygote)
                reason = str(error)
                continue
            if seen.refused is None:
                if number + 1 < TRIES and killed_by_others(seen, limits):
                    continue
                return judge(seen, limits, servers.isolation)
            servers.discard(zygote)
            device = zygote.plan.device
            unready = (
                "child could confine itself"
                if device is None
                else f"worker of {device.name} got ready"
            )
            reason = f"no {unready}: {seen.refused}"
    return failure(reason, servers.isolation)


def _close(devices: DeviceServers, servers: Servers) -> None:
    servers.close()
    devices.close()


def _required(require: str | int | Level, allow_unsafe: bool) -> Level:
    level = Level.parse(require)
    if allow_unsafe and level is Level.CONFINED:
        return Level.LIMITS
    if level < Level.CONFINED and not allow_unsafe:
        raise ValueError(f"{level.label} confines nothing; say allow_unsafe=True to run below L2")
    return level


def _owned(stack: contextlib.ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor
