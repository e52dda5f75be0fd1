"""Finds the pieces of a reply that may hold the program: JSON fields, fences, bare code."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .source import LONGEST

MOST_BLOCKS = 40
_MOST_OBJECTS = 20
_CODE_FIELDS = ("code", "python", "program", "function", "implementation", "solution", "source")
_THOUGHT_FIELDS = ("thought", "idea", "description", "algorithm", "summary", "explanation")
_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<rest>[^\n`~]*)$")
_FIELD = re.compile(
    r"[\"'](?:" + "|".join(_CODE_FIELDS) + r")[\"']\s{0,20}:\s{0,20}(?P<quote>\"\"\"|'''|\"|`)",
    re.IGNORECASE,
)
_REST_OF_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_LANGUAGES = {
    "python",
    "python3",
    "py",
    "json",
    "text",
    "txt",
    "bash",
    "sh",
    "plaintext",
    "markdown",
}
_CODE_START = re.compile(
    r"^[ \t]*(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|def[ \t]+\w+[ \t]*\(|"
    r"async[ \t]+def\b|class[ \t]+\w+[ \t]*[:(]|@\w|[A-Z_][A-Z0-9_]*[ \t]*=)"
)


@dataclass(frozen=True)
class Block:
    """A piece of text that may be a program.

    Args:
        code: The text.
        closed: Whether its end is certain (a closing fence or quote), or it may be cut off.
        start: Where it begins in the reply, as a line number from 0; -1 inside JSON.
        end: The line after its last one.
        thought: What a JSON answer says in its description field.
    """

    code: str
    closed: bool
    start: int = -1
    end: int = -1
    thought: str = ""


def fenced_blocks(lines: list[str]) -> list[Block]:
    """Return the fenced blocks of a reply in their order.

    A fence may begin after text on its line. A fence with a language inside a block begins a new
    block: the model forgot to close the earlier one.
    """
    blocks: list[Block] = []
    opened: int | None = None
    for number, line in enumerate(lines):
        fence = _fence(line)
        if fence is None:
            continue
        before, rest = fence
        if opened is None:
            opened = number if _is_info(rest) else None
        elif rest.lower() in _LANGUAGES:
            blocks.append(_block(lines, opened, number, closed=False))
            opened = number
        else:
            block = _block(lines, opened, number, closed=True)
            if before.strip():
                block = replace(block, code=f"{block.code}\n{before}")
            blocks.append(block)
            opened = None
    if opened is not None:
        blocks.append(_block(lines, opened, len(lines), closed=False))
    return blocks[-MOST_BLOCKS:]


def json_blocks(text: str) -> list[Block]:
    """Return the programs inside JSON objects, whole ones or the ruins of one."""
    blocks: list[Block] = []
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if position < 0:
            break
        try:
            found, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            blocks += _from_object(found)
        position = text.find("{", end)
    return blocks or list(_from_ruins(text))


def bare_code(lines: list[str], function: str, first: int = 0) -> Iterator[Block]:
    """Yield stretches of unfenced lines that begin like code, the longest first.

    All of them hold the last definition in the reply that has the right name, or the last one.

    Args:
        lines: The reply.
        function: The right name.
        first: Where to begin.
    """
    named = re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(function)}[ \t]*\(")
    any_name = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(")
    last = -1
    for pattern in (named, any_name):
        hits = [number for number, line in enumerate(lines) if pattern.match(line)]
        if hits:
            last = hits[-1]
            break
    if last < 0:
        return
    starts = [n for n in range(first, last + 1) if _CODE_START.match(lines[n])][-MOST_BLOCKS:]
    for start in starts:
        yield Block(_capped(lines[start:])[0], False, start, len(lines))


def unescaped(code: str) -> str:
    """Return code whose line breaks were escaped once too often, with real ones."""
    if "\\n" not in code or code.strip().count("\n") > 0:
        return code
    return code.replace("\\n", "\n").replace("\\t", "    ").replace('\\"', '"').replace("\\'", "'")


def _fence(line: str) -> tuple[str, str] | None:
    """Return what stands before and after the last fence of a line, if it has one."""
    line = line.rstrip()
    tail = line[-200:]  # a fence with its language is short; this bounds the search
    if "```" not in tail and "~~~" not in tail:
        return None
    found = _FENCE.search(tail)
    if found is None:
        return None
    return line[: len(line) - len(tail) + found.start()], found["rest"].strip()


def _is_info(rest: str) -> bool:
    """Return whether ``rest`` is what may follow an opening fence: nothing, or a language."""
    return (
        not rest
        or rest.startswith("{")
        or rest.split()[0].lower().rstrip(":") in _LANGUAGES
        or (len(rest) <= 20 and " " not in rest)
    )


def _block(lines: list[str], opened: int, end: int, *, closed: bool) -> Block:
    body, cut = _capped(lines[opened + 1 : end])
    return Block(body, closed and not cut, opened, end + closed)


def _capped(lines: list[str]) -> tuple[str, bool]:
    """Join lines up to the longest code that is looked at; tell whether some were left out."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line) + 1
        if size > LONGEST:
            return "\n".join(lines[:number]), True
    return "\n".join(lines), False


def _from_object(found: Any, depth: int = 0) -> list[Block]:
    if not isinstance(found, Mapping) or depth > 4:
        return []
    fields = {str(name).lower(): value for name, value in found.items()}
    thought = next((t for n in _THOUGHT_FIELDS if isinstance(t := fields.get(n), str)), "")
    codes = [c for n in _CODE_FIELDS if isinstance(c := fields.get(n), str) and "def" in c]
    if not codes:
        codes = [v for v in fields.values() if isinstance(v, str) and "def " in v]
    if codes:
        return [Block(codes[0], True, thought=thought)]
    return [block for value in fields.values() for block in _from_object(value, depth + 1)]


def _from_ruins(text: str) -> Iterator[Block]:
    """Yield code fields of JSON that does not parse: triple quotes, or cut off."""
    for count, field in enumerate(_FIELD.finditer(text)):
        if count >= _MOST_OBJECTS:
            return
        quote = field["quote"]
        end = _end_of_string(text, field.end(), quote)
        code = text[field.end() : end]
        if quote == '"':
            code = code.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "    ")
        if "def" in code:
            yield Block(code, end < len(text))


def _end_of_string(text: str, start: int, quote: str) -> int:
    if quote == "`":  # a fence or a template string: the fences are found elsewhere
        end = text.find("`", start)
        return len(text) if end < 0 else end
    if len(quote) == 3:
        end = text.find(quote, start)
        return len(text) if end < 0 else end
    return _REST_OF_STRING.match(text, start).end()  # type: ignore[union-attr]  # matches ""
