"""Helpers of the sandbox tests."""

from typing import Any

import numpy as np

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
