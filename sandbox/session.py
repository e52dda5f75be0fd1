"""Lockstep: a child that stays alive over steps, so that the future is never inside it."""

import contextlib
import os
import select
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import numpy as np

from .errors import SandboxError, ZygoteLost
from .frames import FrameError, FrameReader, SteadyFrame
from .inputs import Inputs
from .launcher import Zygote
from .limits import ArraySpec, Limits, Program
from .outcome import Outcome, OutcomeKind
from .request import sealed_request
from .runner import F_SETPIPE_SZ, PIPE_BYTES, Run
from .verdict import failure, judge


class SessionEnded(SandboxError):
    """The program of a session has ended; ``outcome`` says how."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"{outcome.kind}: {outcome.message}")
        self.outcome = outcome


class Session:
    """One program that answers observations with decisions, step by step.

    Made by ``Sandbox.session``. Only the observations of a step cross to the child, only its
    decisions come back; both are batches over instances with shapes agreed beforehand.
    """

    def __init__(
        self,
        stack: contextlib.ExitStack,
        zygote: Zygote,
        program: Program,
        inputs: Inputs,
        observation: Mapping[str, ArraySpec],
        decision: Mapping[str, ArraySpec],
        limits: Limits,
        *,
        seed: int,
        step_s: float,
        isolation: str,
    ) -> None:
        self._observation, self._decision = dict(observation), dict(decision)
        self._steady: SteadyFrame | None = None
        self._limits, self._step_s, self._isolation = limits, step_s, isolation
        self._outcome: Outcome | None = None
        self.steps = 0
        self._run = Run(stack, {}, limits)
        self._run.first_s = min(limits.wall_limit_s, step_s)
        theirs, self._pipe = os.pipe2(os.O_CLOEXEC)
        self._pipe_open = True
        stack.callback(self._close_pipe)
        with contextlib.ExitStack() as handed:
            handed.callback(os.close, theirs)
            os.set_blocking(self._pipe, False)
            _grow(self._pipe)
            request = sealed_request(program, seed=seed, steps=self._observation)
            handed.callback(os.close, request)
            data = inputs.duplicate()
            handed.callback(os.close, data)
            try:
                self._run.start(zygote, request, data, theirs)
            except ZygoteLost as error:
                raise SessionEnded(failure(str(error), isolation)) from error
        self._await(step_s)

    @property
    def outcome(self) -> Outcome | None:
        """How the program ended, or None while it runs."""
        return self._outcome

    def step(self, observation: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Send one observation and return the decisions, read-only.

        Raises:
            SessionEnded: when the program has ended or ends in this step, with its outcome.
            ValueError: for an observation of other keys, types or shapes than agreed.
        """
        if self._outcome is not None:
            raise SessionEnded(self._outcome)
        message = self._encoded(observation)
        run = self._run
        before, run.seen.reader = run.seen.reader, FrameReader(self._decision)
        if run.early() and run.seen.reader.started:
            run.refuse("the program answered before it was asked")
            raise SessionEnded(self._conclude())
        self._write(message)
        if self._steady is None:
            first = self._await(self._step_s)
            self._steady = run.seen.reader.steady()
            return first
        decisions = self._same_again(self._steady)
        if decisions is None:
            return self._await(self._step_s)
        run.seen.reader = before  # complete, and of the same form
        return decisions

    def close(self) -> Outcome:
        """End the program, unless it has ended, and return its outcome."""
        if self._outcome is None:
            self._close_pipe()
            self._run.deadline = min(self._run.deadline, time.monotonic() + self._step_s)
            return self._conclude()
        return self._outcome

    def _encoded(self, observation: Mapping[str, np.ndarray]) -> bytes:
        if observation.keys() != self._observation.keys():
            raise ValueError(f"an observation has {sorted(self._observation)}")
        parts = [b"S"]
        for key, spec in self._observation.items():
            array = np.asarray(observation[key])
            if array.dtype.str != spec.dtype or array.shape != spec.shape:
                raise ValueError(
                    f"{key!r} has {array.dtype.str} {array.shape}; wanted {spec.dtype} {spec.shape}"
                )
            parts.append(array.tobytes())
        return b"".join(parts)

    def _write(self, whole: bytes) -> None:
        """Write to the child; when its pipe is full, watch it until it reads on."""
        try:
            written = os.write(self._pipe, whole)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            return
        if written == len(whole):
            return
        message = memoryview(whole)[written:]
        waiter = select.poll()
        waiter.register(self._pipe, select.POLLOUT)
        until = time.monotonic() + self._step_s
        while message:
            try:
                message = message[os.write(self._pipe, message) :]
            except BlockingIOError:
                if time.monotonic() > until:
                    return  # the answer is overdue as well; _await decides
                waiter.poll(50)
            except BrokenPipeError:
                return

    def _same_again(self, form: SteadyFrame) -> Mapping[str, np.ndarray] | None:
        """Wait for a frame like the last one; None leaves all else that may come to `_await`."""
        self._set_deadline(self._step_s)
        chunk = self._run.next_frame(form.length)
        try:
            decisions = form.arrays(chunk)
        except FrameError as error:
            self._run.refuse(str(error))
            raise SessionEnded(self._conclude()) from error
        if decisions is not None:
            self.steps += 1
        elif chunk:
            self._run.feed(chunk)
        return decisions

    def _set_deadline(self, seconds: float) -> None:
        if self._run.began is not None:
            total = self._run.began + self._limits.wall_limit_s
            self._run.deadline = min(total, time.monotonic() + seconds)

    def _await(self, seconds: float) -> Mapping[str, np.ndarray]:
        run = self._run
        self._set_deadline(seconds)
        try:
            run.watch(lambda: run.seen.reader.complete or run.seen.frame_error is not None)
            if run.seen.status is not None:
                run.finish()
        except ZygoteLost as error:
            self._outcome = failure(str(error), self._isolation)
            raise SessionEnded(self._outcome) from error
        if run.seen.reader.complete and run.seen.frame_error is None:
            try:
                reply = run.seen.reader.finish()
            except FrameError as error:
                run.refuse(str(error))
            else:
                if reply.kind is OutcomeKind.OK:
                    self.steps += 1
                    return reply.arrays
        raise SessionEnded(self._conclude())

    def _conclude(self) -> Outcome:
        self._close_pipe()
        try:
            self._run.finish()
        except ZygoteLost as error:
            self._outcome = failure(str(error), self._isolation)
            return self._outcome
        seen = self._run.seen
        if seen.refused is not None:
            self._outcome = failure(seen.refused, self._isolation)
        else:
            self._outcome = judge(seen, self._limits, self._isolation)
        return self._outcome

    def _close_pipe(self) -> None:
        if self._pipe_open:
            self._pipe_open = False
            os.close(self._pipe)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()


def _grow(pipe: int) -> None:
    import fcntl

    with contextlib.suppress(OSError):  # the user's share of pipe memory may be used up
        fcntl.fcntl(pipe, F_SETPIPE_SZ, PIPE_BYTES)
