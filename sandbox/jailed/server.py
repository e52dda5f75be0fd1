"""The fork server (zygote): one thread, no data, no secrets; forks one child per request.

It answers a ``SOCK_SEQPACKET`` control socket. A request is a small JSON text with five
descriptors: request and inputs (sealed memory files, never read here), result and output (pipes),
and status (a socket). The child's pidfd and, at its end, its exit status and use of resources go
out on ``status``; the child does not have that socket, so it cannot forge them.
"""

import json
import os
import select
import signal
import socket
from typing import Any

from . import child, system, warmup

MAX_MESSAGE = 65536


def main(config: dict[str, Any]) -> None:
    """Warm up, say so, and serve until the other side closes the control socket."""
    parent = os.getppid()
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if config.get("parent") not in (None, parent):
        os._exit(1)
    control = socket.socket(fileno=config["control"])
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, 0, inheritable=False)
    os.close(null)
    warmup.warm_up()
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    control.send(json.dumps({"ready": True, "baseline": _mapped_bytes()}).encode())
    Server(control, _mapped_bytes()).serve()


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


class Server:
    """Children in flight and the loop that serves them."""

    def __init__(self, control: socket.socket, baseline: int) -> None:
        self._control = control
        self._baseline = baseline
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._children: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> None:
        """Serve until the control socket is closed, then kill what is left."""
        open_ = True
        while open_:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._control.fileno():
                    open_ = self._accept()
                else:
                    self._reap(descriptor)
        for pidfd in self._children:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        os._exit(0)

    def _accept(self) -> bool:
        try:
            message, fds, _, _ = socket.recv_fds(
                self._control, MAX_MESSAGE, 5, socket.MSG_CMSG_CLOEXEC
            )
        except OSError:
            return False
        if not message:
            return False
        job = json.loads(message)
        job["limits"]["AS"] = self._baseline + job.pop("memory")
        status = socket.socket(fileno=fds[4])
        self._fork(job, (fds[0], fds[1], fds[2], fds[3]), status)
        for descriptor in fds[:4]:
            os.close(descriptor)
        return True

    def _fork(
        self, job: dict[str, Any], fds: tuple[int, int, int, int], status: socket.socket
    ) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            child.be_child(job, fds, parent)
        pidfd = os.pidfd_open(pid)
        try:
            socket.send_fds(status, [json.dumps({"pid": pid}).encode()], [pidfd])
        except OSError:  # the other side gave up already
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        self._children[pidfd] = (pid, status)
        self._poll.register(pidfd, select.POLLIN)

    def _reap(self, pidfd: int) -> None:
        pid, status = self._children.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, code, usage = os.wait4(pid, 0)
        self._kill_strays()
        report = {
            "status": code,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_kib": usage.ru_maxrss,
        }
        try:
            status.send(json.dumps(report).encode())
        except OSError:  # the other side gave up already
            return
        finally:
            status.close()

    def _kill_strays(self) -> None:
        """Kill processes that a candidate left behind; they have become children of this one."""
        ours = {pid for pid, _ in self._children.values()}
        for _ in range(100):
            strays = _children_of_self() - ours
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if not strays:
                return


def _children_of_self() -> set[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return set(map(int, file.read().split()))
    except OSError:  # a kernel without this file
        return set()
