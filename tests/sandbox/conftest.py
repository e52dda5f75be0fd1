"""One warm sandbox for all tests of this folder, and small helpers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from eurisko.sandbox import ArraySpec, Inputs, Limits, Outcome, Program, Sandbox

DRIVER = """
import numpy as np

class Infeasible(Exception):
    outcome = "infeasible"

class Bad(Exception):
    outcome = "bad_result"

def solve(heuristic, inputs, device):
    value = heuristic(inputs["values"])
    if isinstance(value, str):
        raise (Infeasible if value == "infeasible" else Bad)("the driver says " + value)
    if isinstance(value, dict):
        return value
    return {"answer": np.asarray(value, dtype="<f8")}
"""
VALUES = np.arange(6, dtype="<f8")
EXPECTS = {"answer": ArraySpec("<f8", (6,))}


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=4, policy=None) as warm:
        yield warm


@pytest.fixture(scope="session")
def inputs() -> Iterator[Inputs]:
    with Inputs({"values": VALUES}) as arrays:
        yield arrays


class Try:
    """Runs one candidate with the usual driver, inputs and expected result."""

    def __init__(self, sandbox: Sandbox, inputs: Inputs) -> None:
        self.sandbox, self.inputs = sandbox, inputs

    def __call__(self, code: str, limits: Limits | None = None, **options: Any) -> Outcome:
        expects = options.pop("expects", EXPECTS)
        driver = options.pop("driver", DRIVER)
        return self.sandbox.run(
            Program(code, "heuristic", driver),
            options.pop("inputs", self.inputs),
            expects,
            limits or Limits(cpu_s=5.0, wall_s=30.0),
            **options,
        )


@pytest.fixture(scope="session")
def attempt(sandbox: Sandbox, inputs: Inputs) -> Try:
    return Try(sandbox, inputs)
