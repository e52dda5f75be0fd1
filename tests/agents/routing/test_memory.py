"""Solver memory: only what passed is kept, it is found by what it solves, and judged at every use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from afl_instance import ROUND, SMALL

from eurisko.agents.routing.creation import Task
from eurisko.agents.routing.memory import (
    NotAccepted,
    recall,
    remember,
    remember_file,
    solver_key,
)
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

SOLVER = (Path(__file__).parents[3] / "examples" / "solvers" / "ocvrpltw.py").read_text()
OTHER = ROUND.replace("6 9 1", "6 8 2").replace("NAME : round", "NAME : other")


def task(text: str, name: str = "a.vrp") -> Task:
    reading = parse_routing(text, name)
    return Task(text, reading, analyse(reading))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def test_a_solver_is_kept_and_found_for_other_instances(
    base: KnowledgeBase, sandbox: Sandbox
) -> None:
    """Verified once, it solves another instance of the problem, feasibly by the checker."""
    kept = remember_file(base, sandbox, task(ROUND), SOLVER, seconds=0.2)
    found = recall(base, sandbox, task(OTHER, "b.vrp"), seconds=0.2, seed=1)
    assert found is not None and found.solver.id == kept.id
    assert found.report.feasible
    assert found.claimed == pytest.approx(found.report.cost)
    (use,) = base.solvers.uses(kept.id)
    assert use.feasible and use.values == pytest.approx(found.report.values)


def test_another_problem_finds_nothing(base: KnowledgeBase, sandbox: Sandbox) -> None:
    """Other rules, fields or rounding are another problem, whatever the type's name."""
    remember_file(base, sandbox, task(ROUND), SOLVER, seconds=0.2)
    renamed = SMALL.replace("TYPE : CVRP", "TYPE : OCVRPLTW")
    assert recall(base, sandbox, task(renamed), seconds=0.2, seed=1) is None
    rounded = parse_routing(ROUND, "a.vrp", rounding="nearest")
    other = Task(ROUND, rounded, analyse(rounded))
    assert solver_key(other.analysis, other.objective) != solver_key(
        task(ROUND).analysis, task(ROUND).objective
    )


def test_a_solver_that_fails_is_not_kept(base: KnowledgeBase, sandbox: Sandbox) -> None:
    """A wrong validate is found out by the probes, and nothing is stored."""
    start = SOLVER.index("def validate(")
    end = SOLVER.index("\ndef ", start + 1)
    forged = (
        SOLVER[:start]
        + "def validate(routes, instance, D):\n    return True, ''\n\n"
        + SOLVER[end:]
    )
    with pytest.raises(NotAccepted, match="not accepted"):
        remember_file(base, sandbox, task(ROUND), forged, seconds=0.2)
    assert base.solvers.all() == []


def test_a_stored_solver_that_errs_is_passed_over(base: KnowledgeBase, sandbox: Sandbox) -> None:
    """A plan that the checker refuses counts against its solver, and the next one is asked."""
    this = task(ROUND)
    key = solver_key(this.analysis, this.objective)
    fields: dict[str, Any] = {"type": "OCVRPLTW", "description": {}, "checks": {}, "origin": "x"}
    good = base.solvers.add(key, SOLVER, **fields)
    lying = "def solve(text, seconds, seed):\n    return {'routes': [[0, 1]], 'cost': 1.0}\n"
    bad = base.solvers.add(key, lying, **fields)
    crash = base.solvers.add(key, "def solve(t, s, n):\n    return 1 / 0\n", **fields)
    found = recall(base, sandbox, this, seconds=0.2, seed=1)
    assert found is not None and found.solver.id == good.id
    assert [use.feasible for use in base.solvers.uses(bad.id)] == [False]
    assert "ZeroDivisionError" in base.solvers.uses(crash.id)[0].message
    assert base.solvers.find(key)[0].id == good.id


def test_what_did_not_pass_is_not_remembered(base: KnowledgeBase) -> None:
    """A creation that ended without a verified program is refused."""

    class Failed:
        passed = False
        verified = None

    with pytest.raises(ValueError, match="passed"):
        remember(base, task(ROUND), Failed(), "x")  # type: ignore[arg-type]
