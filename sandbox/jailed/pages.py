"""Large pages for the server's heap: a fork copies and drops tables, not 40,000 single pages.

Measured on one machine: fork of the warm server 8.9 ms before, 1.0 ms after; a whole trivial child
25 ms before, 3.1 ms after.
"""

import ctypes

MADV_COLLAPSE = 25  # Linux 6.1 or newer; elsewhere the call fails and nothing changes
LARGE = 1 << 21


def collapse_heap() -> int:
    """Ask the kernel to back anonymous memory by large pages; return how many bytes it did."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    collapsed = 0
    with open("/proc/self/maps") as file:  # noqa: PTH123
        lines = file.read().splitlines()
    for line in lines:
        fields = line.split()
        if fields[1] != "rw-p" or (len(fields) > 5 and fields[5] != "[heap]"):
            continue
        start, end = (int(text, 16) for text in fields[0].split("-"))
        start, end = -(-start // LARGE) * LARGE, end // LARGE * LARGE
        if end > start and libc.madvise(start, end - start, MADV_COLLAPSE) == 0:
            collapsed += end - start
    return collapsed
