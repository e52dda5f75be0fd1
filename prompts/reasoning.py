"""Takes a model's reasoning out of its reply, so that no draft is mistaken for the answer.

Each function makes one pass over the text.
"""

import re
from dataclasses import dataclass

_NAMES = (
    "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|"
    "begin_of_thought|end_of_thought"
)
# <think> </think> <seed:think> [THINK] [/THINK] <|begin_of_thought|> ◁think▷ ◁/think▷
_TAG = re.compile(
    rf"(?:<\|?(?P<close>/?)(?:seed:)?(?P<name>{_NAMES})\|?>"
    r"|\[(?P<close2>/?)THINK\]|◁(?P<close3>/?)think▷)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|?>\s*(?P<name>[A-Za-z_]+)")
_SPECIAL = re.compile(r"<\|[A-Za-z0-9_]{1,40}\|?>(?:assistant|final|analysis|commentary)?")
_WRAPPER = re.compile(r"</?(?:answer|final_answer|solution|output|response)>", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """A reply without its reasoning.

    Args:
        text: What is left.
        unfinished: The text of a reasoning block that never ends, or an empty string.
    """

    text: str
    unfinished: str = ""


def without_reasoning(reply: str) -> Answer:
    """Return the answer in ``reply``.

    What stands before a lone closing tag is reasoning too: some servers cut the opening one off.
    """
    reply = _final_channel(reply)
    kept: list[str] = []
    depth = position = opened = 0
    for tag in _TAG.finditer(reply):
        if _closes(tag):
            if depth == 0:
                kept.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(reply[position : tag.start()])
                opened = tag.end()
            depth += 1
        position = tag.end()
    if depth == 0:
        kept.append(reply[position:])
    return Answer(_plain("".join(kept)), _plain(reply[opened:]) if depth else "")


def _closes(tag: re.Match[str]) -> bool:
    name = (tag["name"] or "").lower()
    return bool(tag["close"] or tag["close2"] or tag["close3"] or name.startswith("end_of"))


def _final_channel(reply: str) -> str:
    """Keep only the final channel of a reply in channels (``<|channel|>final<|message|>``)."""
    marks = list(_CHANNEL.finditer(reply))
    if not marks:
        return reply
    ends = [mark.start() for mark in marks[1:]] + [len(reply)]
    final = [
        reply[mark.end() : end]
        for mark, end in zip(marks, ends, strict=True)
        if mark["name"].lower() == "final"
    ]
    if final:
        return final[-1]
    return reply[: marks[0].start()]


def _plain(text: str) -> str:
    return _WRAPPER.sub("", _SPECIAL.sub("", text))
