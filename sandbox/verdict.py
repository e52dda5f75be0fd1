"""From what the parent saw of a run to its outcome."""

import os
import signal
from dataclasses import replace

from .frames import FrameError, Reply
from .limits import Limits
from .outcome import NO_ARRAYS, Outcome, OutcomeKind
from .runner import Observed
from .text import clean_bytes

# Signals that only a limit on processor time sends; anything else is the program's own doing.
_CPU_SIGNALS = (signal.SIGXCPU, signal.SIGPROF)


def judge(seen: Observed, limits: Limits, isolation: str) -> Outcome:
    """Return the outcome of a run whose child confined itself and then ended."""
    reply = _verdict(seen, limits)
    text = clean_bytes(bytes(seen.output), max(1, limits.output_kib * 1024))
    return Outcome(
        kind=reply.kind,
        arrays=reply.arrays if reply.kind is OutcomeKind.OK else NO_ARRAYS,
        error_type=reply.error_type,
        message=reply.message,
        line=reply.line,
        stdout=text if limits.output_kib else "",
        cpu_s=seen.cpu_s,
        wall_s=seen.wall_s,
        peak_mib=seen.peak_mib,
        isolation=isolation,
    )


def killed_by_others(seen: Observed, limits: Limits) -> bool:
    """Return whether a run ended by a SIGKILL that none of its limits sent: perhaps not its doing."""
    if seen.stopped is not None or seen.frame_error is not None or seen.status is None:
        return False
    killed = os.waitstatus_to_exitcode(seen.status) == -signal.SIGKILL
    return killed and _verdict(seen, limits).kind is OutcomeKind.CRASH


def _verdict(seen: Observed, limits: Limits) -> Reply:
    if seen.stopped == "wall":
        return Reply(
            OutcomeKind.TIMEOUT,
            message=f"stopped after {seen.wall_s:.1f} s on the clock"
            f" (limit {limits.wall_limit_s:g} s)",
        )
    if seen.stopped == "cancelled":
        return Reply(OutcomeKind.TIMEOUT, message="cancelled by the caller")
    if seen.stopped == "output":
        return Reply(
            OutcomeKind.CANDIDATE_ERROR,
            message=f"it printed more than {limits.output_cut_mib} MiB",
        )
    if seen.frame_error is not None:
        return Reply(OutcomeKind.BAD_RESULT, message=seen.frame_error)
    assert seen.status is not None
    number = os.waitstatus_to_exitcode(seen.status)
    if number < 0:
        return _killed(-number, seen, limits)
    if seen.cpu_s > 1.1 * limits.cpu_s + 0.1:
        return _out_of_time(seen, limits)
    return _ended(number, seen, limits)


def _killed(number: int, seen: Observed, limits: Limits) -> Reply:
    if number in _CPU_SIGNALS or (number == signal.SIGKILL and seen.cpu_s >= 0.95 * limits.cpu_s):
        return _out_of_time(seen, limits)
    if number == signal.SIGSYS:
        return Reply(
            OutcomeKind.FORBIDDEN_SYSCALL,
            message="the program attempted a forbidden system call",
        )
    if number == signal.SIGKILL and (seen.over_memory or seen.peak_mib > 0.5 * limits.memory_mib):
        return Reply(
            OutcomeKind.MEMORY,
            message=f"killed by the system at {seen.peak_mib:.0f} MiB of memory",
        )
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return Reply(OutcomeKind.CRASH, error_type=name, message=f"the program died of {name}")


def _out_of_time(seen: Observed, limits: Limits) -> Reply:
    return Reply(
        OutcomeKind.TIMEOUT,
        message=f"stopped after {seen.cpu_s:.1f} s of processor time (limit {limits.cpu_s:g} s)",
    )


def _ended(number: int, seen: Observed, limits: Limits) -> Reply:
    if not seen.reader.started:
        return Reply(
            OutcomeKind.CRASH,
            error_type="exit",
            message=f"the program ended the process with exit status {number}, without a result",
        )
    try:
        reply = seen.reader.finish()
    except FrameError as error:
        return Reply(OutcomeKind.BAD_RESULT, message=str(error))
    if reply.kind is OutcomeKind.MEMORY:
        text = f"it needs more than the {limits.memory_mib} MiB that it may use: {reply.message}"
        return replace(reply, message=text.removesuffix(": "))
    return reply


def failure(message: str, isolation: str) -> Outcome:
    """Return the outcome of a run that the sandbox itself could not carry out."""
    return Outcome(OutcomeKind.SANDBOX_FAILURE, message=message, isolation=isolation)


def too_long(code: str, limit: int) -> Outcome | None:
    """Refuse a source text that no heuristic needs, before it is copied anywhere."""
    if len(code) <= limit:
        return None
    return Outcome(
        OutcomeKind.SYNTAX_ERROR,
        message=f"the source has {len(code)} characters; at most {limit} are read",
    )
