"""One run on one fork server: hand over, watch, stop when a limit is passed, collect."""

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Mapping
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
    ready: bool = False
    frame_error: str | None = None
    stopped: str | None = None  # "wall", "output" or "frame": why the parent killed it
    status: int | None = None  # as of wait(2)
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
    zygote: Zygote, request: int, inputs: int, expects: Mapping[str, ArraySpec], limits: Limits
) -> Observed:
    """Run a request to its end; leaves no process and no descriptor behind, whatever happens.

    Raises:
        ZygoteLost: when the fork server dies or stops answering.
    """
    with contextlib.ExitStack() as stack:
        run = _Run(stack, expects, limits)
        run.start(zygote, request, inputs)
        run.watch()
        return run.seen


class _Run:
    def __init__(
        self, stack: contextlib.ExitStack, expects: Mapping[str, ArraySpec], limits: Limits
    ) -> None:
        self._stack = stack
        self._limits = limits
        self.seen = Observed(FrameReader(expects))
        self._pidfd: int | None = None
        self._poll = select.poll()
        self._deadline = time.monotonic() + START_TIMEOUT_S
        self._began = 0.0

    def start(self, zygote: Zygote, request: int, inputs: int) -> None:
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._stack.callback(self._status.close)
        with contextlib.ExitStack() as theirs:
            theirs.callback(status.close)
            self._result, result = self._pipe(theirs)
            self._output, output = self._pipe(theirs)
            self._poll.register(self._status, select.POLLIN)
            self._stack.callback(self._abandon)
            zygote.send(job_of(self._limits), [request, result, output, inputs, status.fileno()])

    def _pipe(self, theirs: contextlib.ExitStack) -> tuple[int, int]:
        import fcntl

        ours, other = os.pipe2(os.O_CLOEXEC)
        self._stack.callback(os.close, ours)
        theirs.callback(os.close, other)
        os.set_blocking(ours, False)
        with contextlib.suppress(OSError):  # the user's share of pipe memory may be used up
            fcntl.fcntl(ours, F_SETPIPE_SZ, PIPE_BYTES)
        self._poll.register(ours, select.POLLIN)
        return ours, other

    def watch(self) -> None:
        """Serve the three channels until the exit report, then take what is left in the pipes."""
        while self.seen.status is None:
            left = self._deadline - time.monotonic()
            if left <= 0:
                self._overdue()
                continue
            for descriptor, _ in self._poll.poll(left * 1000 + 1):
                if descriptor == self._status.fileno():
                    self._hear()
                elif descriptor == self._result:
                    self._take_result()
                else:
                    self._take_output()
        while self._take_result():
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
        if "pid" in report:
            self._began = now
            self._deadline = now + self._limits.wall_limit_s
            return
        self.seen.wall_s = now - self._began
        self.seen.status = report["status"]
        self.seen.cpu_s = report["cpu_s"]
        self.seen.peak_mib = report["peak_kib"] / 1024

    def _overdue(self) -> None:
        if self._pidfd is None or self.seen.stopped is not None:
            raise ZygoteLost("the fork server does not answer")
        self._stop("wall")

    def _stop(self, why: str) -> None:
        if self.seen.stopped is None:
            self.seen.stopped = why
            self._deadline = time.monotonic() + KILL_TIMEOUT_S
            self._kill()

    def _kill(self) -> None:
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _take_result(self) -> bool:
        seen = self.seen
        try:
            chunk = os.read(self._result, min(CHUNK, seen.reader.wanted))
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._result)
            return False
        if not seen.ready:
            seen.ready, chunk = True, chunk[1:]
        if seen.frame_error is None:
            try:
                seen.reader.feed(chunk)
            except FrameError as error:
                seen.frame_error = str(error)
                self._stop("frame")
        return seen.frame_error is None

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
            self._kill()
        if self._pidfd is not None:
            os.close(self._pidfd)

    def _late_start(self) -> None:
        # Left before the pidfd was read: it may still lie in the socket, and is ours to close.
        self._status.setblocking(False)
        with contextlib.suppress(OSError):
            _, fds, _, _ = socket.recv_fds(self._status, 4096, 1, socket.MSG_CMSG_CLOEXEC)
            if fds:
                self._pidfd = fds[0]
