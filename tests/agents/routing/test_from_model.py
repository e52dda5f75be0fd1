"""Solvers that a model writes: created through a scripted endpoint, run again, checked each time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from afl_instance import ROUND
from afl_script import Modeller, parts
from scripted_endpoint import ScriptedEndpoint

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.creation import CreateBudgets, CreateSettings
from eurisko.agents.routing.session import NoPlan, RoutingSession, SessionData
from eurisko.agents.routing.session.from_memory import OpenSandbox
from eurisko.agents.routing.session.from_model import CreatedSource
from eurisko.knowledge_base import KnowledgeBase

ROOT = Path(__file__).resolve().parents[3]
FUNCTIONS = parts((ROOT / "examples" / "solvers" / "ocvrpltw.py").read_text())


@pytest.fixture
def start(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lent: OpenSandbox,
    scripted_endpoint: Callable[[Any], ScriptedEndpoint],
) -> Callable[..., tuple[RoutingSession, Modeller]]:
    """Return a session whose only source is a model that can write one solver."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'kb.db'}")

    def begin(confirm: Any = None, **more: Any) -> tuple[RoutingSession, Modeller]:
        modeller = Modeller(FUNCTIONS)
        settings = CreateSettings(
            model="openai/scripted",
            base_url=scripted_endpoint(modeller).base_url,
            runs_folder=tmp_path,
            **more,
        )
        source = CreatedSource(settings, lent, confirm)
        return RoutingSession(SessionData(path="round.vrp", text=ROUND), (source,)), modeller

    return begin


@pytest.mark.slow
def test_created_once_and_used_again(start) -> None:
    """The plan is the program's; it is remembered, and changed numbers need no second creation."""
    session, model = start()
    lines: list[str] = []
    solved, report = session.solve(seconds=0.3, listener=lines.append)
    assert report.feasible
    assert (solved.source, solved.solver) == ("created", "created solver")
    assert "19 model calls" in solved.notes[0]
    assert "passed all" in solved.notes[0]
    assert "def solve(" in solved.code
    assert any(line.startswith("write destroy") for line in lines)
    with KnowledgeBase() as base:
        (stored,) = base.solvers.all()
    assert (stored.code, stored.origin) == (solved.code, "openai/scripted")
    session.change(ANY_CHANGE.validate_python({"kind": "capacity", "capacity": 20}))
    again, _ = session.solve(seconds=0.3)
    assert again.values[0] <= solved.values[0]
    assert len(model.seen) == 19


def test_the_description_is_confirmed_first(start) -> None:
    """Declined, nothing is written and the reason is said."""
    shown: list[str] = []

    def decline(description: Any) -> bool:
        shown.extend(description.lines())
        return False

    session, model = start(confirm=decline)
    with pytest.raises(NoPlan, match="description was not accepted"):
        session.solve(seconds=0.3)
    assert any("time_windows" in line for line in shown)
    assert not [kind for kind in model.seen if kind.startswith("write")]


def test_a_generated_rule_reaches_the_creation(start) -> None:
    """What the session checks by generated code is part of the description that is written from."""
    shown: list[str] = []
    session, _ = start(confirm=lambda described: shown.extend(described.lines()) is not None)
    rule = {
        "name": "apart",
        "request": "keep 2 and 3 apart",
        "meaning": "Customers 2 and 3 never share a route.",
        "code": "def check(routes, vehicles, times, instance):\n    return True, ''\n",
        "accepted": [[0, 1], [0, 2]],
        "rejected": [[0, 1, 2]],
    }
    session.change(ANY_CHANGE.validate_python({"kind": "generated", "rule": rule}))
    with pytest.raises(NoPlan, match="description was not accepted"):
        session.solve(seconds=0.3)
    assert any("generated:apart: Customers 2 and 3 never share a route." in one for one in shown)


def test_a_spent_budget_is_a_reason(start) -> None:
    """A creation that ends early says why, and gives no plan."""
    session, model = start(budgets=CreateBudgets(calls=4))
    with pytest.raises(NoPlan, match=r"created solver: .*calls"):
        session.solve(seconds=0.3)
    assert len(model.seen) == 4
