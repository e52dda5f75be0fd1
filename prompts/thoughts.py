"""Finds the sentence that describes a heuristic: in braces, else in the prose or a docstring."""

import ast
import re

from .. import syntax

LONGEST = 400  # characters
_FEWEST_WORDS = 3
_PLACEHOLDER = re.compile(
    r"^\W*(?:(?:your|the|an?|one|main|core|short|brief)\s+)*"
    r"(?:idea|thought|description|sentence|algorithm|python code|code|explanation)"
    r"(?:,?\s+(?:in|of|as|here|goes)\b.{0,60})?\W*$",
    re.IGNORECASE | re.DOTALL,
)
_LABEL = re.compile(  # "The idea in one sentence:"
    r"^(?:the |my |new )*(?:core |main )?(?:idea|thought|algorithm|description|sentence)"
    r"(?: in one sentence)?(?: is)?\s?:\s",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^\W*(?:sure|certainly|of course|okay|ok|here(?:'s|’s| is| are)|below is|the following|"
    r"this is the|let me|let's|to answer)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n|:\s*$")
_LOOKED_AT = 20_000  # characters of prose


def thought_in(prose: str, code: str, function: str, stated: str = "") -> str:
    """Return one sentence that describes the program.

    Args:
        prose: The reply without its code.
        code: The program.
        function: Its function, whose docstring may help.
        stated: A description field of a JSON answer.
    """
    prose = prose[:_LOOKED_AT]
    sources = (
        stated if _says_something(stated) else "",
        _in_braces(prose),
        _first_sentence(prose),
        _from_docstring(code, function),
        _from_comment(code),
    )
    for text in sources:
        cleaned = tidy(text)
        if cleaned:
            return cleaned
    return "No description was given."


def tidy(text: str) -> str:
    """Return ``text`` on one line, without markup, of limited length."""
    line = " ".join(text[: 4 * LONGEST].replace("`", "").replace("**", "").split())
    line = _LABEL.sub("", line.strip("{}#*-_:>\"' "))
    if len(line) <= LONGEST:
        return line
    return line[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " ..."


def _in_braces(prose: str) -> str:
    """Return the first balanced group of braces that says something."""
    depth = start = 0
    for position, sign in enumerate(prose):
        if sign == "{":
            if depth == 0:
                start = position + 1
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            inside = prose[start:position]
            if depth == 0 and _says_something(inside):
                return inside
    if depth:  # never closed: to the end of the paragraph
        inside = prose[start:].partition("\n\n")[0]
        return inside if _says_something(inside) else ""
    return ""


def _says_something(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and not _PLACEHOLDER.match(text[:300])


def _first_sentence(prose: str) -> str:
    plain = re.sub(r"\{[^{}]{0,80}\}", " ", prose)
    for sentence in _SENTENCE_END.split(plain):
        text = " ".join((sentence or "").split())
        is_heading = text.startswith("#") or text.endswith(":")
        if _says_something(text) and not _FILLER.match(text) and not is_heading:
            return text
    return ""


def _from_docstring(code: str, function: str) -> str:
    for node in syntax.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            said = ast.get_docstring(node) or ""
            return _SENTENCE_END.split(said.strip(), maxsplit=1)[0] if said.strip() else ""
    return ""


def _from_comment(code: str) -> str:
    for line in code.split("\n"):
        text = line.strip()
        if text.startswith("#") and _says_something(text.lstrip("# ")):
            return text.lstrip("# ")
    return ""
