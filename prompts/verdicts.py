"""Reads a model's verdict on another answer: accepted, or rejected with what to change."""

import json
import re
from dataclasses import dataclass

from .reasoning import without_reasoning
from .replies import ReplyError

_YES = ("accept", "accepted", "true", "pass", "passed", "correct", "yes", "approve", "approved")
_NO = ("reject", "rejected", "false", "fail", "failed", "incorrect", "no", "revise")
_LABEL = re.compile(
    r"^(?:(?:my|the|final)\s+)?(?:verdict|judge?ment|decision|answer|result)\b\W*", re.I
)
_WORD = re.compile(r"^[\W_]*([A-Za-z]+)\b(.*)$", re.DOTALL)
_LONGEST_REPLY = 40_000  # characters
LONGEST_REASON = 1200  # characters


@dataclass(frozen=True)
class Verdict:
    """A judgement; ``reason`` says what is wrong and how to mend it, empty if all is well."""

    accepted: bool
    reason: str


def parse_verdict(text: str) -> Verdict:
    """Return the verdict in a reply: ``ACCEPT``, or ``REJECT: reason``, in any dress.

    The first word of a line decides; Markdown, JSON with ``verdict`` and ``reason``, true and false are
    understood. A word in the middle of a sentence never counts.

    Raises:
        ReplyError: There is no verdict, both ones, or a rejection without a reason.
    """
    answer = without_reasoning(text[:_LONGEST_REPLY].replace("\r", "\n")).text.strip()
    if not answer:
        raise ReplyError("the answer is empty")
    found = _from_json(answer) or _from_lines(answer)
    if found is None:
        raise ReplyError("it begins with neither ACCEPT nor REJECT")
    if not found.accepted and not found.reason:
        raise ReplyError("it rejects without a reason")
    return found


def _from_json(answer: str) -> Verdict | None:
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        said = json.loads(answer[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    fields = {str(key).lower(): value for key, value in said.items()}
    word = next((fields[key] for key in ("verdict", "accepted", "accept") if key in fields), None)
    accepted = word if isinstance(word, bool) else _read(str(word))
    if accepted is None:
        return None
    reason = next((fields[key] for key in ("reason", "fix", "explanation") if key in fields), "")
    return Verdict(accepted, "" if accepted else _tidy(str(reason)))


def _from_lines(answer: str) -> Verdict | None:
    """Read the first line that begins with a verdict; a second, contrary one makes it unclear."""
    lines = answer.splitlines()
    found: list[tuple[bool, str]] = []
    for number, line in enumerate(lines):
        word = _WORD.match(_LABEL.sub("", line.lstrip(" *_#>`-"), count=1))
        accepted = None if word is None else _read(word[1])
        if word is not None and accepted is not None and _ends(word[2], accepted):
            found.append((accepted, "\n".join([word[2], *lines[number + 1 :]])))
    if not found:
        return None
    if len({accepted for accepted, _ in found}) > 1:
        raise ReplyError("it says both ACCEPT and REJECT")
    accepted, rest = found[0]
    return Verdict(accepted, "" if accepted else _tidy(rest))


def _ends(rest: str, accepted: bool) -> bool:
    """Return whether a verdict may end here; "No problem found" is none."""
    return bool(re.match(r"^[*_`'\"]*\s*(?:[:.;,!(\[\-–—]|$)", rest)) or (
        not accepted and rest.lower().startswith((" because", " as ", " since"))
    )


def _read(word: str) -> bool | None:
    word = word.strip().lower()
    return True if word in _YES else False if word in _NO else None


def _tidy(reason: str) -> str:
    plain = re.sub(r"^[\W_]+", "", reason)
    plain = "\n".join(" ".join(line.split()) for line in plain.splitlines() if line.strip())
    return plain[:LONGEST_REASON]
