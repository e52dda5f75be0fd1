"""Solvers from memory: run in the sandbox on the problem as it stands, and checked each time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import NoPlan, RoutingSession, SessionData
from eurisko.agents.routing.session.exporting import export
from eurisko.agents.routing.session.from_memory import MemorySource
from eurisko.sandbox import Sandbox

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


@dataclass
class Stored:
    id: str
    code: str
    summary: str = "OCVRPLTW by ruin and recreate"


class Shelf:
    """A memory that finds what it was given."""

    def __init__(self, *stored: Stored) -> None:
        self.stored = stored
        self.asked: list[tuple[frozenset[str], tuple[str, ...]]] = []

    def find(self, names, fields):
        self.asked.append((frozenset(names), tuple(fields)))
        return self.stored


class Lent:
    """A sandbox that is not closed by its borrower."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def __call__(self) -> "Lent":
        return self

    def __enter__(self) -> Sandbox:
        return self.sandbox

    def __exit__(self, *args: object) -> None:
        return None


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Lent]:
    with Sandbox(workers=1, allow_unsafe=True) as opened:
        yield Lent(opened)


def start(shelf: Shelf, sandbox: Lent) -> RoutingSession:
    data = SessionData(path="small.vrp", text=instance_text())
    return RoutingSession(data, (MemorySource(shelf, sandbox),))


def test_a_stored_solver_is_run_and_checked(sandbox: Lent, tmp_path: Path) -> None:
    """Its routes pass the checker; rules and fields were looked up; the program is exported."""
    shelf = Shelf(Stored("s1", CODE))
    session = start(shelf, sandbox)
    solved, report = session.solve(seconds=0.3, seed=1)
    assert report.feasible
    assert (solved.source, solved.solver) == ("memory", "solver s1")
    assert solved.claimed == pytest.approx(report.values[0])
    names, fields = shelf.asked[0]
    assert {"open", "capacity", "distance_limit", "time_windows"} <= names
    assert "TIME_WINDOW_SECTION" in fields
    files, _ = export(session, tmp_path, ["program"])
    text = files[0].read_text()
    assert "OCVRPLTW by ruin and recreate" in text
    compile(text, "small_solver.py", "exec")


LIAR = """
def solve(text, seconds, seed):
    return {"routes": [[0, 1]], "cost": 1.0}
"""


def test_a_wrong_solver_is_passed_over(sandbox: Lent) -> None:
    """A program that fails and one whose plan breaks a rule are named, the third is used."""
    broken = "def solve(text, seconds, seed):\n    return 1 // 0\n"
    session = start(Shelf(Stored("s1", broken), Stored("s2", LIAR), Stored("s3", CODE)), sandbox)
    solved, _ = session.solve(seconds=0.3)
    assert solved.solver == "solver s3"
    session = start(Shelf(Stored("s1", broken), Stored("s2", LIAR)), sandbox)
    with pytest.raises(NoPlan, match=r"s1: .*ZeroDivisionError.*s2: the checker rejects .*visit"):
        session.solve(seconds=0.3)


def test_a_changed_problem_is_a_file_again(sandbox: Lent) -> None:
    """Changed numbers stay in the user's format, so that the stored solver reads them."""
    session = start(Shelf(Stored("s1", CODE)), sandbox)
    session.solve(seconds=0.3)
    session.change(ANY_CHANGE.validate_python({"kind": "capacity", "capacity": 3}))
    solved, _ = session.solve(seconds=0.3)
    assert (solved.solver, len(solved.routes)) == ("solver s1", 8)


def test_what_the_format_cannot_hold_becomes_json(sandbox: Lent) -> None:
    """The user's own text while data are unchanged, JSON for rules that VRPLIB does not know."""
    reader = "def solve(text, seconds, seed):\n    raise ValueError(text[:30] + ' read')\n"
    session = start(Shelf(Stored("s1", reader)), sandbox)
    session.change(ANY_CHANGE.validate_python({"kind": "return", "rule": "closed"}))
    with pytest.raises(NoPlan, match="NAME : small TYPE"):
        session.solve(seconds=0.3)
    given = {"kind": "incompatible", "customers": ["3", "5"]}
    session.change(ANY_CHANGE.validate_python(given))
    with pytest.raises(NoPlan, match=r'ValueError: \{ "name": "small"'):
        session.solve(seconds=0.3)


def test_nothing_in_memory(sandbox: Lent) -> None:
    """Without a stored solver of these rules the reason is one sentence."""
    with pytest.raises(NoPlan, match="no solver in memory has these rules and fields"):
        start(Shelf(), sandbox).solve(seconds=0.3)
