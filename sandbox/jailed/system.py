"""System calls that Python does not wrap, and what every child does to itself first."""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

OUTPUT, REQUEST, RESULT, INPUTS = 1, 3, 4, 5
LAST = INPUTS

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Set one process attribute."""
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def die_with(parent: int) -> None:
    """Be killed when the process ``parent`` ends, also when it just has."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def place_descriptors(request: int, result: int, output: int, inputs: int) -> None:
    """Leave exactly 0 (null), 1 and 2 (output), 3 (request), 4 (result) and 5 (inputs) open."""
    import fcntl

    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in (request, result, output, inputs)]
    os.dup2(moved[2], 1, inheritable=False)
    os.dup2(moved[2], 2, inheritable=False)
    os.dup2(moved[0], REQUEST, inheritable=False)
    os.dup2(moved[1], RESULT, inheritable=False)
    os.dup2(moved[3], INPUTS, inheritable=False)
    os.closerange(LAST + 1, 1 << 20)


def limit_resources(limits: dict[str, int]) -> None:
    """Set soft and hard limits; ``limits`` maps names such as ``AS`` to numbers."""
    for name, value in limits.items():
        kind = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(kind, (value, value))


def fresh_streams() -> None:
    """Give the child its own text streams on descriptors 1 and 2, line by line."""
    sys.stdout = open(1, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
