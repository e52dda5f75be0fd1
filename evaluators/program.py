"""The identity of a program: the hash of its source without what does not change its meaning."""

import ast
import hashlib
import threading
import warnings

from .. import syntax

_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IGNORED_FIELDS = {"ctx", "kind", "type_comment", "type_ignores"}
_parsing = threading.Lock()  # warnings.catch_warnings changes state of the whole process


def program_hash(code: str) -> str:
    """Return the SHA-256 of a program's normalised source, as hexadecimal digits.

    Comments, docstrings, blank lines, kinds of quotes, redundant brackets and other layout do not
    count; names, annotations and the order of statements do. The normal form is written here, not
    by ``ast.dump`` or ``ast.unparse``, whose output changes between versions of Python. Source that
    cannot be parsed is identified by its text, stripped of white space at the ends of lines.
    """
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in a candidate are not our news
            tree = syntax.parse(code)
        text = "tree\n" + _normal_form(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # ValueError: null bytes; RecursionError and MemoryError: nested too deeply to be parsed.
        text = "text\n" + "\n".join(line.rstrip() for line in code.strip().splitlines())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Mark(str):
    """Punctuation of the normal form, apart from the strings of the program."""

    __slots__ = ()


def _normal_form(tree: ast.AST) -> str:
    """Write a syntax tree as text, without recursion: long sums are deep trees."""
    parts: list[str] = []
    pending: list[object] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, _Mark):
            parts.append(node)
        elif isinstance(node, ast.AST):
            parts.append(f"({type(node).__name__}")
            pending.append(_Mark(")"))
            for name, value in reversed(_fields(node)):
                pending += [value, _Mark(f" {name}=")]
        elif isinstance(node, list):
            parts.append("[")
            pending.append(_Mark("]"))
            for item in reversed(node):
                pending += [_Mark(","), item]
        else:
            parts.append(f"{type(node).__name__}:{node!r}")
    return "".join(parts)


def _fields(node: ast.AST) -> list[tuple[str, object]]:
    """Return the fields that matter; empty ones vary between versions of Python and say nothing."""
    fields: list[tuple[str, object]] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED):
            value = _without_docstring(node)
        if name not in _IGNORED_FIELDS and value is not None and value != []:
            fields.append((name, value))
    return fields


def _without_docstring(
    node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
) -> list[ast.stmt]:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return body or [ast.Pass()]
