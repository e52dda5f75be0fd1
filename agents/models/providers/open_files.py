"""Whether somebody is still writing a file: Linux can tell through a lease (fcntl(2))."""

import errno
import os
import signal
from pathlib import Path


def being_written(path: Path) -> bool | None:
    """Return whether a process has ``path`` open for writing; ``None`` where nobody can tell.

    A read lease is refused (EAGAIN) while the file is open for writing anywhere. It is given
    back at once. Should a writer come in between, the kernel sends a signal: we ask for SIGURG,
    which does nothing unless handled, in place of SIGIO, which would end the process.
    """
    try:
        import fcntl

        set_signal, set_lease = fcntl.F_SETSIG, fcntl.F_SETLEASE
    except (ImportError, AttributeError):  # not Linux
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.fcntl(descriptor, set_signal, signal.SIGURG)
        fcntl.fcntl(descriptor, set_lease, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, set_lease, fcntl.F_UNLCK)
    except OSError as error:
        return True if error.errno in (errno.EAGAIN, errno.EACCES) else None
    finally:
        os.close(descriptor)
    return False
