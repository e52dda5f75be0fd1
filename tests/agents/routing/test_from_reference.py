"""The reference solver as a source of plans: what it models, and what it is asked without."""

import json

import pytest

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import NoPlan, RoutingSession, SessionData
from eurisko.agents.routing.session.origins import make_sources

pytest.importorskip("pyvrp")

NODES = [{"id": "0", "kind": "depot", "x": 0, "y": 0}]
NODES += [{"id": str(n), "x": 10 * n, "y": 0, "delivery": 1} for n in (1, 2, -1, -2)]
TEXT = json.dumps({"nodes": NODES, "vehicles": [{"capacity": 2, "count": 2}]})


def start(*changes: dict) -> RoutingSession:
    session = RoutingSession(SessionData(path="line.json", text=TEXT), make_sources())
    for one in changes:
        session.change(ANY_CHANGE.validate_python(one))
    return session


def test_a_small_problem_is_solved_to_its_optimum() -> None:
    """Two vehicles, each to one end of the line and back: 80, or 40 where they stay."""
    session = start()
    solved, report = session.solve(seconds=0.2)
    assert (solved.source, solved.solver) == ("reference", "PyVRP")
    assert report.values == (80.0,)
    session.answer("return", "open")
    assert session.solve(seconds=0.2)[1].values == (40.0,)


def test_an_objective_that_it_lacks() -> None:
    """A plan under another objective is feasible all the same, and says what it is."""
    session = start({"kind": "objective", "order": ["imbalance", "cost"]})
    lines: list[str] = []
    solved, report = session.solve(seconds=0.2, listener=lines.append)
    assert report.feasible
    assert len(report.values) == 2
    if "without" in solved.solver:  # a reference solver may learn it
        assert "low cost" in solved.notes[0]
        assert any("trying without" in line for line in lines)


def test_no_plan_names_the_rule() -> None:
    """Where nothing fits the reason names a rule that the best plan breaks."""
    session = start({"kind": "fleet_size", "count": 1})
    with pytest.raises(NoPlan, match=r"PyVRP.*its best breaks (capacity|fleet)"):
        session.solve(seconds=0.2)
