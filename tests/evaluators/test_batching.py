"""Batches of every problem: divided where memory is small, with the same decisions."""

from collections.abc import Iterator

import numpy as np
import pytest

from eurisko.evaluators import Evaluation, GeneratingProblem, evaluate, get_problem, problem_names
from eurisko.evaluators.batching import rows_of
from eurisko.evaluators.problem import OnlineProblem
from eurisko.sandbox import Limits, OutcomeKind, Program, Rows, Sandbox

INSTANCES = 5
SMALL = {
    "tsp_construct": 9,
    "tsp_gls": 9,
    "cvrp_construct": 9,
    "cvrp_aco": 9,
    "flow_shop": "6x3",
    "flow_shop_gls": "6x3",
    "job_shop": "4x3",
}
DRAWS = ("cvrp_aco",)
"""Problems whose solver draws random numbers: each batch draws anew from the start."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as opened:
        yield opened


def test_every_generating_problem_is_here() -> None:
    """A new problem with a generator is to be added above."""
    found = {
        name
        for name in problem_names()
        if isinstance(problem := get_problem(name), GeneratingProblem)
        and not isinstance(problem, OnlineProblem)
    }
    assert found == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_parts_decide_what_the_whole_decides(sandbox: Sandbox, name: str) -> None:
    """Two at a time give the decisions of five at once, in their order."""
    problem = get_problem(name)
    assert isinstance(problem, GeneratingProblem)
    data = problem.generate(SMALL[name], INSTANCES, 3)
    face = problem.spec.interface(problem.spec.default_interface)
    program = Program(face.seed, face.function, face.driver, face.modules)
    expects = problem.expects(data, face.name)
    limits = Limits(cpu_s=60.0, memory_mib=1024)
    two = Rows(INSTANCES, 1024 * 2**20 // 2)
    assert two.within(1024 * 2**20) == 2
    whole = sandbox.run(program, data.arrays, expects, limits)
    parts = sandbox.run(program, data.arrays, expects, limits, rows=two)
    assert whole.ok and parts.ok, parts.message
    compared = 2 if name in DRAWS else INSTANCES
    for key, array in whole.arrays.items():
        assert len(parts.arrays[key]) == INSTANCES
        if name not in DRAWS:
            np.testing.assert_array_equal(parts.arrays[key][:compared], array[:compared])
    problem.score(data, parts.arrays)  # all of them are feasible


def test_a_large_set_is_evaluated_under_a_small_limit(sandbox: Sandbox) -> None:
    """More instances than the memory holds at once: scored as under a large limit."""
    problem = get_problem("tsp_construct")
    assert isinstance(problem, GeneratingProblem)
    data = problem.generate(120, 128, 0)
    seed = problem.spec.interface("batched").seed
    found: list[Evaluation] = []
    for memory_mib in (128, 2048):
        limits = Limits(cpu_s=60.0, memory_mib=memory_mib)
        rows = rows_of(problem, data, problem.expects(data, "batched"))
        assert rows is not None
        assert (rows.within(memory_mib * 2**20) == data.instances) == (memory_mib == 2048)
        found.append(evaluate(sandbox, problem, "batched", seed, data, limits))
        assert found[-1].kind is OutcomeKind.OK, found[-1].message
    np.testing.assert_array_equal(found[0].raw, found[1].raw)
    assert found[0].peak_mib < found[1].peak_mib


def test_rows_cover_what_the_solvers_take(scripted_sandbox: type) -> None:
    """Every evaluation says how many instances there are and guesses more than their arrays take."""
    for name, size in SMALL.items():
        problem = get_problem(name)
        assert isinstance(problem, GeneratingProblem)
        data = problem.generate(size, INSTANCES, 0)
        sandbox = scripted_sandbox(OutcomeKind.TIMEOUT, {}, "")
        evaluate(sandbox, problem, problem.spec.default_interface, "code", data)
        assert sandbox.rows.count == INSTANCES
        size_of = sum(array.nbytes for array in data.arrays.values())
        assert sandbox.rows.bytes_each * INSTANCES >= 8 * size_of
