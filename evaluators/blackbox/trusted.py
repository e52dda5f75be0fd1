"""A user's Python file as black box, run as it is: for simulators that need files or processes."""

import atexit
import multiprocessing
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .measurement import Measurement, Point
from .user_file import FUNCTION, read_file

if TYPE_CHECKING:
    from ..bayesopt import Space


@dataclass
class TrustedBlackbox:
    """Evaluates ``objective`` of a file in one long-lived process of its own, without a sandbox.

    The file is loaded once; an evaluation that takes too long, or that ends the process, is a failure
    and the next one starts a new process. Close it, or use it as a context manager.

    Args:
        path: the file; its code has all rights of the user.
        space: the parameters.
        minimise: whether small values are good.
        seconds: wall-clock limit of one try; None: no limit.
        tries: how often an evaluation that timed out or crashed is tried.

    Raises:
        InputError: the file cannot be used.
    """

    path: Path
    space: "Space"
    minimise: bool = True
    seconds: float | None = None
    tries: int = 1
    optimum: float | None = None
    _process: BaseProcess | None = field(default=None, init=False, repr=False)
    _pipe: "Connection[Any, Any] | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        read_file(self.path)

    def __enter__(self) -> "TrustedBlackbox":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    def evaluate(self, point: Point) -> Measurement:
        """Return what the objective says of a point."""
        started = time.monotonic()
        for _ in range(self.tries):
            answer, why = self._ask(dict(point))
            if not why:
                break
        seconds = time.monotonic() - started
        if why:
            return Measurement(None, message=why, seconds=seconds)
        kind, *rest = answer
        if kind == "error":
            return Measurement(None, message=rest[0], seconds=seconds)
        return Measurement.of(rest[0], rest[1], seconds)

    def close(self) -> None:
        """End the process."""
        atexit.unregister(self.close)
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _ask(self, point: dict[str, Any]) -> tuple[Any, str]:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                # not a daemon: those may not start processes of their own, which simulators do
                target=_serve,
                args=(str(self.path), theirs),
            )
            self._process.start()
            atexit.register(self.close)
            theirs.close()
        assert self._pipe is not None
        try:
            self._pipe.send(point)
            if not self._pipe.poll(self.seconds):
                self.close()
                return None, f"it took longer than {self.seconds:g} s"
            return self._pipe.recv(), ""
        except (EOFError, OSError):
            self._process.join()
            status = self._process.exitcode
            self.close()
            return None, f"its process ended with status {status}"


def _serve(path: str, pipe: "Connection[Any, Any]") -> None:
    """Load the file and answer points, in the child."""
    import runpy

    try:
        objective = runpy.run_path(path)[FUNCTION]
        broken = ""
    except Exception as error:  # noqa: BLE001 - the user's own code may fail in any way
        broken = f"{path} cannot be loaded: {type(error).__name__}: {error}"
    try:
        while True:
            point = pipe.recv()
            pipe.send(("error", broken) if broken else _answer(objective, point))
    except (EOFError, OSError, KeyboardInterrupt):
        return  # whoever asked has gone


def _answer(objective: Any, point: dict[str, Any]) -> tuple[Any, ...]:
    try:
        answer = objective(**point)
        value, noise = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        return ("value", float(value), None if noise is None else float(noise))
    except Exception as error:  # noqa: BLE001 - the user's own code may fail in any way
        return ("error", f"{type(error).__name__}: {error}")
