"""An instance file as a prompt shows it: all of its structure, a few of its numbers."""

import re

LONGEST = 6000  # characters
_LINE = 160  # characters
_FIRST, _LAST = 4, 2
_NUMBERS = re.compile(r"^[\s\-+.\d,;eE()\[\]]+$")


def excerpt(text: str, longest: int = LONGEST) -> str:
    """Return the text with long runs of alike lines shortened and long lines cut.

    Lines are alike where they consist of numbers only, or where they begin alike (rows of JSON and
    of tables with names). What was left out is counted.
    """
    if len(text) <= longest // 3:
        return text.rstrip("\n")
    lines = [line.rstrip() for line in text.splitlines()]
    shown: list[str] = []
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _kind(lines[end]) == _kind(lines[start]) != "":
            end += 1
        shown += _shortened(lines[start:end])
        start = end
    whole = "\n".join(_cut(line) for line in shown)
    if len(whole) <= longest:
        return whole
    half = longest // 2
    left_out = len(whole) - 2 * half
    return f"{whole[:half]}\n... ({left_out} characters left out) ...\n{whole[-half:]}"


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= _FIRST + _LAST + 2:
        return lines
    left_out = len(lines) - _FIRST - _LAST
    return [*lines[:_FIRST], f"... ({left_out} more lines like these) ...", *lines[-_LAST:]]


def _kind(line: str) -> str:
    """Return what makes lines alike; empty for lines that stand for themselves."""
    if _NUMBERS.match(line):
        return f"numbers {len(line.split()) if len(line.split()) < 12 else 'many'}"
    start = re.match(r"^\s*[{\[\"']+\s*\w*|^[A-Za-z]\w*?(?=\d+[\s,;\t])", line)
    return f"like {start[0]}" if start and any(sign.isdigit() for sign in line) else ""


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]} ... ({len(line) - _LINE} more)"
