"""One warm sandbox for all tests of this folder, and small helpers."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from eurisko.sandbox import ArraySpec, Inputs, Layers, Limits, Outcome, Program, Sandbox

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


LEVELS = {
    "L2 landlock": Layers(jail=False),
    "L2 no opens": Layers(jail=False, landlock=False),
    "L3": Layers(),
}


@pytest.fixture(scope="session")
def forts(sandbox: Sandbox) -> Iterator[dict[str, Sandbox]]:
    """One warm sandbox for each of ``LEVELS``, shared by all modules; L3 is the usual one."""
    with (
        Sandbox(workers=2, policy=None, layers=LEVELS["L2 landlock"]) as ruled,
        Sandbox(workers=2, policy=None, layers=LEVELS["L2 no opens"]) as closed,
    ):
        yield {"L2 landlock": ruled, "L2 no opens": closed, "L3": sandbox}


@pytest.fixture(params=LEVELS)
def fort(request: pytest.FixtureRequest, forts: dict[str, Sandbox]) -> Sandbox:
    """Each of the levels in turn; skips L3 where there is no jail."""
    chosen = forts[request.param]
    report = chosen.report()
    if request.param == "L3" and "jail" in report.missing:
        pytest.skip(f"no jail here: {report.missing['jail']}")
    assert report.level.label.startswith(request.param[:2]), report.explain()
    return chosen


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


contained_count: Counter[str] = Counter()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many hostile programs were contained at each level."""
    for level, count in contained_count.items():
        terminalreporter.write_line(f"sandbox attacks contained at {level}: {count}")
