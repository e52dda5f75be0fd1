"""Reads a model's reply to the question which acquisition function comes next."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .reasoning import without_reasoning
from .replies import ReplyError

_ALIASES = {
    "PI": ("probability of improvement",),
    "LogPI": ("log probability of improvement", "log-pi", "log pi"),
    "EI": ("expected improvement",),
    "LogEI": ("log expected improvement", "log-ei", "log ei", "qLogEI"),
    "UCB": ("LCB", "GP-UCB", "upper confidence bound", "lower confidence bound"),
    "PosMean": ("posterior mean", "pos mean", "PosteriorMean"),
    "PosSTD": (
        "posterior standard deviation",
        "posterior std",
        "pos std",
        "PosteriorStandardDeviation",
        "MaxVar",
        "maximum variance",
    ),
    "TS": ("Thompson sampling", "Thompson"),
    "KG": ("knowledge gradient",),
    "PES": ("predictive entropy search",),
    "JES": ("joint entropy search",),
    "MES": ("max-value entropy search", "maximum value entropy search", "GIBBON"),
}
"""What models call the usual functions, beside their names; a leading q is always allowed."""

_KEYS = ("acquisition", "acquisition_function", "arm", "function", "choice", "name", "abbreviation")
_REASONS = ("reason", "justification", "why", "because", "explanation")
_MARKS = re.compile(r"^[\s>#\-+*_`'\"“”\[({|]+|^\d{1,2}[.)]\s+")
_LABEL = re.compile(
    r"^(?:(?:my|the|next|best|final)\s+)*"
    r"(?:acquisition(?:\s+function)?|function|choice|answer|arm|pick|selection|abbreviation)"
    r"(?:\s+is)?\s*[:=\-–—]*\s*|^i\s+(?:would\s+)?(?:choose|pick|select|take|use|recommend)\s+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[*_`'\"”\])}|]*\s*(?:[:.(\-–—=;]|,?\s*(?:because|since|as|for|to)\b|$)", re.I
)
_LONGEST_REASON = 400  # characters
_LONGEST_REPLY = 20_000  # characters; a choice is one line


@dataclass(frozen=True)
class ArmChoice:
    """What a model chose: the name of an acquisition function, and why."""

    arm: str
    reason: str


def parse_choice(text: str, arms: Sequence[str]) -> ArmChoice:
    """Return the acquisition function that a reply names, whatever dress it wears.

    Accepted are ``NAME: reason``, a bare name, other cases and long names, a leading q, Markdown,
    JSON, and prose that names exactly one function. What names none, or several without saying which,
    is refused rather than guessed.

    Args:
        text: The reply.
        arms: The functions that may be chosen.

    Raises:
        ReplyError: No choice can be read; the message can be sent back to the model.
    """
    answer = without_reasoning(text[:_LONGEST_REPLY].replace("\r", "\n")).text.strip()
    if not answer:
        raise ReplyError("the answer is empty")
    names = _names(arms)
    lines = [line for line in answer.splitlines() if line.strip()]
    found = _from_json(answer, names) or _from_line(lines[0], names)
    if found is None:
        labelled = {one.arm: one for line in lines[1:] if (one := _labelled(line, names))}
        found = next(iter(labelled.values())) if len(labelled) == 1 else None
    if found is None:
        found = _only_mention(answer, names)
    if found.arm:
        rest = found.reason or " ".join(" ".join(lines[1:]).split())
        return ArmChoice(found.arm, _tidy(rest))
    raise ReplyError(found.reason)


def _names(arms: Sequence[str]) -> dict[str, str]:
    """Return every way to write one of the arms, in lower case, longest first."""
    names: dict[str, str] = {}
    for arm in arms:
        for alias in (arm, f"q{arm}", *_ALIASES.get(arm, ())):
            names.setdefault(alias.lower(), arm)
    return dict(sorted(names.items(), key=lambda item: -len(item[0])))


def _from_json(answer: str, names: dict[str, str]) -> ArmChoice | None:
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    said = {str(key).strip().lower(): value for key, value in found.items()}
    chosen = next((said[key] for key in _KEYS if isinstance(said.get(key), str)), None)
    if chosen is None:
        return None
    arm = names.get(chosen.strip().lower())
    if arm is None:
        return ArmChoice("", f"{chosen.strip()[:40]!r} is not one of {_list(names)}")
    return ArmChoice(arm, next((str(said[key]) for key in _REASONS if key in said), ""))


def _from_line(line: str, names: dict[str, str]) -> ArmChoice | None:
    """Read ``NAME: reason`` at the start of a line, under any decoration."""
    rest = _LABEL.sub("", _undecorated(line), count=1)
    rest = _undecorated(rest)
    rest = re.sub(r"^(?:the|an?)\s+", "", rest, flags=re.IGNORECASE)
    lower = rest.lower()
    for name, arm in names.items():
        if lower.startswith(name):
            after = rest[len(name) :]
            if _AFTER.match(after) and not after[:1].isalnum():
                return ArmChoice(arm, _tidy(after))
    return None


def _labelled(line: str, names: dict[str, str]) -> ArmChoice | None:
    """Read a later line only if it says that it is the choice, or is nothing but a name."""
    plain = _undecorated(line)
    found = _from_line(line, names)
    if found and (_LABEL.match(plain) or not found.reason or plain != line.strip()):
        return found
    return None


def _only_mention(answer: str, names: dict[str, str]) -> ArmChoice:
    """Return the only arm that the text mentions; otherwise why there is none.

    Functions that are not on offer count as mentioned too: one of several is no choice.
    """
    known = _names((*_ALIASES, *dict.fromkeys(names.values())))
    pattern = re.compile(
        r"(?<![\w-])(" + "|".join(re.escape(name) for name in known) + r")(?![\w-])", re.IGNORECASE
    )
    mentioned = list(dict.fromkeys(known[match.lower()] for match in pattern.findall(answer)))
    if len(mentioned) == 1:
        if mentioned[0] not in names.values():
            return ArmChoice("", f"{mentioned[0]} is not on offer: it names none of {_list(names)}")
        return ArmChoice(mentioned[0], _tidy(answer))
    if mentioned:
        said = ", ".join(mentioned[:-1]) + f" and {mentioned[-1]}"
        return ArmChoice("", f"it names {said}, and does not say which is the choice")
    return ArmChoice("", f"it names none of {_list(names)}")


def _list(names: dict[str, str]) -> str:
    return ", ".join(dict.fromkeys(sorted(names.values())))


def _undecorated(line: str) -> str:
    before = None
    while before != line:
        before, line = line, _MARKS.sub("", line)
    return line


def _tidy(reason: str) -> str:
    plain = " ".join(re.sub(r"[*`]|^[\W_]+", " ", reason).split())
    return plain if len(plain) <= _LONGEST_REASON else plain[: _LONGEST_REASON - 1] + "…"
