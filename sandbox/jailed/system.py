"""System calls that Python does not wrap, and what a process does to itself with them."""

import contextlib
import ctypes
import fcntl
import os
import signal
import struct
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1
SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
SYS_LANDLOCK_ADD_RULE = 445
SYS_LANDLOCK_RESTRICT_SELF = 446
_PATH_BENEATH = 1
_READ, _READ_WRITE, _READ_LIST = 0b0100, 0b0110, 0b1100
_TRUNCATE = 1 << 14  # from ABI 3 on
PID_MARK = 0x5EC0DE01  # the same number as in the parent's filter

OUTPUT, REQUEST, RESULT, INPUTS, STEPS = 1, 3, 4, 5, 6
_ABOVE = 16

_libc = ctypes.CDLL(None, use_errno=True)


def _failed() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def prctl(option: int, value: int, more: int = 0) -> None:
    """Set one process attribute."""
    if _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(more), 0, 0) != 0:
        raise _failed()


def die_with(parent: int) -> None:
    """Be killed when the process ``parent`` ends, also when it just has."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def restrict_files(ruleset: int) -> None:
    """Enforce a Landlock ruleset on this process, for good."""
    if _libc.syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0:
        raise _failed()


def allow_in_proc(ruleset: int, names: list[str]) -> None:
    """Let this process read ``names`` and its own folder in /proc, and name its threads.

    A driver reads its memory map and writes ``/proc/<pid>/task/<tid>/comm``, and fails when it
    cannot. Rules bind to the folder of one process and to one /proc, so nobody can make them before.
    """
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            _allow_below(ruleset, name, (_READ_LIST, _READ))
    _allow_below(ruleset, "/proc/self", (_READ_LIST,))
    _allow_below(ruleset, "/proc/self/task", (_READ_WRITE | _TRUNCATE, _READ_WRITE))


def _allow_below(ruleset: int, name: str, choices: tuple[int, ...]) -> None:
    """Add the first of ``choices`` that this kernel knows and that fits a file or a folder."""
    folder = os.open(name, os.O_PATH | os.O_CLOEXEC)
    try:
        for access in choices:
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, folder))
            if _libc.syscall(SYS_LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0) == 0:
                return
        raise _failed()
    finally:
        os.close(folder)


def restrict_calls(program: bytes) -> None:
    """Load a seccomp filter into this process, for good; its mark becomes this process's id."""
    head, _code = _filter(program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(head))


def restrict_all_threads(program: bytes) -> None:
    """Like ``restrict_calls``, for every thread of this process at once, on top of the first."""
    head, _code = _filter(program)
    number = SYS_SECCOMP[os.uname().machine]
    done = _libc.syscall(number, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, head)
    if done > 0:
        raise RuntimeError(f"thread {done} cannot take the second filter")
    if done != 0:
        raise _failed()


def _filter(program: bytes) -> tuple["ctypes.Array[ctypes.c_char]", object]:
    """Return struct sock_fprog (a 16-bit count, padding, a pointer) and what it points to."""
    mark, own = struct.pack("<I", PID_MARK), struct.pack("<I", os.getpid())
    code = bytearray(program.replace(mark, own))
    buffer = (ctypes.c_char * len(code)).from_buffer(code)
    head = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    return ctypes.create_string_buffer(head), buffer


def give_up_root(user: int) -> None:
    """Become an ordinary user without groups and without a way back.

    A fixed fallback serves user namespaces in which the wished id is not mapped.
    """
    for wished in (user, 65534):
        try:
            os.setgroups([])
            os.setresgid(wished, wished, wished)
            os.setresuid(wished, wished, wished)
        except OSError:
            continue
        break
    if 0 in os.getresuid() or 0 in os.getresgid():
        raise PermissionError("the fork server cannot give up root")


def place(wanted: dict[int, int]) -> None:
    """Move descriptors to given numbers: ``wanted`` maps number to present descriptor."""
    moved = {to: fcntl.fcntl(now, fcntl.F_DUPFD, _ABOVE) for to, now in wanted.items()}
    for now in set(wanted.values()):
        os.close(now)
    for to, now in moved.items():
        os.dup2(now, to, inheritable=False)
        os.close(now)


def fresh_streams() -> None:
    """Give the child its own text streams on descriptors 1 and 2, line by line."""
    sys.stdout = open(1, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
