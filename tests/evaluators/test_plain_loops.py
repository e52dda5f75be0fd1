"""The plain loops of benchmarks/plain decide as the products do that they are compared with."""

from dataclasses import replace
from importlib import import_module
from itertools import islice

import numpy as np
import pytest
import torch

from eurisko.evaluators import OnlineProblem, evaluate, get_problem
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

plain = pytest.importorskip("benchmarks.plain", reason="needs the repository root")
CHECKED = {
    "acquisition": 3,
    "bin_packing_online": 1,
    "cvrp_construct": 16,
    "flow_shop": 2,
    "flow_shop_gls": 2,
    "job_shop": 32,
    "tsp_construct": 64,
    "tsp_gls": 1,
}
"""Instances compared; the ant colony is compared walk by walk in its own tests."""
FEWER = {"flow_shop_gls": 1, "tsp_gls": 4}
"""Iterations of both, where the plain loop takes long."""


@pytest.fixture(scope="module")
def sandbox():
    """One for all problems."""
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors, as in the sandbox: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", CHECKED)
def test_plain_loop_and_product_agree(name: str, sandbox, drive, monkeypatch) -> None:
    """The seed's measure is the plain loop's in each instance that is compared."""
    problem = get_problem(name)
    data = problem.dataset(problem.spec.splits["search"][0])
    face = problem.spec.interface(problem.spec.default_interface)
    if isinstance(problem, OnlineProblem):
        result = evaluate(sandbox, problem, face.name, face.seed, data, Limits(cpu_s=30.0))
        assert result.kind is OutcomeKind.OK, result.message
        found = result.raw
    else:
        torch.manual_seed(0)
        np.random.seed(0)
        if name in FEWER:
            solver = import_module(f"eurisko.evaluators.problems.{name}.solver")
            monkeypatch.setattr(solver, "ITERATIONS", FEWER[name])
            face = replace(face, driver=f"{face.driver}\nITERATIONS = {FEWER[name]}\n")
        found = problem.score(data, drive(face, face.seed, data)).raw
    loop = import_module(f"benchmarks.plain.{name}").measures(data.arrays, 0)
    count = CHECKED[name]
    np.testing.assert_allclose(list(islice(loop, count)), found[:count], rtol=1e-12)
