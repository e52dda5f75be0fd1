"""Reads a model's reply to a request for a heuristic: the idea and the program."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .blocks import Block, bare_code, fenced_blocks, json_blocks, unescaped
from .program import Unusable, make_program
from .reasoning import without_reasoning
from .source import Effort
from .thoughts import thought_in


@dataclass(frozen=True)
class Reply:
    """A heuristic as a model described and wrote it.

    Args:
        thought: One sentence, at most about 400 characters.
        code: Source that compiles and defines the function; untrusted.
    """

    thought: str
    code: str


class ReplyError(ValueError):
    """The reply holds no usable heuristic.

    Attributes:
        reason: One sentence that can be sent back to the model.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse_heuristic(
    text: str, function: str, parameters: Sequence[str], *, truncated: bool = False
) -> Reply:
    """Return the idea and the program in a model's reply.

    The answer is the last stretch of code that defines the function, after all reasoning was
    taken out; a draft is never taken in its place. Only imports, definitions and the constants
    they use are kept; imports of well-known modules are added where they were forgotten. Half a
    function is never returned.

    Args:
        text: The reply.
        function: The name that the program must define.
        parameters: The names of its parameters, in order.
        truncated: Whether the model was stopped by its token limit (``finish_reason`` "length").

    Raises:
        ReplyError: The reply holds no usable program.
    """
    answer = without_reasoning(text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff"))
    visible = answer.text
    if not visible.strip() and answer.unfinished:
        visible = _answer_after_unclosed_reasoning(answer.unfinished, function)
    if not visible.strip():
        raise ReplyError("the answer is empty; send one sentence in braces and the function")
    lines = visible.split("\n")
    fences = fenced_blocks(lines)
    reader = _Reader(function, parameters, truncated, Effort())
    block, code = reader.choose(json_blocks(visible), fences, lines)
    prose = _prose(lines, fences, block)
    return Reply(thought_in(prose, code, function, block.thought), code)


class _Reader:
    """Chooses among the stretches of code of one reply."""

    def __init__(
        self, function: str, parameters: Sequence[str], truncated: bool, effort: Effort
    ) -> None:
        self._function = function
        self._parameters = parameters
        self._truncated = truncated
        self._effort = effort
        name = re.escape(function)
        self._definition = re.compile(
            rf"\bdef[ \t]+{name}[ \t]*\(|^[ \t]*{name}[ \t]*(?::[^=\n]{{0,80}})?=[ \t]*lambda\b",
            re.MULTILINE,
        )
        self._reason = ""
        self._unclear = True  # whether the program may begin or end elsewhere than the fences say

    def choose(
        self, objects: list[Block], fences: list[Block], lines: list[str]
    ) -> tuple[Block, str]:
        """Return the stretch that holds the answer, and the program made of it.

        Raises:
            ReplyError: None does; the reason is that of the most likely one.
        """
        found = self._last_of(objects) or self._last_of(fences)
        if found is None and self._unclear:
            found = self._without_fences(fences, lines)
        if found is None:
            raise ReplyError(
                self._reason
                or f"no Python code that defines {self._function}("
                f"{', '.join(self._parameters)}) was found; send it in one fenced block"
            )
        return found

    def _last_of(self, blocks: list[Block]) -> tuple[Block, str] | None:
        """Try the last block that defines the function; earlier ones only if it is empty."""
        defining = [b for b in blocks if self._definition.search(b.code)]
        for block in reversed(defining or blocks):
            code = unescaped(block.code)
            others = [other.code for other in blocks if other is not block]
            try:
                return block, self._make(code, block, others)
            except Unusable as error:
                self._note(error)
                if defining and not error.placeholder:
                    self._unclear = error.broken
                    return None
        return None

    def _without_fences(self, fences: list[Block], lines: list[str]) -> tuple[Block, str] | None:
        """Look for the program in the plain text, but not before the last fenced attempt.

        Needed where there is no fence, and where a fence inside a docstring ended one too early.
        """
        tried = [block.start for block in fences if self._definition.search(block.code)]
        for block in bare_code(lines, self._function, max(tried, default=-1) + 1):
            try:
                return block, self._make(block.code, block, ())
            except Unusable as error:
                self._note(error)
                if not error.broken:
                    return None
        return None

    def _note(self, error: Unusable) -> None:
        self._reason = self._reason or str(error)

    def _make(self, code: str, block: Block, others: Sequence[str]) -> str:
        inner = fenced_blocks(code.split("\n")) if block.start < 0 else []
        if inner:  # a fence inside a JSON string
            code = inner[-1].code
        return make_program(
            code,
            self._function,
            self._parameters,
            self._effort,
            closed=block.closed,
            truncated=self._truncated,
            others=others,
        )


def _answer_after_unclosed_reasoning(unfinished: str, function: str) -> str:
    """Return the answer in a reasoning block that was never closed, or an empty string.

    Such a reply either ended while reasoning, and all its code is drafts, or the model forgot
    the closing tag. Only the form that was asked for tells: a sentence in braces, followed by one
    closed fence, at the very end.
    """
    lines = unfinished.rstrip().split("\n")
    fences = fenced_blocks(lines)
    if not fences or not fences[-1].closed or fences[-1].end != len(lines):
        return ""
    last = fences[-1]
    before = last.start
    while before > 0 and not lines[before - 1].strip():
        before -= 1
    first = before
    while first > 0 and lines[first - 1].strip() and before - first < 12:
        first -= 1
    sentence = "\n".join(lines[first:before]).strip()
    if not (sentence.startswith("{") and sentence.rstrip(".").endswith("}")):
        return ""
    return "\n".join(lines[first:])


def _prose(lines: list[str], fences: list[Block], block: Block) -> str:
    """Return the reply without its code."""
    if block.start < 0:
        return ""
    inside = {n for fence in fences for n in range(fence.start, fence.end)}
    if block not in fences:
        inside |= set(range(block.start, block.end))
    return "\n".join(line for n, line in enumerate(lines) if n not in inside)
