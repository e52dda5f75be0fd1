"""One single-use child: confine itself, say so, then read the request and run it."""

import os
import signal
import sys
from typing import Any, NoReturn

from . import system, work

READY = b"R"
SETUP_FAILED = 97


def be_child(job: dict[str, Any], fds: tuple[int, int, int, int], parent: int) -> NoReturn:
    """Run one job and leave the process; never returns, whatever happens."""
    stage = SETUP_FAILED
    try:
        _confine(job, fds, parent)
        os.write(system.RESULT, READY)
        stage = 1
        signal.setitimer(signal.ITIMER_PROF, job["cpu_s"])
        head, arrays = work.perform(work.read_request(system.REQUEST), system.INPUTS)
        _flush()
        work.send(system.RESULT, head, arrays)
        stage = 0
    except BaseException as error:  # noqa: BLE001 - nothing may unwind into the server's loop
        _complain(error)
    finally:
        os._exit(stage)


def _confine(job: dict[str, Any], fds: tuple[int, int, int, int], parent: int) -> None:
    system.die_with(parent)
    os.setsid()
    system.place_descriptors(*fds)
    system.fresh_streams()
    system.limit_resources(job["limits"])
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    system.prctl(system.PR_SET_DUMPABLE, 0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - the candidate may have replaced the stream
            continue


def _complain(error: BaseException) -> None:
    try:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "backslashreplace"))
    except BaseException:  # noqa: BLE001 - the process ends anyway
        return
