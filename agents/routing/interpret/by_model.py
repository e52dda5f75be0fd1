"""Text to changes by a model: one role that returns JSON, checked field by field.

An answer that cannot be used goes back once with the reason. Whatever comes is shown to the user
in words before it is applied, as with the rules.
"""

import json
from collections.abc import Sequence
from typing import Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....evaluators.routing import RoutingError, RoutingInstance
from ....evaluators.routing.analysis import Question
from ....prompts.reasoning import without_reasoning
from ....prompts.render import render
from ...models.types import Message, ModelReply, ModelRequest
from ..changes import AnyChange, Change, Generated, RoutingTask, known_unit, row_of
from .catalogue import catalogue
from .results import Ask, Command, Interpretation, Unclear

ROLE = "interpret"
Topic = Literal[
    "why", "cost", "vehicles", "slack", "schedule", "routes", "visit", "gap", "problem", "open"
]
TOPICS: tuple[str, ...] = get_args(Topic)
_SHOWN_NAMES = 60
_LONGEST_REPLY = 20_000  # characters
_LONGEST_TEXT = 4_000  # characters of what the user said


class Asking(Protocol):
    """The gateway's one method."""

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return a model's answer."""
        ...


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Asked(_Strict):
    topic: Topic
    nodes: tuple[str, ...] = ()


class _Unclear(_Strict):
    text: str
    why: str


class _Reply(_Strict):
    changes: tuple[AnyChange, ...] = ()
    ask: tuple[_Asked, ...] = ()
    command: Literal["solve", "undo", "quit"] | None = None
    unclear: tuple[_Unclear, ...] = ()
    say: str = Field(default="", max_length=1000)


class Unusable(ValueError):
    """A reply cannot be used; one sentence that can be sent back."""


def interpret_by_model(
    text: str,
    task: RoutingTask,
    questions: Sequence[Question],
    gateway: Asking,
    *,
    key: str,
) -> Interpretation:
    """Ask a model what a text means; at most two calls.

    Args:
        text: what the user wrote.
        task: the problem as it stands.
        questions: open questions of the analysis.
        gateway: asks the model.
        key: unique within the session, for the store of calls.

    Raises:
        ModelError: the model cannot be asked, or a budget is spent.
    """
    refused, last = "", ""
    for attempt in range(2):
        prompt = _prompt(text[:_LONGEST_TEXT], task, questions, refused, last)
        request = ModelRequest(
            f"{key}/{attempt}", ROLE, (Message("user", prompt),), temperature=0.0
        )
        reply = gateway.ask(request)
        try:
            return _meaning(reply.text, task)
        except Unusable as reason:
            refused, last = str(reason), reply.text[:_LONGEST_REPLY]
    why = f"the model's answer cannot be used: {refused}"
    return Interpretation(unclear=(Unclear(text, why),), by="model")


def _prompt(
    text: str, task: RoutingTask, questions: Sequence[Question], refused: str, last: str
) -> str:
    instance = task.instance
    return render(
        "routing/interpret",
        name=instance.name,
        depots=len(instance.depots),
        customers=len(instance.customers),
        vehicles=_vehicles(instance),
        names=_names(instance),
        units={kind: known_unit(instance, kind) for kind in ("distance", "time", "load")},
        rules=sorted(task.names),
        order=list(task.order),
        questions=list(questions),
        catalogue=catalogue(),
        topics=TOPICS,
        text=text,
        refused=refused,
        last=last,
    )


def _names(instance: RoutingInstance) -> str:
    names = [instance.node_ids[row] for row in instance.customers]
    if len(names) <= _SHOWN_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN_NAMES - 1])}, …, {names[-1]} ({len(names)} in all)"


def _vehicles(instance: RoutingInstance) -> str:
    counts = ["any number" if one < 0 else str(int(one)) for one in instance.fleet.available]
    if len(counts) == 1:
        return f"{counts[0]} of vehicles of one type"
    words = [f"type {place}: {count}" for place, count in enumerate(counts, start=1)]
    return f"vehicles {', '.join(words)}"


def _meaning(text: str, task: RoutingTask) -> Interpretation:
    """Return what a reply says.

    Raises:
        Unusable: it is no such JSON, or a change in it makes no sense here.
    """
    reply = _parse(text)
    for change in reply.changes:
        assert isinstance(change, Change)
        if isinstance(change, Generated):  # code comes through its own road, judged and confirmed
            raise Unusable("changes: there is no kind 'generated'")
        try:
            task = change.apply(task)
        except RoutingError as error:
            raise Unusable(f"{change.model_dump_json(exclude_none=True)}: {error}") from error
    for asked in reply.ask:
        _check_nodes(asked, task.instance)
    return Interpretation(
        changes=tuple(reply.changes),
        asks=tuple(Ask(one.topic, one.nodes) for one in reply.ask),
        command=Command(reply.command) if reply.command else None,
        unclear=tuple(Unclear(one.text, one.why) for one in reply.unclear),
        by="model",
        said=" ".join(reply.say.split()),
    )


def _check_nodes(asked: _Asked, instance: RoutingInstance) -> None:
    try:
        for name in asked.nodes:
            row_of(instance, name, customer=False)
    except RoutingError as error:
        raise Unusable(str(error)) from error


def _parse(text: str) -> _Reply:
    """Return the last JSON object of a reply that has the right keys."""
    answer = without_reasoning(text[:_LONGEST_REPLY]).text
    decoder = json.JSONDecoder()
    found: object = None
    position = answer.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(answer, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found = value
        position = answer.find("{", end)
    if not isinstance(found, dict):
        raise Unusable("there is no JSON object in it")
    try:
        reply = _Reply.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Unusable(f"{place}: {first['msg']}") from error
    if not (reply.changes or reply.ask or reply.command or reply.unclear or reply.say):
        raise Unusable("it says nothing: neither changes, questions, a command nor what is unclear")
    return reply
