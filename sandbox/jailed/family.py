"""What the server knows of its children."""

import os
import socket
from dataclasses import dataclass


@dataclass(eq=False)
class Child:
    """One child; ``status`` is None until it has a job.

    ``born`` is a time of the monotonic clock. A prepared child has used ``spent_s`` processor
    seconds and ``files`` descriptors before its job, and saw ``device_bytes`` free on its device;
    ``allowed`` bytes of the host's memory may it then hold at most.
    """

    pid: int
    pidfd: int
    job: socket.socket
    status: socket.socket | None = None
    over_memory: bool = False
    born: float = 0.0
    spent_s: float = 0.0
    files: int = 0
    device_bytes: int | None = None
    allowed: int | None = None


def children_of_self() -> set[int]:
    """Return the process ids of all children, also those that a candidate left behind."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return set(map(int, file.read().split()))
    except OSError:  # a kernel without this file
        return set()


def resident_bytes(pid: int) -> int:
    """Return how much memory a process holds that it does not share with the server's files."""
    try:
        with open(f"/proc/{pid}/statm") as file:  # noqa: PTH123
            _, resident, shared = file.read().split()[:3]
    except OSError:  # it has just ended
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
