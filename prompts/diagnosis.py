"""Reads a model's diagnosis of a failed program: which functions to rewrite, and how."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .reasoning import without_reasoning
from .replies import ReplyError

_LONGEST_REPLY = 40_000  # characters
_LONGEST_ADVICE = 1500  # characters
_LINE = re.compile(
    r"^[\s\-*•>#\d.)`]*\**(?P<label>functions?|rewrite)\**\s*[:=–-]\s*(?P<rest>.+)$", re.I
)


@dataclass(frozen=True)
class Diagnosis:
    """Which functions are to be rewritten, in their order, and what is wrong with them."""

    functions: tuple[str, ...]
    advice: str


def parse_diagnosis(text: str, functions: Sequence[str], most: int = 3) -> Diagnosis:
    """Return the diagnosis in a reply.

    ``FUNCTION: name, name`` names them; else those that the text mentions as ``name`` or name(),
    where they are few enough. JSON with ``functions`` is understood too.

    Args:
        text: The reply.
        functions: The names that there are, in their order.
        most: How many may be named.

    Raises:
        ReplyError: It names no function of the program, or too many.
    """
    answer = without_reasoning(text[:_LONGEST_REPLY].replace("\r", "\n")).text.strip()
    if not answer:
        raise ReplyError("the answer is empty")
    named = _from_json(answer) or _from_line(answer)
    if not named:
        found: list[tuple[str, str]] = re.findall(r"`(\w+)(?:\(\))?`|\b(\w+)\(\)", answer)
        named = [marked or called for marked, called in found]
    chosen = tuple(name for name in functions if name in named)
    if not chosen:
        raise ReplyError(f"it names none of the functions {', '.join(functions)}")
    if len(chosen) > most:
        raise ReplyError(f"it names {len(chosen)} functions; name at most {most} that must change")
    return Diagnosis(chosen, answer[:_LONGEST_ADVICE])


def _from_json(answer: str) -> list[str]:
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        return []
    try:
        said = json.loads(answer[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return []
    if not isinstance(said, dict):
        return []
    fields = {str(key).lower(): value for key, value in said.items()}
    names: object = next((fields[key] for key in ("functions", "function") if key in fields), [])
    return re.findall(r"\w+", " ".join(map(str, names)) if isinstance(names, list) else str(names))


def _from_line(answer: str) -> list[str]:
    for line in answer.splitlines():
        found = _LINE.match(line)
        if found:
            return re.findall(r"\w+", found["rest"])
    return []
