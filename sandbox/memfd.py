"""Sealed memory files: once written, nobody can change them, so one serves many runs."""

import fcntl
import os

_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def sealed(name: str, parts: list[bytes | memoryview]) -> int:
    """Return a descriptor of a sealed memory file that holds ``parts`` one after the other."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        for part in parts:
            view = memoryview(part).cast("B") if len(part) else memoryview(b"")
            while view:
                view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
