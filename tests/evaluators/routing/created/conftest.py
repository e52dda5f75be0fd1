"""Shared helpers of the tests of created solvers: one sandbox, the hand-written programs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.afl.instances import make_text
from eurisko.evaluators.routing import Reading, parse_routing
from eurisko.sandbox import Sandbox

PROGRAMS = Path(__file__).resolve().parents[4] / "examples" / "solvers"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all tests of created solvers."""
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    """Return the text of a hand-written program."""
    return lambda name: (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def made() -> Callable[[str, int], tuple[str, Reading]]:
    """Return text and reading of a project-made instance of a variant."""

    def make(variant: str, customers: int = 10) -> tuple[str, Reading]:
        text = make_text(variant, customers, 7)
        return text, parse_routing(text, f"{variant}.vrp")

    return make
