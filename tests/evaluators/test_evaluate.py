"""Tests of one evaluation with a scripted sandbox: what is scored, and by whom."""

import gc

import numpy as np
import pytest

from eurisko.evaluators import Dataset, UnknownInterface, evaluate, get_problem
from eurisko.sandbox import Limits, OutcomeKind

TSP = get_problem("tsp_construct")


def square() -> Dataset:
    """Four corners of a unit square; the shortest tour has length 4."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    distances = np.linalg.norm(corners[:, None] - corners[None], axis=-1)
    return Dataset("square", {"distances": distances[None]}, np.array([4.0]), "made here")


def test_decisions_are_scored_outside(scripted_sandbox) -> None:
    """The objective comes from the tours and our own distances; resources from the sandbox."""
    crossing = {"tours": np.array([[0, 2, 1, 3]])}
    sandbox = scripted_sandbox(OutcomeKind.OK, crossing, "")
    limits = Limits(cpu_s=1.0)
    data = square()
    result = evaluate(sandbox, TSP, "scalar", "code", data, limits, seed=5)
    length = 2 + 2 * 2**0.5
    assert result.kind is OutcomeKind.OK
    assert result.raw is not None and result.gaps is not None
    np.testing.assert_allclose(result.raw, [length])
    assert result.objective == pytest.approx(100 * (length / 4 - 1))
    assert (result.cpu_s, result.wall_s, result.peak_mib) == (0.5, 0.75, 3.0)
    assert (result.isolation, result.dataset) == ("scripted", "square")
    assert result.dataset_digest == data.digest
    program, _, expects, used, seed, device = sandbox.asked[0]
    assert (program.code, program.function) == ("code", "select_next_node")
    assert (expects["tours"].dtype, expects["tours"].shape) == ("<i8", (1, 4))
    assert (used, seed, device) == (limits, 5, "cpu")


def test_forged_tours_are_infeasible(scripted_sandbox) -> None:
    """Tours that skip a city get no objective, whatever the sandbox said about them."""
    forged = scripted_sandbox(OutcomeKind.OK, {"tours": np.array([[0, 1, 1, 0]])}, "")
    result = evaluate(forged, TSP, "batched", "code", square())
    assert result.kind is OutcomeKind.INFEASIBLE
    assert result.objective is None and result.raw is None and result.gaps is None
    assert result.message == "instance 0: city 0 is visited 2 times, city 2 never"


def test_failures_pass_through(scripted_sandbox) -> None:
    """An outcome that is not ok is a result with its reason and without an objective."""
    failed = scripted_sandbox(OutcomeKind.TIMEOUT, {}, "too slow")
    result = evaluate(failed, TSP, "batched", "code", square())
    assert (result.kind, result.message, result.objective) == (
        OutcomeKind.TIMEOUT,
        "too slow",
        None,
    )


def test_unknown_interface_is_refused(scripted_sandbox) -> None:
    """A misspelt interface is the caller's error and names what there is."""
    sandbox = scripted_sandbox(OutcomeKind.OK, {}, "")
    with pytest.raises(UnknownInterface, match="did you mean batched"):
        evaluate(sandbox, TSP, "batch", "code", square())
    assert sandbox.asked == []


def test_inputs_are_sealed_once_per_data_set(scripted_sandbox) -> None:
    """Two evaluations share one sealed copy of the data; another data set has its own."""
    sandbox = scripted_sandbox(OutcomeKind.TIMEOUT, {}, "")
    data = square()
    for _ in range(2):
        evaluate(sandbox, TSP, "batched", "code", data)
    evaluate(sandbox, TSP, "batched", "code", square())
    first, second, third = (inputs for _, inputs, *_ in sandbox.asked)
    assert first is second and first is not third
    gc.collect()
