"""A user's command as black box: ``{x}`` stands for a parameter, the answer is printed as JSON."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from ..errors import InputError
from .measurement import Measurement, Point

if TYPE_CHECKING:
    from ..bayesopt import Space

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class CommandBlackbox:
    """Runs a command for each point, without a shell; it is the user's own and is trusted.

    The last line of its output that is JSON counts: a number, or an object with ``value`` and
    perhaps ``noise`` (a standard deviation). Anything else, an exit status other than 0, and a
    time-out are failures; time-outs and exit statuses are tried again.

    Args:
        arguments: the command; each ``{name}`` in it is replaced by that parameter's value.
        space: the parameters.
        minimise: whether small values are good.
        seconds: wall-clock limit of one try; None: no limit.
        tries: how often it is started at most.

    Raises:
        InputError: the command names a parameter that is not in the space, or names none.
    """

    arguments: Sequence[str]
    space: "Space"
    minimise: bool = True
    seconds: float | None = None
    tries: int = 1
    optimum: float | None = None

    def __post_init__(self) -> None:
        known = {one.name for one in self.space.parameters}
        used = {name for part in self.arguments for name in _PLACE.findall(part)}
        if not self.arguments or not used:
            raise InputError(
                "The command holds no parameter: write {NAME} where a value is to stand, "
                f"for example {{{min(known, default='x')}}}."
            )
        if used - known:
            raise InputError(
                f"The command holds {{{min(used - known)}}}, which is not in the space: "
                f"it has {', '.join(sorted(known))}."
            )

    @property
    def name(self) -> str:
        """The command itself, shortened."""
        return " ".join(self.arguments)[:120]

    def evaluate(self, point: Point) -> Measurement:
        """Run the command at a point."""
        started = time.monotonic()
        for _ in range(self.tries):
            output, why = self._run(point)
            if not why:
                return _read(output, time.monotonic() - started)
        more = f" ({self.tries} tries)" if self.tries > 1 else ""
        return Measurement(None, message=why + more, seconds=time.monotonic() - started)

    def _run(self, point: Point) -> tuple[str, str]:
        """Return the output, or why there is none that counts."""
        filled = [_PLACE.sub(lambda match: _text(point[match[1]]), part) for part in self.arguments]
        try:
            process = subprocess.Popen(
                filled,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            return "", f"{filled[0]} cannot be started: {error.strerror}"
        try:
            output, errors = process.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return "", f"it took longer than {self.seconds:g} s"
        finally:
            if process.poll() is None:  # whatever ends the waiting, Ctrl-C included
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if process.returncode:
            said = errors.strip().splitlines()[-1:] or [""]
            return "", f"it ended with status {process.returncode}: {said[0][:200]}".rstrip(": ")
        return output, ""


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def _read(output: str, seconds: float) -> Measurement:
    """Return the measurement that the last JSON line of an output states."""
    for line in reversed(output.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            value, noise = found.get("value"), found.get("noise")
        else:
            value, noise = found, None
        if _number(value) and (noise is None or _number(noise)):
            return Measurement.of(float(value), None if noise is None else float(noise), seconds)
        if isinstance(found, dict) and "error" in found:
            return Measurement(None, message=str(found["error"])[:500], seconds=seconds)
        break
    why = 'it printed neither a number nor {"value": ...} in its last line of JSON'
    return Measurement(None, message=why, seconds=seconds)


def _number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) < 1e308  # larger integers are no floats
