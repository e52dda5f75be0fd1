"""A rule outside the vocabulary in a session: confirmed, checked in the lent, labelled, undone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_endpoint import ScriptedEndpoint

from eurisko.agents.models import open_gateway
from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import Answer, NoPlan, Request, RoutingSession, SessionData
from eurisko.agents.routing.session.from_memory import OpenSandbox
from eurisko.cli.chat_desk import Desk
from eurisko.cli.chat_talk import Talk
from eurisko.evaluators.routing import Plan, Route, RoutingError

NODES = [{"id": "d", "kind": "depot", "x": 0, "y": 0}]
NODES += [{"id": f"c{n}", "x": n, "y": 1, "delivery": 1} for n in range(1, 4)]
TEXT = json.dumps({"nodes": NODES, "vehicles": [{"capacity": 3}]})
CODE = """def check(routes, vehicles, times, instance):
    rows = {name: row for row, name in enumerate(instance["node_ids"])}
    for number, route in enumerate(routes, 1):
        if (rows["c1"] in route) != (rows["c2"] in route):
            return False, f"route {number} visits only one of c1 and c2"
    return True, ""
"""
RULE = {
    "name": "together",
    "request": "c1 and c2 on one vehicle",
    "meaning": "Customers c1 and c2 are in the same route.",
    "code": CODE,
    "accepted": [[0, 1, 2, 0]],
    "rejected": [[0, 1, 0], [0, 2, 0]],
}
APART = Plan((Route((0, 1, 0)), Route((0, 2, 3, 0))))
TOGETHER = Plan((Route((0, 1, 2, 0)), Route((0, 3, 0))))


class Fixed:
    """A solver that always answers the same."""

    def __init__(self, name: str, plan: Plan) -> None:
        self.name, self.plan = name, plan

    def solve(self, request: Request) -> Answer:
        return Answer(self.name, self.plan)


def test_its_verdict_counts_and_is_labelled(lent: OpenSandbox) -> None:
    """A plan that keeps the vocabulary but not the rule is rejected; the right one says who checked."""
    data = SessionData(path="x.json", text=TEXT)
    session = RoutingSession(data, (Fixed("one", APART),), lent)
    assert session.solve()[0].checked_by == "vocabulary"
    change = ANY_CHANGE.validate_python({"kind": "generated", "rule": RULE})
    changed = session.change(change)
    assert "a rule that a model wrote" in changed.sentence
    assert changed.report is not None
    assert changed.report.broken == {"generated:together"}
    with pytest.raises(NoPlan, match="visits only one of c1 and c2"):
        session.solve()
    again = RoutingSession.restore(session.to_json())
    again.sandbox = lent
    again.sources = (Fixed("one", APART), Fixed("two", TOGETHER))
    solved, report = again.solve()
    assert report.feasible
    assert (solved.solver, solved.checked_by) == ("two", "generated rules")
    with pytest.raises(RoutingError, match="undo it first"):
        again.change(ANY_CHANGE.validate_python({"kind": "drop", "customers": ["c3"]}))
    again.undo()
    assert again.task.extra == ()


class Said:
    """The user's lines from a list."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def read(self, prompt: str, *, remember: bool = True) -> str | None:
        return self.lines.pop(0) if self.lines else None


def test_it_is_offered_where_no_rule_says_it(
    lent: OpenSandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    scripted_endpoint: Callable[[Any], ScriptedEndpoint],
) -> None:
    """Asked for, shown with its examples, and taken only by a yes; a no leaves the problem."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    unclear = {"unclear": [{"text": "c1 and c2 ride together", "why": "no such kind"}]}
    rule = (
        f"{{{RULE['meaning']}}}\nNAME: together\nACCEPTED: {RULE['accepted']}\n"
        f"REJECTED: {RULE['rejected']}\n```python\n{CODE}```\n"
    )
    answers = [json.dumps(unclear), rule, "ACCEPT"]
    endpoint = scripted_endpoint(lambda messages, number: answers[number % 3])
    (tmp_path / "x.json").write_text(TEXT)
    with open_gateway("openai/scripted", base_url=endpoint.base_url) as gateway:
        desk = Desk(gateway=gateway)
        talk = Talk(desk, Said("y", "n", "y", "y", "n"))
        desk.begin(tmp_path / "x.json")
        desk.problem.sandbox = lent
        assert talk.handle("c1 with c2, always")
        assert desk.problem.data.steps == ()
        assert talk.handle("c1 with c2, as ever")
    shown = capsys.readouterr().out
    assert "it rejects for example the routes d c1 d; d c2 d" in shown
    assert "the rule was not confirmed" in shown
    assert [one.label for one in desk.problem.task.extra] == ["generated:together"]


def test_a_model_cannot_slip_code_into_changes() -> None:
    """The reader of sentences may not answer with a generated rule."""
    from eurisko.agents.routing.interpret.by_model import Unusable, _meaning

    session = RoutingSession(SessionData(path="x.json", text=TEXT))
    reply = json.dumps({"changes": [{"kind": "generated", "rule": RULE}]})
    with pytest.raises(Unusable, match="no kind 'generated'"):
        _meaning(reply, session.task)
