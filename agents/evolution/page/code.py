"""Programs as coloured HTML, and what differs between two of them."""

import difflib
from dataclasses import dataclass


@dataclass(frozen=True)
class DiffLine:
    """One line of a unified diff; ``html`` is escaped and coloured."""

    sign: str
    old: int | None
    new: int | None
    html: str


def coloured(code: str) -> list[str]:
    """Return the lines of a Python program as escaped HTML with Pygments' short classes."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    text = "\n".join(code.splitlines())
    lexer = PythonLexer(stripnl=False, ensurenl=True)
    return str(highlight(text, lexer, HtmlFormatter(nowrap=True))).split("\n")[:-1]


def differences(old: str, new: str) -> list[DiffLine]:
    """Return the whole of both programs, line by line, with what went and what came."""
    before, after = coloured(old), coloured(new)
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    lines: list[DiffLine] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(range(i1, i2), range(j1, j2), strict=True)
            lines += [DiffLine(" ", i + 1, j + 1, after[j]) for i, j in pairs]
            continue
        lines += [DiffLine("−", i + 1, None, before[i]) for i in range(i1, i2)]
        lines += [DiffLine("+", None, j + 1, after[j]) for j in range(j1, j2)]
    return lines
