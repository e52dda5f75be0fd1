"""The filter gives the same verdicts as one compiled by libseccomp, over many calls."""

import ctypes
import ctypes.util
import errno
import os
import random
import struct

import pytest
import seccompy

from eurisko.sandbox import seccomp

KILL = 0x80000000
ALLOW = 0x7FFF0000
X86_64 = 0xC000003E
AARCH64 = 0xC00000B7
I386 = 0x40000003
EQ, MASKED_EQ = 4, 7  # of libseccomp's scmp_compare


def interpret(program: bytes, nr: int, arch: int, args: list[int]) -> int:
    """Run a seccomp program over one call: the classic BPF of the kernel's manual."""
    data = struct.pack("<IIQ6Q", nr & 0xFFFFFFFF, arch, 0, *args)
    at, a = 0, 0
    while True:
        code, true, false, k = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            a = struct.unpack_from("<I", data, k)[0]
        elif code == 0x54:
            a &= k
        elif code == 0x06:
            return int(k)
        elif code == 0x05:
            at += k
        else:
            holds = {0x15: a == k, 0x25: a > k, 0x35: a >= k, 0x45: bool(a & k)}[code]
            at += true if holds else false


class Comparison(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


def reference(*, opens: bool, threads: bool) -> bytes:
    """The same policy, written anew for libseccomp and compiled by it."""
    name = ctypes.util.find_library("seccomp")
    if name is None:
        pytest.skip("libseccomp is not installed")
    lib = ctypes.CDLL(name)
    lib.seccomp_init.restype = ctypes.c_void_p
    eperm = 0x00050000 | errno.EPERM
    context = ctypes.c_void_p(lib.seccomp_init(eperm))
    assert lib.seccomp_attr_set(context, 2, KILL) == 0  # SCMP_FLTATR_ACT_BADARCH

    def rule(action: int, call: str, *tests: tuple[int, int, int, int]) -> None:
        if action == eperm and not tests:
            return
        number = lib.seccomp_syscall_resolve_name(call.encode())
        if number < 0:
            return
        array = (Comparison * len(tests))(*tests)
        code = lib.seccomp_rule_add_array(context, action, number, len(tests), array)
        assert code == 0, (call, code)

    for call in seccomp.ALLOWED.split():
        rule(ALLOW, call)
    for call in seccomp.HOSTILE.split():
        rule(KILL, call)
    # libseccomp has no order of rules: the complement of "shared and anonymous" is spelled out.
    for flags in (0x00, 0x01, 0x20):
        rule(ALLOW, "mmap", (3, MASKED_EQ, 0x21, flags))
    rule(0x00050000 | errno.ENOSYS, "clone3")
    rule(0x00050000 | errno.ENOSYS, "openat2")
    rule(ALLOW, "prlimit64", (0, EQ, 0, 0), (2, EQ, 0, 0))
    for call in ("kill", "tgkill"):
        rule(ALLOW, call, (0, EQ, seccomp.PID_MARK, 0))
    low = 0xFFFFFFFF
    for value in (0, 1, 2, 3, 1030):
        rule(ALLOW, "fcntl", (1, MASKED_EQ, low, value))
    for value in (0x5401, 0x5450, 0x5451):
        rule(ALLOW, "ioctl", (1, MASKED_EQ, low, value))
    for value in (3, 15, 16, 0x53564D41):
        rule(ALLOW, "prctl", (0, MASKED_EQ, low, value))
    mask = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000 | 0o10000000
    if opens:
        rule(ALLOW, "open", (1, MASKED_EQ, mask, 0))
        rule(ALLOW, "openat", (2, MASKED_EQ, mask, 0))
    if threads:
        rule(ALLOW, "clone", (0, MASKED_EQ, 0x10000, 0x10000))
    descriptor = os.memfd_create("program")
    try:
        assert lib.seccomp_export_bpf(context, descriptor) == 0
        return os.pread(descriptor, 1 << 20, 0)
    finally:
        os.close(descriptor)
        lib.seccomp_release(context)


@pytest.mark.skipif(seccompy.arch() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize(("opens", "threads"), [(True, False), (False, False), (True, True)])
def test_verdicts_equal_those_of_libseccomp(opens: bool, threads: bool) -> None:
    """Over every call number, many arguments and foreign interfaces, both filters agree."""
    ours = seccomp.program(opens=opens, threads=threads)
    theirs = reference(opens=opens, threads=threads)
    draw = random.Random(1)
    words = [0, 1, 2, 3, 0x21, 0x22, 33, 0x5401, 1030, 0x10000, seccomp.PID_MARK, 0o100, 0o10000000]
    words += [0x53564D41, 0xFFFFFFFF, 1 << 32, (1 << 32) + 3, (1 << 64) - 1]
    compared = 0
    # Number -1 is left out: libseccomp lets it fail, ours kills as for any number with the x32 bit.
    for nr in [*range(480), 0x40000000, 0x40000027, 0x400001FF]:
        for arch in (X86_64, I386, AARCH64):
            for _ in range(20 if arch == X86_64 else 2):
                args = [draw.choice(words) for _ in range(6)]
                assert interpret(ours, nr, arch, args) == interpret(theirs, nr, arch, args), (
                    nr,
                    arch,
                    args,
                )
                compared += 1
    assert compared > 10_000


def test_foreign_interfaces_are_killed() -> None:
    """Calls of the 32-bit and the x32 interface kill the process, whatever their number."""
    program = seccomp.program(opens=True)
    native = X86_64 if seccompy.arch() == "x86_64" else AARCH64
    for nr in (0, 20, 39, 400):
        assert interpret(program, nr, I386, [0] * 6) == KILL
        assert interpret(program, nr | 0x40000000, native, [0] * 6) == KILL


def test_names_of_the_lists_exist_and_never_meet() -> None:
    """No name is misspelt on both kernels, and none is both allowed and hostile."""
    allowed, hostile = set(seccomp.ALLOWED.split()), set(seccomp.HOSTILE.split())
    assert not allowed & hostile
    known = {name for name in allowed | hostile if seccomp._known(name)}
    if seccompy.arch() == "x86_64":
        assert known == allowed | hostile


def verdict(program: bytes, name: str, *args: int) -> int:
    """What a filter answers to a native call of this name."""
    native = X86_64 if seccompy.arch() == "x86_64" else AARCH64
    padded = [*args, *[0] * (6 - len(args))]
    return interpret(program, seccompy.syscall_nr(name), native, padded)


def test_the_filters_of_a_driver_differ_in_what_they_say() -> None:
    """At its start a driver may open, thread, and take a second filter; in use only ask its nodes."""
    plain = seccomp.program(opens=False)
    start = seccomp.program(opens=True, threads=True, driver="start")
    use = seccomp.program(opens=False, driver="use")
    calls = {
        "open a node": ("openat", 0, 0, os.O_RDWR | os.O_CLOEXEC),
        "memory file": ("memfd_create",),
        "thread": ("clone", 0x10000),
        "second filter": ("seccomp", 1, 1),
        "dumpable": ("prctl", 4, 0),
    }
    requests = (0xC020462A, 0x46CE, 0x30000001, 0x30000002, 27, 75)  # NVIDIA's drivers' own numbers
    for name, call in calls.items():
        assert verdict(start, *call) == ALLOW, name
        assert verdict(use, *call) != ALLOW and verdict(plain, *call) != ALLOW, name
    for request in requests:
        assert verdict(start, "ioctl", 3, request) == verdict(use, "ioctl", 3, request) == ALLOW
        assert verdict(plain, "ioctl", 3, request) != ALLOW
    for program in (start, use):
        for call in (("clone", 17), ("socket", 1, 1), ("execve",), ("fork",), ("ioctl", 0, 0x5412)):
            assert verdict(program, *call) != ALLOW, call
        assert verdict(program, "seccomp", 1, 0) != ALLOW and verdict(program, "prctl", 22) != ALLOW
        assert verdict(program, "ptrace") == verdict(program, "mount") == KILL


@pytest.mark.skipif(seccompy.arch() != "x86_64", reason="the numbers are those of x86-64")
def test_the_filter_in_use_adds_nothing_but_requests() -> None:
    """Over every call and many arguments it allows what the CPU's filter allows, and ioctl."""
    plain = seccomp.program(opens=False)
    use = seccomp.program(opens=False, driver="use")
    draw = random.Random(2)
    words = [0, 1, 2, 3, 0x21, 0x22, 0x5401, 0x5412, 0x46CE, 0x10000, seccomp.PID_MARK, 1 << 32]
    for nr in range(480):
        for _ in range(20):
            args = [draw.choice(words) for _ in range(6)]
            if nr != seccompy.syscall_nr("ioctl"):
                assert interpret(use, nr, X86_64, args) == interpret(plain, nr, X86_64, args)
