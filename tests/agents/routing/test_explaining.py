"""Why there is no plan: ways out are typed changes, and each of them gives the problem a plan."""

import json

import pytest

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import RoutingSession, SessionData
from eurisko.agents.routing.session.origins import make_sources

pytest.importorskip("pyvrp")

NODES = [{"id": "0", "kind": "depot", "x": 0, "y": 0, "windows": [[0, 200]]}]
NODES += [{"id": str(n), "x": 10 * n, "y": 0, "delivery": 2} for n in (1, 2, -1, -2)]
TEXT = json.dumps({"nodes": NODES, "vehicles": [{"capacity": 4, "count": 2, "shift": [0, 150]}]})

BLOCKED = [
    ({"kind": "fleet_size", "count": 1}, {"fleet_size", "capacity", "drop", "without"}),
    ({"kind": "route_limit", "measure": "duration", "limit": 30}, {"route_limit"}),
    ({"kind": "windows", "customers": ["2"], "intervals": [[None, 15]]}, {"windows", "drop"}),
    ({"kind": "shift", "latest": 30}, {"shift", "windows"}),
]


@pytest.mark.parametrize(("given", "kinds"), BLOCKED)
def test_each_way_out_leads_out(given: dict, kinds: set[str]) -> None:
    """After a block the ways are found as changes; taking one, the reference solver has a plan."""
    session = RoutingSession(SessionData(path="line.json", text=TEXT), make_sources())
    session.change(ANY_CHANGE.validate_python(given))
    why = session.why(seconds=2.0)
    assert why.explanation is not None
    assert not why.explanation.feasible
    found = [change for way in why.ways for change in way.changes]
    assert {change.kind for change in found} & kinds
    first = next(way for way in why.ways if way.changes)
    for change in first.changes:
        session.change(change)
    _, report = session.solve(seconds=0.3)
    assert report.feasible
    assert report.values[0] <= first.cost + 1e-6 or "drop" in {c.kind for c in first.changes}


def test_a_problem_with_a_plan_needs_no_way_out() -> None:
    """Where a plan is found, that is said, and no change is offered."""
    session = RoutingSession(SessionData(path="line.json", text=TEXT), make_sources())
    why = session.why(seconds=2.0)
    assert why.explanation is not None
    assert why.explanation.feasible
    assert why.ways == ()
