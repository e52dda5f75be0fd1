"""A user's Python file as black box, run in the sandbox: no files, no network, no processes."""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .measurement import Measurement, Point
from .user_file import FUNCTION, read_file

if TYPE_CHECKING:
    from ...sandbox import Sandbox
    from ..bayesopt import Space


@dataclass(frozen=True)
class SandboxedBlackbox:
    """Evaluates ``objective`` of a file in a fresh, confined process for each point.

    Args:
        path: the file.
        space: the parameters.
        sandbox: an open sandbox; the caller closes it.
        minimise: whether small values are good.
        cpu_s: CPU seconds that one evaluation may use.
        tries: how often an evaluation is tried when the sandbox itself fails.

    Raises:
        InputError: the file cannot be used.
    """

    path: Path
    space: "Space"
    sandbox: "Sandbox"
    minimise: bool = True
    cpu_s: float = 60.0
    memory_mib: int = 2048
    tries: int = 2
    optimum: float | None = None

    def __post_init__(self) -> None:
        read_file(self.path)

    @property
    def name(self) -> str:
        """The file's path."""
        return str(self.path)

    def evaluate(self, point: Point) -> Measurement:
        """Return what the objective says of a point."""
        from ...sandbox import ArraySpec, Limits, OutcomeKind, Program

        driver = files(__package__).joinpath("sandboxed_driver.py").read_text(encoding="utf-8")
        program = Program(code=read_file(self.path), function=FUNCTION, driver=driver)
        text = np.frombuffer(json.dumps(dict(point)).encode(), dtype=np.uint8)
        limits = Limits(cpu_s=self.cpu_s, memory_mib=self.memory_mib)
        for _ in range(self.tries):
            outcome = self.sandbox.run(
                program, {"point": text}, {"result": ArraySpec("<f8", (2,))}, limits
            )
            if outcome.kind is not OutcomeKind.SANDBOX_FAILURE:
                break
        if outcome.kind is not OutcomeKind.OK:
            where = f", line {outcome.line}" if outcome.line else ""
            message = f"{outcome.kind.value}{where}: {outcome.message}"
            return Measurement(None, message=message, seconds=outcome.wall_s)
        value, noise = (float(one) for one in outcome.arrays["result"])
        return Measurement.of(value, None if noise == -1.0 else noise, outcome.wall_s)
