"""Solvers from memory: run in the sandbox on the problem as it stands, and checked each time."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import Answer, NoPlan, Request, RoutingSession, SessionData
from eurisko.agents.routing.session.exporting import export
from eurisko.agents.routing.session.from_memory import MemorySource, OpenSandbox, known_memory
from eurisko.knowledge_base import KnowledgeBase, SolverKey

ROOT = Path(__file__).resolve().parents[3]
CODE = (ROOT / "examples" / "solvers" / "ocvrpltw.py").read_text()


def instance_text(customers: int = 8) -> str:
    """An OCVRPLTW file on a plane: open routes, capacity, a length limit, windows."""
    rng = np.random.default_rng(3)
    nodes = range(1, customers + 2)
    places = rng.integers(0, 100, (customers + 1, 2))
    lines = [
        *("NAME : small", "TYPE : OCVRPLTW", f"DIMENSION : {customers + 1}", "CAPACITY : 10"),
        *("DISTANCE_LIMIT : 300", "EDGE_WEIGHT_TYPE : EUC_2D", "NODE_COORD_SECTION"),
        *(f"{n} {places[n - 1][0]} {places[n - 1][1]}" for n in nodes),
        *("DEMAND_SECTION", *(f"{n} {0 if n == 1 else 3}" for n in nodes)),
        *("TIME_WINDOW_SECTION", *(f"{n} 0 {900 if n == 1 else 500}" for n in nodes)),
        *("SERVICE_TIME_SECTION", *(f"{n} {0 if n == 1 else 10}" for n in nodes)),
        *("DEPOT_SECTION", "1", "-1", "EOF"),
    ]
    return "\n".join(lines) + "\n"


OpenBase = Callable[[], AbstractContextManager[KnowledgeBase]]


@pytest.fixture
def base(tmp_path: Path) -> OpenBase:
    """Opens a knowledge base of the test's own."""
    return lambda: KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}")


def remember(base: OpenBase, session: RoutingSession, *codes: str) -> list[str]:
    """Store programs as solvers of a session's problem; the last one is found first."""
    reading = session.analysis.reading
    facts, task = reading.facts, session.task
    key = SolverKey.of(
        task.names, facts.fields, facts.format, facts.rounding, task.objective.levels
    )
    with base() as opened:
        return [
            opened.solvers.add(
                key,
                code,
                type="OCVRPLTW",
                description={"summary": "OCVRPLTW by ruin and recreate"},
                checks={},
                origin="test",
            ).id
            for code in codes
        ]


def start(base: OpenBase, lent: OpenSandbox) -> RoutingSession:
    data = SessionData(path="small.vrp", text=instance_text())
    return RoutingSession(data, (MemorySource(base, lent),))


def test_a_stored_solver_is_run_and_checked(
    base: OpenBase, lent: OpenSandbox, tmp_path: Path
) -> None:
    """Its routes pass the checker, its use is noted, and the program is exported."""
    session = start(base, lent)
    (name,) = remember(base, session, CODE)
    solved, report = session.solve(seconds=0.3, seed=1)
    assert report.feasible
    assert (solved.source, solved.solver) == ("memory", f"solver {name}")
    assert solved.claimed == pytest.approx(report.values[0])
    with base() as opened:
        (use,) = opened.solvers.uses(name)
    assert (use.feasible, use.values) == (True, [pytest.approx(report.values[0])])
    files, _ = export(session, tmp_path, ["program"])
    text = files[0].read_text()
    assert "OCVRPLTW by ruin and recreate" in text
    compile(text, "small_solver.py", "exec")


LIAR = """
def solve(text, seconds, seed):
    return {"routes": [[0, 1]], "cost": 1.0}
"""
BROKEN = "def solve(text, seconds, seed):\n    return 1 // 0\n"
READER = "def solve(text, seconds, seed):\n    raise ValueError(text[:30] + ' read')\n"


def test_a_wrong_solver_is_passed_over(base: OpenBase, lent: OpenSandbox) -> None:
    """A program that fails and one whose plan breaks a rule are named, and noted as wrong."""
    session = start(base, lent)
    names = remember(base, session, BROKEN, LIAR)
    with pytest.raises(NoPlan) as error:
        session.solve(seconds=0.3)
    assert "ZeroDivisionError" in str(error.value)
    assert "the checker rejects its plan: visit" in str(error.value)
    with base() as opened:
        assert [record.feasible for record in opened.solvers.records(names).values()] == [0, 0]
    (right,) = remember(base, session, CODE)
    assert session.solve(seconds=0.3)[0].solver == f"solver {right}"


def test_a_changed_problem_is_a_file_again(base: OpenBase, lent: OpenSandbox) -> None:
    """Changed numbers stay in the user's format, so that the stored solver reads them."""
    session = start(base, lent)
    remember(base, session, CODE)
    session.change(ANY_CHANGE.validate_python({"kind": "capacity", "capacity": 3}))
    solved, _ = session.solve(seconds=0.3)
    assert len(solved.routes) == 8


def test_what_the_format_cannot_hold_becomes_json(base: OpenBase, lent: OpenSandbox) -> None:
    """The user's own text while data are unchanged, JSON for rules that VRPLIB does not know."""
    session = start(base, lent)
    remember(base, session, READER)
    with pytest.raises(NoPlan, match="NAME : small TYPE"):
        session.solve(seconds=0.3)
    given = {"kind": "incompatible", "customers": ["3", "5"]}
    session.change(ANY_CHANGE.validate_python(given))
    asked: list[Request] = []
    session.sources = (Asked(asked),)
    with pytest.raises(NoPlan):
        session.solve()
    text, reading = asked[0].file()
    assert text.startswith('{\n "name": "small"')
    assert reading.facts.format == "json"
    again = RoutingSession(SessionData(path="again.json", text=text))
    assert again.task.names == session.task.names


class Asked:
    """A source that remembers what it was asked."""

    name = "asked"

    def __init__(self, requests: list[Request]) -> None:
        self.requests = requests

    def solve(self, request: Request) -> Answer:
        self.requests.append(request)
        return Answer("asked", why="nothing")


def test_nothing_in_memory(
    base: OpenBase, lent: OpenSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a stored solver the user hears nothing of it, and no database file is made."""
    with pytest.raises(NoPlan) as error:
        start(base, lent).solve(seconds=0.3)
    assert error.value.tried == ()
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    with pytest.raises(NoPlan):
        start(known_memory, lent).solve(seconds=0.3)
    assert not (tmp_path / "none.db").exists()
