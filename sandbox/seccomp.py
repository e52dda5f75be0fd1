"""The system-call filter: an allow-list compiled to a program that a child loads into itself.

Three answers exist: allow, fail with EPERM (the default), and kill the process for calls that no
heuristic could make by accident. Design and traps: seccomp(2); ``clone3`` gets ENOSYS so that libc
falls back to ``clone``, whose flags a filter can see.
"""

import errno
import os
import struct
from typing import Literal

from .errors import SandboxError

# A number that stands for the child's own process id until the child knows it.
PID_MARK = 0x5EC0DE01

ALLOWED = """
    read readv pread64 preadv write writev pwrite64 close lseek fstat stat lstat newfstatat statx
    access faccessat faccessat2 readlink readlinkat getdents64 getcwd statfs fstatfs
    munmap mprotect mremap brk madvise mincore msync membarrier
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack restart_syscall
    futex sched_yield sched_getaffinity getcpu set_robust_list get_robust_list rseq
    set_tid_address arch_prctl exit exit_group
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times
    setitimer getitimer
    getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp
    getpgid getsid uname sysinfo getrusage getrlimit getrandom
    poll ppoll select pselect6 dup dup2 dup3 recvmsg
"""

HOSTILE = """
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
    mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick
    mount_setattr unshare setns bpf keyctl add_key request_key
    io_uring_setup io_uring_enter io_uring_register userfaultfd perf_event_open
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    iopl ioperm modify_ldt acct quotactl syslog settimeofday clock_settime clock_adjtime adjtimex
    sethostname setdomainname name_to_handle_at open_by_handle_at fanotify_init
"""

# What a CUDA driver calls besides at its start, before any candidate is there.
DRIVER_START = """
    open openat memfd_create ftruncate fallocate flock fsync eventfd2 pipe pipe2 socketpair unlink
    sched_setaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min mlock munlock mbind get_mempolicy set_mempolicy mmap
    epoll_create1 epoll_ctl epoll_wait epoll_pwait
"""
# Requests of the NVIDIA driver: type 'F' for the graphics processors, and the plain small numbers
# and two odd ones of its memory manager (nvidia-uvm).
_DRIVER_IOCTL = (
    (0x4600, 0xFF00),
    (0, 0xFFFFFF00),
    (0x30000001, 0xFFFFFFFF),
    (0x30000002, 0xFFFFFFFF),
)
_PR_SET_DUMPABLE = 4
_SECCOMP_TSYNC = ((0, 1), (1, 1))  # operation SET_MODE_FILTER, flag TSYNC

_O_TMPFILE = 0o20000000
_O_PATH = 0o10000000
_UNREADABLE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | _O_TMPFILE | _O_PATH
_FCNTL_ALLOWED = (0, 1, 2, 3, 1030)  # F_DUPFD F_GETFD F_SETFD F_GETFL F_DUPFD_CLOEXEC
_IOCTL_ALLOWED = (0x5401, 0x5450, 0x5451)  # TCGETS FIONCLEX FIOCLEX
_PRCTL_ALLOWED = (3, 15, 16, 0x53564D41)  # GET_DUMPABLE SET_NAME GET_NAME SET_VMA
_MAP_SHARED_ANONYMOUS = 0x01 | 0x20
_CLONE_THREAD = 0x10000
_X32_BIT = 0x40000000
_LD_W_ABS, _JGE_K, _RET_K = 0x20, 0x35, 0x06
_KILL_PROCESS = 0x80000000


def available() -> str | None:
    """Return why seccomp filters cannot be used here, or None when they can."""
    try:
        import seccompy
    except ImportError:
        return "the package seccompy is not installed"
    try:
        seccompy.syscall_nr("read")
        if not seccompy.supported():
            return "this kernel has no seccomp filters"
    except (seccompy.SeccompError, seccompy.UnsupportedError) as error:
        return str(error)
    return None


def program(
    *, opens: bool, threads: bool = False, driver: Literal["start", "use"] | None = None
) -> bytes:
    """Return the filter as packed instructions of classic BPF, 8 bytes each.

    ``opens`` lets read-only opens through, for Landlock to judge; ``threads`` allows threads (never
    processes). ``driver`` adds what the driver of a graphics processor needs: at its ``start``
    also files, threads and a second filter on top of this one; later, in ``use``, its requests
    alone. The child must put its process id in the place of ``PID_MARK``.

    Raises:
        SandboxError: when filters cannot be used here.
    """
    reason = available()
    if reason is not None:
        raise SandboxError(reason)
    from seccompy import Action, CmpOp, Filter

    rules = Filter(default=int(Action.ERRNO) | errno.EPERM)
    starting = driver == "start"
    for name in ALLOWED.split() + (DRIVER_START.split() if starting else []):
        if _known(name):
            rules.allow(name)
    for name in HOSTILE.split():
        if _known(name):
            rules.kill(name)
    if not starting:
        rules.errno("mmap", errno.EPERM, args=[(3, CmpOp.MASKED_EQ, 33, _MAP_SHARED_ANONYMOUS)])
        rules.allow("mmap")
    rules.errno("clone3", errno.ENOSYS)
    rules.errno("openat2", errno.ENOSYS)
    rules.allow("prlimit64", args=[(0, CmpOp.EQ, 0), (2, CmpOp.EQ, 0)])
    for name in ("kill", "tgkill"):
        rules.allow(name, args={0: PID_MARK})
    for name, index, values in (
        ("fcntl", 1, _FCNTL_ALLOWED),
        ("ioctl", 1, _IOCTL_ALLOWED),
        ("prctl", 0, _PRCTL_ALLOWED),
    ):
        for value in values:
            rules.allow(name, args=[(index, CmpOp.MASKED_EQ, value, 0xFFFFFFFF)])
    if driver is not None:
        for value, mask in _DRIVER_IOCTL:
            rules.allow("ioctl", args=[(1, CmpOp.MASKED_EQ, value, mask)])
    if starting:
        rules.allow("prctl", args=[(0, CmpOp.MASKED_EQ, _PR_SET_DUMPABLE, 0xFFFFFFFF)])
        rules.allow("seccomp", args=[(at, CmpOp.EQ, value) for at, value in _SECCOMP_TSYNC])
    elif opens:
        for name, index in (("open", 1), ("openat", 2)):
            if _known(name):
                rules.allow(name, args=[(index, CmpOp.MASKED_EQ, 0, _UNREADABLE)])
    if threads:
        rules.allow("clone", args=[(0, CmpOp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)])
    return _without_x32() + rules.program


def _known(name: str) -> bool:
    from seccompy import UnsupportedError, syscall_nr

    try:
        syscall_nr(name)
    except (UnsupportedError, KeyError, ValueError):
        return False
    return True


def _without_x32() -> bytes:
    """Return instructions that kill calls of the x32 interface, whose numbers have one bit more."""
    return b"".join(
        struct.pack("<HBBI", *instruction)
        for instruction in (
            (_LD_W_ABS, 0, 0, 0),
            (_JGE_K, 0, 1, _X32_BIT),
            (_RET_K, 0, 0, _KILL_PROCESS),
        )
    )
