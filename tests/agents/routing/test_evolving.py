"""A created solver's function as a problem: fixed rounds, judged outside, evolved, and adopted."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from afl_instance import ROUND
from scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution import EvolutionSettings, evolve
from eurisko.agents.routing.creation import Task
from eurisko.agents.routing.evolving import Wanted, adopt, make_problem
from eurisko.agents.routing.memory import remember_file
from eurisko.evaluators import Infeasible, InputError, evaluate, get_problem
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.created.function_problem import FunctionProblem
from eurisko.evaluators.routing.created.small import part_of
from eurisko.knowledge_base import KnowledgeBase, Solver
from eurisko.sandbox import OutcomeKind, Sandbox

SOLVER = (Path(__file__).parents[3] / "examples" / "solvers" / "ocvrpltw.py").read_text()
BETTER = """
def destroy(routes, instance, D, ratio, rng):
    rows = [row for route in routes for row in route[1:]]
    count = max(1, int(ratio * len(rows)))
    removed = [int(row) for row in rng.permutation(rows)[:count]]
    left = [[row for row in route if row not in removed] for route in routes]
    return [route for route in left if len(route) > 1], removed
"""
RAISES = "def destroy(routes, instance, D, ratio, rng):\n    return 1 / 0"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("kb")
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as opened:
        yield opened


@pytest.fixture(scope="module")
def solver(base: KnowledgeBase, sandbox: Sandbox) -> Solver:
    reading = parse_routing(ROUND, "round.vrp")
    task = Task(ROUND, reading, analyse(reading))
    return remember_file(base, sandbox, task, SOLVER, seconds=0.2)


@pytest.fixture(scope="module")
def folder(
    base: KnowledgeBase,
    sandbox: Sandbox,
    solver: Solver,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    there = tmp_path_factory.mktemp("problem")
    instance = there / "round.vrp"
    instance.write_text(ROUND)
    wanted = Wanted(solver, "destroy", (instance,), rounds=30)
    return make_problem(base, sandbox, wanted, there / "destroy")


@pytest.fixture(scope="module")
def problem(folder: Path) -> FunctionProblem:
    found = get_problem(str(folder))
    assert isinstance(found, FunctionProblem)
    return found


def test_the_stored_function_has_gap_zero(problem: FunctionProblem, sandbox: Sandbox) -> None:
    """It is its own reference: fixed rounds and seeds give the same routes every time."""
    seed = problem.spec.interface("function").seed
    for split in ("search", "test"):
        found = evaluate(sandbox, problem, "function", seed, problem.dataset(split))
        assert found.kind is OutcomeKind.OK, found.message
        assert found.gaps is not None
        np.testing.assert_array_equal(found.gaps, 0.0)


def test_another_function_is_run_in_its_place(problem: FunctionProblem, sandbox: Sandbox) -> None:
    """Another destroy gives other costs, feasible ones; the program's helpers may be called."""
    calls = BETTER.replace("    count", "    cost(routes, instance, D)\n    count")
    found = evaluate(sandbox, problem, "function", calls, problem.dataset("search"))
    assert found.kind is OutcomeKind.OK, found.message


FORGETS = BETTER.replace("], removed\n", "], removed[1:]\n")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (f"{BETTER}\n\n\nX = undefined_name\n", OutcomeKind.CANDIDATE_ERROR),
        (
            "def destroy(routes, instance, D, ratio, rng):\n    return routes",
            OutcomeKind.BAD_RESULT,
        ),
        (RAISES, OutcomeKind.CANDIDATE_ERROR),
    ],
)
def test_bad_functions_are_found_out(
    problem: FunctionProblem, sandbox: Sandbox, code: str, kind: OutcomeKind
) -> None:
    """A wrong form and errors each have their outcome."""
    found = evaluate(sandbox, problem, "function", code, problem.dataset("search"))
    assert found.kind is kind, found.message


def test_customers_that_vanish_gain_nothing(problem: FunctionProblem, sandbox: Sandbox) -> None:
    """Routes without them are cheaper and never kept: the result is feasible, and no better."""
    found = evaluate(sandbox, problem, "function", FORGETS, problem.dataset("search"))
    assert found.kind is OutcomeKind.OK, found.message
    honest = evaluate(sandbox, problem, "function", BETTER, problem.dataset("search"))
    assert found.gaps is not None and honest.gaps is not None
    assert found.gaps.mean() >= honest.gaps.mean()


def test_routes_are_judged_by_the_checker(problem: FunctionProblem) -> None:
    """Whatever arrays come out, the rule that they break is named."""
    data = problem.dataset("search")
    shapes = problem.expects(data, "function")
    nothing = {name: np.full(spec.shape, -1) for name, spec in shapes.items()}
    with pytest.raises(Infeasible, match="visit"):
        problem.score(data, nothing)


def test_parts_keep_what_belongs_together() -> None:
    """A part of an instance has fewer customers, all depots, and the same fleet."""
    reading = parse_routing(ROUND, "round.vrp")
    part = part_of(reading, 0.5, np.random.default_rng(0))
    assert len(part.customers) == 3 and len(part.depots) == 1
    assert part.fleet.capacity.tolist() == reading.instance.fleet.capacity.tolist()


def test_only_some_functions_can_be_evolved(
    base: KnowledgeBase, sandbox: Sandbox, solver: Solver, tmp_path: Path
) -> None:
    """A sentence names them; and a solver without an instance asks for one."""
    with pytest.raises(InputError, match="choose initial, destroy, insert"):
        make_problem(base, sandbox, Wanted(solver, "cost"), tmp_path / "a")
    with pytest.raises(InputError, match="--instances"):
        make_problem(base, sandbox, Wanted(solver, "insert"), tmp_path / "b")


def test_a_model_evolves_it_and_the_best_is_adopted(
    base: KnowledgeBase,
    sandbox: Sandbox,
    solver: Solver,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripted_endpoint: Callable[[Any], ScriptedEndpoint],
) -> None:
    """A run of the ordinary evolution, through a scripted model; its best goes back, verified."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    answers = [f"{{Random.}}\n```python\n{code}\n```" for code in (RAISES, BETTER)]
    endpoint = scripted_endpoint(lambda messages, number: answers[number % 2])
    settings = EvolutionSettings(
        problem=str(folder),
        generations=1,
        population=2,
        model="openai/scripted",
        base_url=endpoint.base_url,
        strategy="eoh",
        repair=False,
        workers=1,
        runs_folder=tmp_path,
    )
    report = evolve(settings, base, sandbox=sandbox)
    assert report.failures.get("candidate_error", 0) >= 1
    run = base.get_run(report.run.id)
    new = adopt(base, sandbox, run, BETTER, seconds=0.2)
    assert new.parent_id == solver.id and "rng.permutation" in new.code
    assert base.solvers.get(new.id).constraints == solver.constraints
