"""One single-use child: confine itself, say so, wait for one job, do it, end.

It is forked ahead of time. What it confines itself with is decided before it has seen any byte of
a candidate; the limits of the job are set on it from outside, by the server.
"""

import json
import os
import signal
import socket
import sys
from typing import Any, NoReturn

from . import prepare, system, work

READY = b"R"
_JOB, _RULES, _FIRST_FREE = 3, 4, 5


def be_child(plan: dict[str, Any], job: socket.socket, parent: int) -> NoReturn:
    """Serve one job and leave the process; never returns, whatever happens."""
    stage = 1
    try:
        channel = _confine(plan, job, parent)
        device = plan["device"]
        ready = READY if device is None else prepare.prepare(device, plan["tight"])
        os.write(channel.fileno(), ready)
        order = _receive(channel, reserved=device is not None)
        signal.setitimer(signal.ITIMER_PROF, order["cpu_s"])
        request = work.read_request(system.REQUEST)
        if request["steps"] is None:
            frame = work.perform(request, system.INPUTS)
            _flush()
            work.send(system.RESULT, *frame)
        else:
            work.perform_steps(request, system.INPUTS, system.STEPS, system.RESULT)
            _flush()
        stage = 0
    except BaseException as error:  # noqa: BLE001 - nothing may unwind into the server's loop
        _complain(error)
    finally:
        os._exit(stage)


def _confine(plan: dict[str, Any], job: socket.socket, parent: int) -> socket.socket:
    system.die_with(parent)
    os.setsid()
    rules = plan["landlock"]
    wanted = {_JOB: job.detach()}
    if rules is not None:
        wanted[_RULES] = rules
    system.place(wanted)
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, _JOB)
    os.closerange(_FIRST_FREE if rules is not None else _RULES, 1 << 20)
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    device = plan["device"]
    # A process that is not dumpable does not own its files in /proc, which a driver writes to.
    system.prctl(system.PR_SET_DUMPABLE, 0 if device is None else 1)
    if rules is not None:
        if device is not None:
            system.allow_in_proc(_RULES, device["proc"])
        system.restrict_files(_RULES)
        os.close(_RULES)
    if device is not None:
        prepare.reserve_places()
    if plan["seccomp"] is not None:
        system.restrict_calls(plan["seccomp"])
    return channel


def _receive(channel: socket.socket, *, reserved: bool) -> dict[str, Any]:
    message, fds, _, _ = socket.recv_fds(channel, 4096, 5, socket.MSG_CMSG_CLOEXEC)
    if not message:
        os._exit(0)  # never needed
    order: dict[str, Any] = json.loads(message)
    channel.close()
    wanted = {system.REQUEST: fds[0], system.RESULT: fds[1], system.INPUTS: fds[3]}
    if len(fds) > 4:
        wanted[system.STEPS] = fds[4]
    os.dup2(fds[2], 1, inheritable=False)
    os.dup2(fds[2], 2, inheritable=False)
    os.close(fds[2])
    system.place(wanted)
    if reserved:
        prepare.free_places(set(wanted))
    system.fresh_streams()
    return order


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - the candidate may have replaced the stream
            continue


def _complain(error: BaseException) -> None:
    text = f"{type(error).__name__}: {error}"[:500].encode("utf-8", "backslashreplace")
    for descriptor in (_JOB, 2):  # before the job the server listens, later the parent does
        try:
            os.write(descriptor, text)
        except BaseException:  # noqa: BLE001 - the process ends anyway
            continue
        return
