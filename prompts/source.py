"""Turns a stretch of text into source that parses, without ever inventing half a function."""

import ast
import re
import textwrap
import warnings

from .. import syntax

NAME = "<reply>"
LONGEST = 60_000  # characters; a heuristic is some thousand
_MOST_CUTS = 30
_SPACES = dict.fromkeys(
    map(
        ord,
        "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
        "\u2008\u2009\u200a\u202f\u205f\u3000",
    ),
    " ",
)
_NOTHING = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), "")
_SYMBOLS = {
    ord("−"): "-",
    ord("–"): "-",
    ord("—"): "-",
    ord("×"): "*",
    ord("÷"): "/",
    ord("≤"): "<=",
    ord("≥"): ">=",
    ord("≠"): "!=",
}
_OUTSIDE = {**_SPACES, **_NOTHING, **_SYMBOLS}
_SMART = {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"}
_TRIVIA = re.compile(r"[^\"'#“”„‘’]+")

# Model code often has invalid escapes in strings; the warning would go to our standard error.
warnings.filterwarnings("ignore", category=SyntaxWarning, module=re.escape(NAME))


class Effort:
    """How much more source may be compiled for one reply, so that none takes for ever."""

    def __init__(self, characters: int = 1_000_000) -> None:
        self._left = characters

    def spend(self, code: str) -> bool:
        """Account for compiling ``code`` once; False when no effort is left."""
        self._left -= len(code) + 200
        return self._left > 0


def parse(code: str) -> ast.Module | None:
    """Return the syntax tree, or ``None`` where Python cannot compile the code."""
    try:
        tree = syntax.parse(code, NAME)
        compile(tree, NAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree


def fault_in(code: str) -> tuple[int, str] | None:
    """Return line and reason of the first error that keeps Python from compiling ``code``."""
    try:
        compile(code, NAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        return max(1, error.lineno or 1), error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, str(error)
    return None


def readable(code: str, effort: Effort) -> tuple[str, ast.Module, bool] | None:
    """Return source that compiles, its tree, and whether a tail of it was cut away.

    Tried in this order: the text as it is (without a common indentation), with typographic
    characters outside strings replaced, and with a tail that is no Python cut off. A cut is made
    only where a line begins at the left margin, so it never goes through a function.
    """
    if len(code) > LONGEST or not code.strip():
        return None
    variants = _variants(code)
    for text in variants:
        if not effort.spend(text):
            return None
        tree = parse(text)
        if tree is not None:
            return text, tree, False
    for text in variants:
        cut = _without_tail(text, effort)
        if cut is not None:
            return *cut, True
    return None


def _variants(code: str) -> list[str]:
    code = code.replace("\x00", "").replace("\x0c", "")
    plain = _aligned(code.expandtabs(4) if "\t" in code else code)
    variants = [_aligned(code), plain]
    for text in (plain, _aligned(ascii_outside_strings(plain))):
        if text not in variants:
            variants.append(text)
    return list(dict.fromkeys(variants))


def _aligned(code: str) -> str:
    """Remove the indentation of the first line from all lines that have it."""
    lines = textwrap.dedent(code).strip("\n").split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return ""
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return "\n".join(line.removeprefix(margin).rstrip() for line in lines) + "\n"


def ascii_outside_strings(code: str) -> str:
    """Replace typographic spaces, quotes and operators outside strings and comments."""
    out: list[str] = []
    position = 0
    while position < len(code):
        trivia = _TRIVIA.match(code, position)
        if trivia:
            out.append(trivia[0].translate(_OUTSIDE))
            position = trivia.end()
            continue
        sign = code[position]
        if sign == "#":
            end = _find(code, "\n", position)
            out.append(code[position:end])
        elif sign in _SMART:
            end = _smart_end(code, position)
            quote = _SMART[sign]
            closed = end > position + 1 and code[end - 1] in _SMART
            inside = code[position + 1 : end - 1] if closed else code[position + 1 : end]
            out.append(quote + inside.replace(quote, "\\" + quote) + (quote if closed else ""))
        else:
            end = _string_end(code, position)
            out.append(code[position:end])
        position = end
    return "".join(out)


def _string_end(code: str, start: int) -> int:
    quote = code[start : start + 3]
    triple = quote in ('"""', "'''")
    quote = quote if triple else code[start]
    position = start + len(quote)
    while position < len(code):
        sign = code[position]
        if sign == "\\":
            position += 2
        elif code.startswith(quote, position):
            return position + len(quote)
        elif sign == "\n" and not triple:
            return position
        else:
            position += 1
    return len(code)


def _smart_end(code: str, start: int) -> int:
    """Return the position after the closing typographic quote, at most the end of the line."""
    wanted = _SMART[code[start]]
    for position in range(start + 1, _find(code, "\n", start)):
        if _SMART.get(code[position]) == wanted:
            return position + 1
    return start + 1


def _find(code: str, what: str, start: int) -> int:
    end = code.find(what, start)
    return len(code) if end < 0 else end


def _without_tail(code: str, effort: Effort) -> tuple[str, ast.Module] | None:
    lines = code.split("\n")
    for _ in range(_MOST_CUTS):
        text = "\n".join(lines) + "\n"
        if not effort.spend(text):
            return None
        fault = fault_in(text)
        if fault is None:
            tree = parse(text)
            return None if tree is None else (text, tree)
        cut = min(fault[0], len(lines)) - 1
        while cut > 0 and not _at_margin(lines[cut]):
            cut -= 1
        if cut <= 0:
            return None
        lines = lines[:cut]
    return None


def _at_margin(line: str) -> bool:
    return bool(line) and not line[0].isspace() and line[0] not in ")]}#"
