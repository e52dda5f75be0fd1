"""Reads a model's rule for a routing problem: its checker and two plans that show what it means."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .reasoning import without_reasoning
from .replies import ReplyError, parse_heuristic

_LONGEST_REPLY = 60_000  # characters
_MOST_STOPS = 200  # of a probe's routes together
_NAME = re.compile(r"^[\s>*_#`-]*NAME[\s*_`]*[:=][\s*_`]*([A-Za-z][\w -]{1,60})", re.MULTILINE)
_IMPOSSIBLE = re.compile(r"^[\s>*_#`-]*IMPOSSIBLE[\s*_`]*[:.–-]\s*(.+)", re.DOTALL)


class Inexpressible(ReplyError):
    """The model says that the data cannot show whether the rule is kept; its reason."""


@dataclass(frozen=True)
class WrittenRule:
    """A rule as a model wrote it; ``accepted`` and ``rejected`` are routes as rows."""

    name: str
    meaning: str
    code: str
    accepted: tuple[tuple[int, ...], ...]
    rejected: tuple[tuple[int, ...], ...]


def parse_rule(text: str, parameters: Sequence[str], *, truncated: bool = False) -> WrittenRule:
    """Return the rule in a reply: ``NAME:``, ``ACCEPTED:``, ``REJECTED:`` and the function ``check``.

    Args:
        text: The reply.
        parameters: Of ``check``, in order.
        truncated: Whether the model was stopped by its token limit.

    Raises:
        Inexpressible: The reply is ``IMPOSSIBLE:`` and a reason.
        ReplyError: A part is missing or of the wrong kind.
    """
    answer = without_reasoning(text[:_LONGEST_REPLY].replace("\r", "\n")).text.strip()
    if impossible := _IMPOSSIBLE.match(answer):
        raise Inexpressible(" ".join(impossible[1].split())[:500])
    found = parse_heuristic(text[:_LONGEST_REPLY], "check", parameters, truncated=truncated)
    name = _NAME.search(answer)
    if name is None:
        raise ReplyError("it has no line NAME: with a short name of the rule")
    plain = re.sub(r"[^a-z0-9]+", "_", name[1].strip().lower()).strip("_")[:40]
    if len(plain) < 2:
        raise ReplyError("the name has fewer than two letters")
    if not found.thought.strip():
        raise ReplyError("it has no sentence in braces that says what the rule demands")
    return WrittenRule(
        plain, found.thought, found.code, _routes(answer, "ACCEPTED"), _routes(answer, "REJECTED")
    )


def _routes(answer: str, label: str) -> tuple[tuple[int, ...], ...]:
    """Return the list of lists of rows behind a label."""
    place = re.search(rf"^[\s>*_#`-]*{label}[\s*_`]*[:=]\s*[`*]*\s*(?=\[)", answer, re.MULTILINE)
    if place is None:
        raise ReplyError(f"it has no line {label}: with a list of routes")
    try:
        found, _ = json.JSONDecoder().raw_decode(answer, place.end())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not found:
        raise ReplyError(f"{label} is no list of routes such as [[0, 3, 1, 0], [0, 2, 0]]")
    for route in found:
        if not isinstance(route, list) or not all(type(row) is int for row in route):
            raise ReplyError(f"{label} holds {str(route)[:40]}, which is no list of rows")
    if sum(map(len, found)) > _MOST_STOPS:
        raise ReplyError(f"{label} has more than {_MOST_STOPS} stops; a few show the rule better")
    return tuple(tuple(route) for route in found)
