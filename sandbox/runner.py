"""One run on one fork server: hand over, watch, stop when a limit is passed, collect."""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ZygoteLost
from .frames import FrameError, FrameReader
from .launcher import Zygote
from .limits import ArraySpec, Limits

START_TIMEOUT_S = 30.0
KILL_TIMEOUT_S = 10.0
CHUNK = 1 << 18
PIPE_BYTES = 1 << 20
F_SETPIPE_SZ = 1031


@dataclass
class Observed:
    """What the parent saw of one run; the frame in ``reader`` is the only word of the child."""

    reader: FrameReader
    refused: str | None = None  # why the server did not run it at all
    frame_error: str | None = None
    stopped: str | None = None  # "wall", "output", "frame" or "cancelled": why it was killed
    status: int | None = None  # as of wait(2)
    over_memory: bool = False  # killed by the server's watch
    cpu_s: float = 0.0
    peak_mib: float = 0.0
    wall_s: float = 0.0
    output: bytearray = field(default_factory=bytearray)
    printed: int = 0


def job_of(limits: Limits) -> dict[str, Any]:
    """Return what the fork server needs to know of the limits; sizes in bytes, times in s."""
    return {
        "cpu_s": limits.cpu_s,
        "memory": int(limits.memory_mib * 2**20),
        "limits": {
            "CPU": int(limits.cpu_s) + 1,
            "FSIZE": limits.file_mib * 2**20,
            "NOFILE": limits.open_files,
            "CORE": 0,
            "MEMLOCK": 65536,
            "MSGQUEUE": 0,
        },
    }


def run_once(
    zygote: Zygote,
    request: int,
    inputs: int,
    expects: Mapping[str, ArraySpec],
    limits: Limits,
    cancel: int | None = None,
) -> Observed:
    """Run a request to its end; leaves no process and no descriptor behind, whatever happens.

    ``cancel`` is a descriptor that becomes readable when the run shall be stopped.

    Raises:
        ZygoteLost: when the fork server dies or stops answering.
    """
    with contextlib.ExitStack() as stack:
        run = Run(stack, expects, limits, cancel)
        run.start(zygote, request, inputs)
        run.finish()
        return run.seen


class Run:
    """The parent's side of one child, from the request to the exit report."""

    def __init__(
        self,
        stack: contextlib.ExitStack,
        expects: Mapping[str, ArraySpec],
        limits: Limits,
        cancel: int | None = None,
    ) -> None:
        self._stack = stack
        self._limits = limits
        self.seen = Observed(FrameReader(expects))
        self._pidfd: int | None = None
        self._cancel = cancel
        self._poll = select.poll()
        if cancel is not None:
            self._poll.register(cancel, select.POLLIN)
        self.first_s = limits.wall_limit_s  # how long after its begin it may go on unattended
        self.deadline = time.monotonic() + START_TIMEOUT_S
        self.began: float | None = None

    def start(self, zygote: Zygote, request: int, inputs: int, steps: int | None = None) -> None:
        """Hand the request over; ``steps`` is the child's end of a session's pipe."""
        self._zygote = zygote
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._stack.callback(self._status.close)
        with contextlib.ExitStack() as theirs:
            theirs.callback(status.close)
            self._result, result = self._pipe(theirs)
            self._output, output = self._pipe(theirs)
            self._poll.register(self._status, select.POLLIN)
            self._stack.callback(self._abandon)
            if zygote.plan.device is not None:  # it may have to wait for a worker to get warm
                self.deadline += 2 * zygote.plan.device.warm_s
            handed = [request, result, output, inputs, status.fileno()]
            job = job_of(self._limits)
            job["memory"] += os.fstat(inputs).st_size  # mapped, and not the program's own
            zygote.send(job, handed if steps is None else [*handed, steps])

    def _pipe(self, theirs: contextlib.ExitStack) -> tuple[int, int]:
        ours, other = os.pipe2(os.O_CLOEXEC)
        self._stack.callback(os.close, ours)
        theirs.callback(os.close, other)
        os.set_blocking(ours, False)
        with contextlib.suppress(OSError):  # the user's share of pipe memory may be used up
            fcntl.fcntl(ours, F_SETPIPE_SZ, PIPE_BYTES)
        self._poll.register(ours, select.POLLIN)
        return ours, other

    def watch(self, done: Callable[[], bool]) -> None:
        """Serve the channels until ``done`` or the exit report."""
        while self.seen.status is None and not done():
            left = self.deadline - time.monotonic()
            if left <= 0:
                self._overdue()
                continue
            for descriptor, _ in self._poll.poll(left * 1000 + 1):
                if descriptor == self._status.fileno():
                    self._hear()
                elif descriptor == self._result:
                    self.take_result()
                elif descriptor == self._output:
                    self._take_output()
                else:
                    self._stop("cancelled")

    def early(self) -> bool:
        """Return whether there is something in the result pipe, or its end, before it is due."""
        try:
            chunk = os.read(self._result, 1)
        except BlockingIOError:
            return False
        self.feed(chunk)
        return True

    def next_frame(self, length: int) -> bytes:
        """Wait until the deadline for the next bytes of the result; empty when others speak.

        One more byte than a frame of ``length`` is asked for, so that excess is seen.
        """
        left = max(0.0, self.deadline - time.monotonic())
        ready = self._poll.poll(left * 1000 + 1)
        if len(ready) != 1 or ready[0] != (self._result, select.POLLIN):
            return b""
        return os.read(self._result, min(CHUNK, length + 1))

    def finish(self) -> None:
        """Serve the channels until the exit report, then take what is left in the pipes."""
        self.watch(lambda: False)
        while self.take_result():
            pass
        while self._take_output():
            pass

    def _hear(self) -> None:
        message, fds, _, _ = socket.recv_fds(self._status, 4096, 1, socket.MSG_CMSG_CLOEXEC)
        if fds:
            self._pidfd = fds[0]
        if not message:
            raise ZygoteLost("the fork server died during a run")
        report = json.loads(message)
        now = time.monotonic()
        if "failed" in report:
            self.seen.refused, self.seen.status = str(report["failed"]), 0
            return
        if "pid" in report:
            self.began = now
            if self._zygote.device_bytes is None:
                self._zygote.device_bytes = report["bytes"]
            if self.seen.stopped is None:
                self.deadline = now + self.first_s
            else:
                self.kill()  # what it sent was seen before the server's word that it had begun
            return
        self.seen.wall_s = now - (self.began or now)
        self.seen.status = report["status"]
        self.seen.over_memory = report["memory"]
        self.seen.cpu_s = report["cpu_s"]
        self.seen.peak_mib = report["peak_kib"] / 1024

    def _overdue(self) -> None:
        if self._pidfd is None or self.seen.stopped is not None:
            raise ZygoteLost("the fork server does not answer")
        self._stop("wall")

    def _stop(self, why: str) -> None:
        if self.seen.stopped is not None:
            return
        self.seen.stopped = why
        self.deadline = time.monotonic() + KILL_TIMEOUT_S
        if self._cancel is not None:
            self._poll.unregister(self._cancel)
        self.kill()

    def kill(self) -> None:
        """Kill the child, if it has begun."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def take_result(self) -> bool:
        """Read once from the result pipe; return whether there may be more."""
        try:
            chunk = os.read(self._result, min(CHUNK, self.seen.reader.wanted))
        except BlockingIOError:
            return False
        return self.feed(chunk)

    def feed(self, chunk: bytes) -> bool:
        """Take what was read from the result pipe; return whether there may be more."""
        seen = self.seen
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._result)
            return False
        if seen.frame_error is None:
            try:
                seen.reader.feed(chunk)
            except FrameError as error:
                self.refuse(str(error))
        return seen.frame_error is None

    def refuse(self, reason: str) -> None:
        """Stop the child for what it sent."""
        self.seen.frame_error = reason
        self._stop("frame")

    def _take_output(self) -> bool:
        seen, limits = self.seen, self._limits
        try:
            chunk = os.read(self._output, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._output)
            return False
        seen.printed += len(chunk)
        room = limits.output_kib * 1024 - len(seen.output)
        seen.output += chunk[: max(0, room)]
        if seen.printed > limits.output_cut_mib * 2**20:
            self._stop("output")
            return False
        return True

    def _abandon(self) -> None:
        """Kill what may still run: also on the way out of an exception, such as Ctrl-C."""
        if self._pidfd is None:
            self._late_start()
        if self.seen.status is None:
            self.kill()
        if self._pidfd is not None:
            os.close(self._pidfd)

    def _late_start(self) -> None:
        # Left before the pidfd was read: it may still lie in the socket, and is ours to close.
        self._status.setblocking(False)
        with contextlib.suppress(OSError):
            _, fds, _, _ = socket.recv_fds(self._status, 4096, 1, socket.MSG_CMSG_CLOEXEC)
            if fds:
                self._pidfd = fds[0]
