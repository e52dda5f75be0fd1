"""Reads a model's reply to a request for insights: lines that say what to do and what to avoid."""

import re
from dataclasses import dataclass
from typing import Literal

from .reasoning import without_reasoning
from .replies import ReplyError

MOST = 4
_LONGEST = 300  # characters
_FEWEST_WORDS = 4
_MOST_LINES = 400

_LINE = re.compile(
    r"^[\s\-*•>#\d.)]{0,12}(?P<mark>\*\*|__)?"
    r"(?P<kind>do(?:n't|\s+not)?|avoid)\b"
    r"\s*(?:\((?P<scope>general|family|problem)\))?\s*(?:\*\*|__)?\s*[:–—]\s*(?:\*\*|__)?"
    r"(?P<text>.*)$",
    re.IGNORECASE,
)
_SECOND_ON_LINE = re.compile(
    r"(?<=[.!?;])[ \t]{1,9}(?=(?:\*\*)?(?:do(?:n't|[ ]not)?|avoid)[ ]?(?:\(\w{1,9}\))?(?:\*\*)?[ ]?:)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?P<text>\S.*)$")
_PLACEHOLDER = re.compile(r"^\W*$|^<[^>]*>\W*$|^\[[^\]]*\]\W*$|\.\.\.$|…$")


@dataclass(frozen=True)
class Statement:
    """One lesson as a model stated it.

    Args:
        kind: what helped, or what hurt.
        scope: whether it is said to hold beyond the problem.
        text: one sentence, at most about 300 characters.
    """

    kind: Literal["do", "avoid"]
    scope: Literal["problem", "family", "general"]
    text: str


def parse_insights(text: str, prompt: str = "") -> tuple[Statement, ...]:
    """Return the lessons in a model's reply, at most :data:`MOST`.

    Bullets under a heading "DO:" or "AVOID:" count as well as lines that start so. What only repeats
    the prompt is left out: an echo is no evidence.

    Args:
        text: The reply.
        prompt: What the model was asked, to recognise echoes.

    Raises:
        ReplyError: There is no usable lesson in it.
    """
    answer = without_reasoning(text.replace("\r\n", "\n").replace("\r", "\n"))
    asked = _plain(prompt)
    found: list[Statement] = []
    echoes = 0
    for kind, scope, said in _labelled(answer.text):
        sentence = _tidy(said)
        if len(sentence.split()) < _FEWEST_WORDS or _PLACEHOLDER.search(sentence):
            continue
        if asked and _plain(sentence) in asked:
            echoes += 1
            continue
        statement = Statement(kind, scope, sentence)
        if statement not in found:
            found.append(statement)
    if not found:
        raise ReplyError(
            "the answer only repeats what was shown"
            if echoes
            else "no line of the answer starts with DO: or AVOID: and states a lesson"
        )
    return tuple(found[:MOST])


_Label = tuple[Literal["do", "avoid"], Literal["problem", "family", "general"], str]


def _labelled(text: str) -> list[_Label]:
    labelled: list[_Label] = []
    heading: _Label | None = None
    fenced = False
    for line in _SECOND_ON_LINE.sub("\n", text).split("\n")[:_MOST_LINES]:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        match = None if fenced else _LINE.match(line)
        bullet = None if fenced else _BULLET.match(line)
        if match is not None:
            label = _label(match)
            heading = label if not label[2].strip("*_ ") else None
            if heading is None:
                labelled.append(label)
        elif bullet is not None and heading is not None:
            labelled.append((heading[0], heading[1], bullet["text"]))
        elif line.strip():
            heading = None
    return labelled


def _label(match: re.Match[str]) -> _Label:
    kind: Literal["do", "avoid"] = "do" if match["kind"].lower() == "do" else "avoid"
    scope = (match["scope"] or "problem").lower()
    if scope == "general":
        return kind, "general", match["text"]
    return kind, "family" if scope == "family" else "problem", match["text"]


def _tidy(text: str) -> str:
    line = " ".join(text.replace("`", "").replace("**", "").split()).strip("\"' ")
    if len(line) <= _LONGEST:
        return line
    return line[:_LONGEST].rsplit(" ", 1)[0].rstrip(",;:.")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))
