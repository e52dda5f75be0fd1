"""Shared helpers: shared instance files, drivers run in this process, a scripted sandbox."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eurisko.evaluators import Dataset, Interface
from eurisko.sandbox import ArraySpec, Inputs, Limits, Outcome, OutcomeKind, Program, Rows

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tsplib_folder() -> Path:
    """The folder of public TSPLIB files; skips where it is not there."""
    shared = Path(os.environ.get("EURISKO_SHARED", ROOT.parent / "shared"))
    folder = shared / "data" / "tsplib"
    if not folder.is_dir():
        pytest.skip(f"no public instance files at {folder}; set EURISKO_SHARED")
    return folder


@pytest.fixture(scope="session")
def drive() -> Callable[[Interface, str, Dataset], dict[str, np.ndarray]]:
    """Run a heuristic with a driver in this process, as the sandbox does in its child."""

    def run(interface: Interface, code: str, data: Dataset) -> dict[str, np.ndarray]:
        driver: dict[str, Any] = {"__name__": "driver"}
        candidate: dict[str, Any] = {"__name__": "candidate"}
        exec(compile(interface.driver, "driver", "exec"), driver)
        exec(compile(code, "candidate", "exec"), candidate)
        arrays = driver["solve"](candidate[interface.function], dict(data.arrays), "cpu")
        assert isinstance(arrays, dict)
        return arrays

    return run


class ScriptedSandbox:
    """Returns one prepared outcome and remembers what it was asked."""

    def __init__(self, kind: OutcomeKind, arrays: Mapping[str, np.ndarray], message: str) -> None:
        self.outcome = Outcome(
            kind=kind,
            arrays=arrays,
            error_type=None,
            message=message,
            line=None,
            stdout="",
            cpu_s=0.5,
            wall_s=0.75,
            peak_mib=3.0,
            isolation="scripted",
        )
        self.rows: Rows | None = None
        self.asked: list[tuple[Program, Inputs, Mapping[str, ArraySpec], Limits, int, str]] = []

    def run(
        self,
        program: Program,
        inputs: Inputs,
        expects: Mapping[str, ArraySpec],
        limits: Limits,
        *,
        seed: int = 0,
        device: str = "cpu",
        rows: Rows | None = None,
    ) -> Outcome:
        self.rows = rows
        self.asked.append((program, inputs, expects, limits, seed, device))
        return self.outcome


@pytest.fixture
def scripted_sandbox() -> type[ScriptedSandbox]:
    """The class of the scripted sandbox."""
    return ScriptedSandbox
