"""The fork server (zygote): one thread, no data, no secrets; one child per request.

It answers a ``SOCK_SEQPACKET`` control socket. A request is a small JSON text with five or six
descriptors: request and inputs (sealed memory files, never read here), result and output (pipes),
status (a socket), and the pipe of a session's steps. The child's pidfd and, at its end, its exit
status and use of resources go out on ``status``; the child does not have that socket, so it cannot
forge them. Children are forked and confined ahead of time, each for one job; those of another device
than the processor are warmed up as well (``prepare``).
"""

import json
import math
import os
import resource
import select
import signal
import socket
import time
from collections import deque
from typing import Any

from . import child, prepare, system, warmup
from .family import Child, children_of_self, resident_bytes

MAX_MESSAGE = 65536
WATCH_MS = 250
DEVICE_WATCH_MS = 20  # no address-space limit holds there, so the watch must be quick
GIVE_UP_AFTER = 3


def main(config: dict[str, Any]) -> None:
    """Warm up, give up privileges, say so, and serve until the control socket is closed."""
    parent = os.getppid()
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if config["parent"] not in (None, parent):
        os._exit(1)
    control = socket.socket(fileno=config["control"])
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, 0, inheritable=False)
    os.close(null)
    warmup.warm_up()
    if config["plan"]["device"] is not None:
        prepare.assert_untouched()
    for name in set(os.environ) - set(config["environment"]):
        del os.environ[name]  # torch and bubblewrap add folders of this machine
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    if config["user"] is not None:
        system.give_up_root(config["user"])
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)  # cleared with the user
    system.prctl(system.PR_SET_DUMPABLE, 0)
    plan = config["plan"]
    for name in ("seccomp", "tight"):
        if plan[name] is not None:
            plan[name] = bytes.fromhex(plan[name])
    baseline = _mapped_bytes()
    hello = {"ready": True, "baseline": baseline, "uid": os.getuid()}
    control.send(json.dumps(hello).encode())
    Server(control, baseline, plan, config["spare"], config["memory_total"]).serve()


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


class Server:
    """Children waiting and running, requests waiting, and the loop that serves them."""

    def __init__(
        self,
        control: socket.socket,
        baseline: int,
        plan: dict[str, Any],
        spare: int,
        memory_total: int,
    ) -> None:
        self._control = control
        self._baseline = baseline
        self._plan = plan
        self._spare = spare
        self._memory_total = memory_total
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._open = True
        self._by_pidfd: dict[int, Child] = {}
        self._by_job: dict[int, Child] = {}
        self._idle: deque[Child] = deque()
        self._requests: deque[tuple[dict[str, Any], list[int], socket.socket]] = deque()
        self._failures = 0
        self._reason = "no child can be confined"
        self._device: dict[str, Any] | None = plan["device"]
        self._watched = 0.0

    def serve(self) -> None:
        """Serve until the control socket is closed, then kill what is left."""
        while self._open:
            events = self._poll.poll(self._patience_ms())
            for descriptor, _ in events:
                if descriptor == self._control.fileno():
                    self._accept()
                elif descriptor in self._by_job:
                    self._hear(self._by_job[descriptor])
                elif descriptor in self._by_pidfd:
                    self._reap(self._by_pidfd[descriptor])
            if self._device is not None:
                self._attend(self._device)
            self._dispatch()
            if not events:
                self._quiet()
        for pidfd in self._by_pidfd:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        os._exit(0)

    def _patience_ms(self) -> int | None:
        if self._short_of_children():
            return 0
        busy = len(self._by_pidfd) > len(self._idle) + len(self._by_job)
        if self._device is not None and (busy or self._by_job):
            return DEVICE_WATCH_MS
        return WATCH_MS if busy else None

    def _short_of_children(self) -> bool:
        if self._failures >= GIVE_UP_AFTER:
            return False
        return len(self._idle) + len(self._by_job) < self._spare

    def _quiet(self) -> None:
        """Use a moment without requests: fork ahead, look at memory."""
        if self._short_of_children():
            self._spawn()
        else:
            self._watch_memory()

    def _attend(self, device: dict[str, Any]) -> None:
        """End workers that do not get warm, and look at memory also when there is much to do."""
        now = time.monotonic()
        for one in [one for one in self._by_job.values() if now - one.born > device["warm_s"]]:
            signal.pidfd_send_signal(one.pidfd, signal.SIGKILL)
            self._unheard(one, f"a worker was not warm after {device['warm_s']:g} s")
        if now - self._watched > DEVICE_WATCH_MS / 1000:
            self._watch_memory()

    def _accept(self) -> None:
        try:
            message, fds, _, _ = socket.recv_fds(
                self._control, MAX_MESSAGE, 6, socket.MSG_CMSG_CLOEXEC
            )
        except OSError:
            message, fds = b"", []
        if not message:
            self._open = False
            return
        job = json.loads(message)
        if self._device is None:  # drivers reserve far more addresses than they use
            job["limits"]["AS"] = self._baseline + job.pop("memory")
        status = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fds.pop(4))
        self._requests.append((job, fds, status))

    def _dispatch(self) -> None:
        while self._requests:
            if self._idle:
                self._hand_over(self._idle.popleft(), *self._requests.popleft())
            elif self._failures >= GIVE_UP_AFTER:
                self._refuse(self._reason)
            elif len(self._by_job) < len(self._requests):
                self._spawn()
            else:
                return

    def _spawn(self) -> None:
        if self._device is not None:
            prepare.assert_untouched()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            child.be_child(self._plan, theirs, parent)
        theirs.close()
        born = Child(pid, os.pidfd_open(pid), ours, born=time.monotonic())
        self._by_pidfd[born.pidfd] = born
        self._by_job[ours.fileno()] = born
        self._poll.register(born.pidfd, select.POLLIN)
        self._poll.register(ours, select.POLLIN)

    def _hear(self, one: Child) -> None:
        try:
            word = one.job.recv(4096)
        except OSError:
            word = b""
        if word == child.READY or (self._device is not None and word[:2] == prepare.PREPARED):
            if word != child.READY:
                found = json.loads(word[1:])
                one.spent_s, one.files = found["cpu_s"], found["files"]
                one.device_bytes = found["bytes"]
            self._by_job.pop(one.job.fileno())
            self._poll.unregister(one.job)
            self._failures = 0
            self._idle.append(one)
            return
        self._unheard(one, word.decode("utf-8", "replace") or "a child ended before its job")

    def _unheard(self, one: Child, reason: str) -> None:
        """Give up a child that never came to wait for its job."""
        self._by_job.pop(one.job.fileno())
        self._poll.unregister(one.job)
        self._failures += 1
        one.job.close()
        if self._device is not None:
            self._reason = reason
        if self._requests:
            self._refuse(reason)

    def _refuse(self, reason: str) -> None:
        _, fds, status = self._requests.popleft()
        for descriptor in fds:
            os.close(descriptor)
        _tell(status, {"failed": reason})
        status.close()

    def _hand_over(
        self, one: Child, job: dict[str, Any], fds: list[int], status: socket.socket
    ) -> None:
        limits: dict[str, int] = dict(job["limits"])
        if self._device is not None:
            limits["CPU"] += math.ceil(one.spent_s)
            limits["NOFILE"] += one.files
            one.allowed = resident_bytes(one.pid) + job["memory"]
        try:
            for name, value in limits.items():
                _limit(one.pid, getattr(resource, "RLIMIT_" + name), value)
            socket.send_fds(one.job, [json.dumps({"cpu_s": job["cpu_s"]}).encode()], fds)
        except (OSError, ValueError):  # it died while it waited
            one.job.close()
            self._requests.appendleft((job, fds, status))
            return
        one.job.close()
        one.status = status
        for descriptor in fds:
            os.close(descriptor)
        if not _tell(status, {"pid": one.pid, "bytes": one.device_bytes}, [one.pidfd]):
            signal.pidfd_send_signal(one.pidfd, signal.SIGKILL)  # the other side gave up

    def _reap(self, one: Child) -> None:
        _, code, usage = os.wait4(one.pid, 0)
        if one.pidfd in self._by_pidfd:
            del self._by_pidfd[one.pidfd]
        self._poll.unregister(one.pidfd)
        os.close(one.pidfd)
        self._kill_strays()
        if one.status is None:
            if one in self._idle:
                self._idle.remove(one)
                one.job.close()
            return
        cpu_s = max(0.0, usage.ru_utime + usage.ru_stime - one.spent_s)
        _tell(
            one.status,
            {
                "status": code,
                "cpu_s": cpu_s,
                "peak_kib": usage.ru_maxrss,
                "memory": one.over_memory,
            },
        )
        one.status.close()

    def _kill_strays(self) -> None:
        """Kill processes that a candidate left behind; they have become children of this one."""
        ours = {one.pid for one in self._by_pidfd.values()}
        for _ in range(100):
            strays = children_of_self() - ours
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if not strays:
                return

    def _watch_memory(self) -> None:
        """Kill the largest child when all together hold more memory than they may.

        A worker of another device is killed when it alone holds more than its job allows.
        """
        self._watched = time.monotonic()
        if self._device is not None:
            for one in self._by_pidfd.values():
                if one.allowed is not None and resident_bytes(one.pid) > one.allowed:
                    one.over_memory = True
                    signal.pidfd_send_signal(one.pidfd, signal.SIGKILL)
        own = resident_bytes(os.getpid())  # children share these pages until they write
        sizes = {
            one.pidfd: max(0, resident_bytes(one.pid) - own)
            for one in self._by_pidfd.values()
            if one.status is not None
        }
        if sum(sizes.values()) <= self._memory_total:
            return
        largest = max(sizes, key=lambda pidfd: sizes[pidfd])
        self._by_pidfd[largest].over_memory = True
        signal.pidfd_send_signal(largest, signal.SIGKILL)


def _limit(pid: int, kind: int, value: int) -> None:
    hard = resource.prlimit(pid, kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.prlimit(pid, kind, (value, value))


def _tell(status: socket.socket, word: dict[str, Any], fds: list[int] | None = None) -> bool:
    try:
        socket.send_fds(status, [json.dumps(word).encode()], fds or [])
    except OSError:  # the other side gave up already
        return False
    return True
