"""Reads a model's description of a routing problem."""

import json
import re
from dataclasses import dataclass

from .reasoning import without_reasoning
from .replies import ReplyError

_LONGEST_REPLY = 60_000  # characters
_LONGEST = {"type": 60, "summary": 1500, "objective": 300, "output": 500, "explanation": 400}
_MOST_RULES = 40


@dataclass(frozen=True)
class Described:
    """A description as a model gave it: type, summary, rules (name, explanation), fields, and so on."""

    type: str
    summary: str
    constraints: tuple[tuple[str, str], ...]
    fields: tuple[str, ...]
    output: str
    objective: str


def parse_description(text: str) -> Described:
    """Return the description in a reply: one JSON object, with or without a fence around it.

    Raises:
        ReplyError: There is no such object, or a part of it is missing or of the wrong kind.
    """
    answer = without_reasoning(text[:_LONGEST_REPLY]).text
    found = _object(answer)
    if found is None:
        raise ReplyError("it holds no JSON object with the six parts")
    parts = {str(key).strip().lower(): value for key, value in found.items()}
    missing = [
        key for key in ("type", "summary", "constraints", "fields", "objective") if key not in parts
    ]
    if missing:
        raise ReplyError(f"the JSON object has no {missing[0]!r}")
    kind = _text(parts["type"], "type")
    if not re.fullmatch(r"[\w-]+", kind):
        raise ReplyError("the type is not one short name such as CVRPTW")
    return Described(
        type=kind,
        summary=_text(parts["summary"], "summary"),
        constraints=_rules(parts["constraints"]),
        fields=_names(parts["fields"]),
        output=_text(parts.get("output", "routes"), "output"),
        objective=_text(parts["objective"], "objective"),
    )


def _object(answer: str) -> dict[str, object] | None:
    decoder = json.JSONDecoder(strict=False)
    position = answer.find("{")
    while position >= 0:
        try:
            found, end = decoder.raw_decode(answer, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if isinstance(found, dict) and "constraints" in {str(key).lower() for key in found}:
                return found
        position = answer.find("{", end)
    return None


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ReplyError(f"{name!r} is no text")
    return " ".join(value.split())[: _LONGEST[name]]


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise ReplyError("'fields' is no list of names")
    return tuple(" ".join(one.split())[:80] for one in value[:60])


def _rules(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, dict):
        value = [{"name": name, "explanation": said} for name, said in value.items()]
    if not isinstance(value, list) or not value:
        raise ReplyError("'constraints' is no list")
    rules = []
    for one in value[:_MOST_RULES]:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise ReplyError("each constraint needs a 'name' and an 'explanation'")
        said = one.get("explanation") or one.get("description") or one["name"]
        rules.append((one["name"].strip()[:60], _text(str(said), "explanation")))
    return tuple(rules)
