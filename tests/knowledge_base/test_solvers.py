"""Solvers are stored once, found by what they solve, and ranked by how they did."""

import threading
from typing import Any

import pytest

from eurisko.knowledge_base import KnowledgeBase, Solver, SolverKey, UnknownSolver

COST = ((("cost", 1.0),),)


def key(**changes: Any) -> SolverKey:
    given = {
        "constraints": ["visit", "depot", "closed", "capacity"],
        "fields": ["NAME", "CAPACITY", "DEMAND_SECTION"],
        "format": "vrplib",
        "rounding": "nearest",
        "objective": COST,
    }
    return SolverKey.of(**{**given, **changes})


def add(
    base: KnowledgeBase, code: str = "x = 1\n", of: SolverKey | None = None, **more: Any
) -> Solver:
    fields = {"type": "CVRP", "description": {}, "checks": {}, "origin": "test", **more}
    return base.solvers.add(of or key(), code, **fields)


def use(base: KnowledgeBase, solver: Solver, feasible: bool) -> None:
    base.solvers.note_use(
        solver.id, text="file", name="a", feasible=feasible, values=[1.0], seconds=0.1
    )


def test_equal_problems_have_one_key() -> None:
    """Order, doubles and fields without meaning do not matter; all else does."""
    same = key(
        constraints=["capacity", "closed", "visit", "depot", "visit"],
        fields=["DEMAND_SECTION", "CAPACITY", "COMMENT", "DIMENSION"],
    )
    assert same == key() and same.digest == key().digest
    others = [
        key(constraints=["visit", "depot", "open", "capacity"]),
        key(fields=["CAPACITY"]),
        key(format="json"),
        key(rounding="none"),
        key(objective=((("vehicles", 1.0),), (("cost", 1.0),))),
    ]
    assert len({one.digest for one in [key(), *others]}) == 6


def test_a_solver_is_stored_once(base: KnowledgeBase) -> None:
    """The same program for the same problem is one row, whatever its layout; for another one two."""
    first = add(base)
    assert add(base, "x  =  1  # a comment\n").id == first.id
    assert add(base, "x = 2\n").id != first.id
    assert add(base, of=key(rounding="none")).id != first.id
    assert len(base.solvers.all()) == 3


def test_threads_that_store_the_same_solver_get_one(base: KnowledgeBase) -> None:
    """Eight at once end with one row."""
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(add(base).id)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1 and len(base.solvers.all()) == 1


def test_the_most_reliable_is_found_first(base: KnowledgeBase) -> None:
    """One that failed comes after one that did not; solvers of other problems never."""
    bad, good = add(base, "x = 1\n"), add(base, "x = 2\n")
    add(base, "x = 3\n", key(rounding="none"))
    use(base, bad, True)
    use(base, bad, False)
    use(base, good, True)
    assert [one.id for one in base.solvers.find(key())] == [good.id, bad.id]
    newest = add(base, "x = 4\n")
    assert [one.id for one in base.solvers.find(key())] == [newest.id, good.id, bad.id]
    assert base.solvers.find(key(format="csv")) == []


def test_uses_are_counted(base: KnowledgeBase) -> None:
    """Records say how often a solver was right; a solver that was never used has none."""
    solver, idle = add(base), add(base, "x = 2\n")
    use(base, solver, True)
    use(base, solver, False)
    records = base.solvers.records([solver.id, idle.id])
    assert (records[solver.id].uses, records[solver.id].feasible) == (2, 1)
    assert idle.id not in records
    assert [one.feasible for one in base.solvers.uses(solver.id)] == [True, False]


def test_solvers_are_named_by_their_beginning(base: KnowledgeBase) -> None:
    """The whole id, a unique beginning, or last; else a sentence."""
    first, second = add(base), add(base, "x = 2\n", type="SOP")
    assert base.solvers.get(first.id).id == first.id
    assert base.solvers.get("SO").id == second.id
    assert base.solvers.get("last").id == second.id
    with pytest.raises(UnknownSolver, match="eurisko solvers"):
        base.solvers.get("nothing")
    third = add(base, "x = 3\n")
    with pytest.raises(UnknownSolver, match="several"):
        base.solvers.get("CVRP")
    assert third.id.startswith("CVRP-")
