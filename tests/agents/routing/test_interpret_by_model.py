"""Plain English through a model: JSON that is checked, sent back once, and never trusted."""

import json

import pytest

from eurisko.agents.models.types import ModelReply, ModelRequest
from eurisko.agents.routing.changes import ANY_CHANGE, RoutingTask, shown_rules
from eurisko.agents.routing.interpret import Ask, Command
from eurisko.agents.routing.interpret.by_model import interpret_by_model
from eurisko.evaluators.routing import parse_routing

NODES = [{"id": "0", "kind": "depot", "x": 0, "y": 0}]
NODES += [{"id": str(n), "x": n, "y": 1, "delivery": 1} for n in range(1, 6)]


class Scripted:
    """Answers in order, and remembers the prompts."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    def ask(self, request: ModelRequest) -> ModelReply:
        self.prompts.append(request.messages[-1].content)
        return ModelReply(self.replies.pop(0), "scripted", 10, 10, 0.0, 0.0)


@pytest.fixture
def task() -> RoutingTask:
    content = {"nodes": NODES, "units": {"time": "min"}}
    instance = parse_routing(json.dumps(content)).instance
    return RoutingTask(instance, shown_rules(instance, {"closed"}))


def read(task: RoutingTask, *replies: str):
    model = Scripted(*replies)
    return interpret_by_model("as the model reads it", task, (), model, key="t1"), model


def test_changes_questions_commands_and_what_is_unclear(task: RoutingTask) -> None:
    """All parts of a reply arrive, typed; text around the JSON and reasoning do no harm."""
    reply = {
        "changes": [{"kind": "incompatible", "customers": ["1", "2"]}],
        "ask": [{"topic": "visit", "nodes": ["3"]}],
        "command": "solve",
        "unclear": [{"text": "red vans", "why": "colour is no rule"}],
        "say": "Done.",
    }
    found, model = read(task, f"<think>{{}}</think>Here:\n```json\n{json.dumps(reply)}\n```")
    expected = ANY_CHANGE.validate_python({"kind": "incompatible", "customers": ["1", "2"]})
    assert found.changes == (expected,)
    assert (found.asks, found.command) == ((Ask("visit", ("3",)),), Command("solve"))
    assert (found.unclear[0].text, found.said, found.by) == ("red vans", "Done.", "model")
    assert not found.understood
    assert "time min" in model.prompts[0]
    assert "route_limit" in model.prompts[0]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("I cannot do that.", "no JSON object"),
        ('{"changes": [{"kind": "teleport"}]}', "teleport"),
        ('{"changes": [{"kind": "capacity", "capacity": 5, "colour": "red"}]}', "colour"),
        ('{"changes": [{"kind": "drop", "customers": ["77"]}]}', "no node '77'"),
        ('{"changes": [{"kind": "route_limit", "measure": "time", "limit": 9}]}', "measure"),
        ('{"changes": [], "price": 3}', "price"),
        ('{"ask": [{"topic": "visit", "nodes": ["x"]}]}', "no node 'x'"),
        ("{}", "says nothing"),
    ],
)
def test_an_unusable_reply_goes_back_once(task: RoutingTask, bad: str, reason: str) -> None:
    """The second prompt holds the reason; a second unusable reply is unclear, never a change."""
    good = '{"changes": [{"kind": "fleet_size", "count": 2}]}'
    found, model = read(task, bad, good)
    assert reason in model.prompts[1].split("It cannot be used")[1]
    assert [one.kind for one in found.changes] == ["fleet_size"]
    found, model = read(task, bad, bad)
    assert len(model.prompts) == 2
    assert found.changes == ()
    assert reason in found.unclear[0].why


def test_all_kinds_are_in_the_prompt(task: RoutingTask) -> None:
    """The model is told every kind of change with its fields."""
    _, model = read(task, '{"say": "hello"}')
    for kind in ("windows", "precedence", "objective", "site_rule", "breaks", "without"):
        assert f"- {kind}: " in model.prompts[0]
    assert "intervals (list of [number or null, number or null], optional)" in model.prompts[0]
