"""Runs divided along the rows of their inputs: as many at once as memory holds, the same results."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eurisko.sandbox
from eurisko.sandbox import ArraySpec, Limits, OutcomeKind, Program, Rows, Sandbox

MIB = 2**20
DRIVER = """
def solve(heuristic, inputs, device):
    return {"answer": heuristic(inputs["values"])}
"""


def _far_side() -> ModuleType:
    """The module as the child loads it: a file on its own."""
    path = Path(eurisko.sandbox.__file__).parent / "jailed" / "batches.py"
    spec = importlib.util.spec_from_file_location("batches", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAR_SIDE = _far_side()
FAR_SIDE._give_memory_back = lambda: None  # type: ignore[attr-defined] - slow in a large process
in_batches: Callable[..., dict[str, np.ndarray]] = FAR_SIDE.in_batches


@given(count=st.integers(1, 40), first=st.integers(1, 60), holds=st.integers(1, 60))
def test_every_row_is_solved_once_whatever_fits(count: int, first: int, holds: int) -> None:
    """No batch is larger than asked; a size that failed is halved and not tried again."""
    tried: list[int] = []
    drawn = [0]

    def solve(part: dict[str, Any]) -> dict[str, Any]:
        tried.append(len(part["a"]))
        assert len(part["a"]) == len(part["b"])
        if tried[-1] > holds:
            drawn[0] += 99
            raise MemoryError
        return {"sum": part["a"] + part["b"][:, 0], "draw": np.full(tried[-1], drawn[0])}

    def seed(row: int) -> None:
        drawn[0] = row

    a, b = np.arange(count), np.arange(3 * count).reshape(count, 3)
    found = in_batches(solve, {"a": a, "b": b}, count, first, seed)
    np.testing.assert_array_equal(found["sum"], a + b[:, 0])
    failed = [size for size in tried if size > holds]
    assert tried[: len(failed)] == failed and max(tried) <= first
    expected, at = [], 0
    for size in tried[len(failed) :]:
        expected += [at] * size  # each batch draws as if nothing had been drawn before it
        at += size
    np.testing.assert_array_equal(found["draw"], expected)


@pytest.mark.parametrize(
    ("error", "tries"),
    [(ValueError("no"), 1), (RuntimeError("no"), 1), (MemoryError(), 4), (None, 4)],
)
def test_what_does_not_fit_at_all_is_told(error: Exception | None, tries: int) -> None:
    """Other errors pass at once; lack of memory does when one row does not fit either."""
    raised = error or RuntimeError("CUDA out of memory. Tried to allocate")
    calls = []

    def solve(part: dict[str, Any]) -> dict[str, Any]:
        calls.append(len(part["a"]))
        raise raised

    with pytest.raises(type(raised)):
        in_batches(solve, {"a": np.arange(8)}, 8, 8, lambda row: None)
    assert len(calls) == tries


def test_rows_that_need_too_much_are_solved_apart(sandbox: Sandbox) -> None:
    """A program that fails for memory in one go succeeds in batches, with the same result."""
    code = (
        "import numpy as np\n"
        "def heuristic(values):\n"
        "    big = np.ones((len(values), 8 << 20)) * values[:, None]\n"  # 64 MiB a row
        "    return big[:, -1] * 2\n"
    )
    values = np.arange(12, dtype="<f8")
    program = Program(code, "heuristic", DRIVER)
    expects = {"answer": ArraySpec("<f8", (12,))}
    limits = Limits(cpu_s=20.0, memory_mib=600)
    whole = sandbox.run(program, {"values": values}, expects, limits)
    assert whole.kind is OutcomeKind.MEMORY
    for each in (150 * MIB, 55 * MIB):  # a good guess, and one that is too small
        rows = Rows(12, each)
        assert rows.within(600 * MIB) < 12
        outcome = sandbox.run(program, {"values": values}, expects, limits, rows=rows)
        assert outcome.ok, outcome.message
        np.testing.assert_array_equal(outcome.arrays["answer"], 2 * values)
    assert Rows(1000, MIB).within(100 * MIB) == 100  # a small limit holds small rows, and many
    few = sandbox.run(program, {"values": values}, expects, limits, rows=Rows(12, MIB))
    assert few.kind is OutcomeKind.MEMORY  # it was to fit: the fault is the program's


def test_inputs_do_not_count_as_the_programs_memory(sandbox: Sandbox) -> None:
    """Arrays larger than the limit can be read under it."""
    values = np.ones((100, MIB // 8))
    program = Program("def heuristic(values):\n    return values.sum(axis=1)", "heuristic", DRIVER)
    expects = {"answer": ArraySpec("<f8", (100,))}
    outcome = sandbox.run(program, {"values": values}, expects, Limits(memory_mib=64))
    assert outcome.ok, outcome.message
    np.testing.assert_array_equal(outcome.arrays["answer"], np.full(100, MIB / 8))


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (MemoryError(), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling"), True),
        (RuntimeError("CUDA error: an illegal memory access was encountered"), False),
        (RuntimeError("out of memory"), False),
        (ValueError("CUDA out of memory"), False),
    ],
)
def test_lack_of_memory_is_told_from_other_errors(error: Exception, wanted: bool) -> None:
    """By what torch and its libraries say."""
    assert FAR_SIDE.out_of_memory(error) == wanted


@pytest.mark.parametrize(("count", "each"), [(0, 1), (1, 0), (-1, 5)])
def test_rows_are_positive(count: int, each: int) -> None:
    """No rows, or rows without size, are refused."""
    with pytest.raises(ValueError, match="positive"):
        Rows(count, each)
