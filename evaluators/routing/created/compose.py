"""Puts another version of one function into a created solver, and exports solvers as programs."""

import ast
from collections.abc import Iterable
from importlib.resources import files

from .... import syntax
from ..instance import RoutingError


def compose(code: str, function_name: str, function_code: str) -> str:
    """Return the program with one function replaced by the version in another text.

    That text may bring imports and helpers of its own, which stand before the function; their
    names must not be those of the program.

    Args:
        code: a whole created solver.
        function_name: the function to replace, such as ``destroy``.
        function_code: text that defines it.

    Raises:
        RoutingError: one of the texts cannot be parsed, lacks the function, or their names clash.
    """
    program, part = _parsed(code, "the program"), _parsed(function_code, "the function")
    old, new = _definition(program, function_name), _definition(part, function_name)
    if old is None or new is None:
        where = "program" if old is None else "new text"
        raise RoutingError(f"the {where} defines no function {function_name!r}.")
    clash = sorted((_names(program) - {function_name}) & (_names(part) - {function_name}))
    if clash:
        raise RoutingError(f"the new text defines {clash[0]!r}, which the program has already.")
    lines = code.splitlines()
    first = min([old.lineno, *(mark.lineno for mark in old.decorator_list)]) - 1
    last = old.end_lineno or old.lineno
    if any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in part.body):
        raise RoutingError("the new text must not import from __future__.")
    return "\n".join([*lines[:first], function_code.strip("\n"), *lines[last:], ""])


def defined_functions(code: str) -> frozenset[str]:
    """Return the names of a program's top-level functions.

    Raises:
        RoutingError: it cannot be parsed.
    """
    body = _parsed(code, "the program").body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def standalone(code: str, description: str, constraints: Iterable[str]) -> str:
    """Return a created solver as a program that runs without Eurisko.

    Files, arguments and printing are added here; the solver itself has none of them.

    Args:
        code: the whole created solver.
        description: what it solves; becomes the docstring.
        constraints: names of the rules that it keeps.

    Raises:
        RoutingError: the program cannot be parsed.
    """
    tree = _parsed(code, "the program")
    lines = code.splitlines()
    first = tree.body[0] if tree.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        lines = lines[: first.lineno - 1] + lines[first.end_lineno or first.lineno :]
    text = description.strip().replace("\\", "\\\\").replace('"""', "'''")
    rules = ", ".join(sorted(constraints))
    shell = files(__package__).joinpath("standalone_shell.txt").read_text(encoding="utf-8")
    head = f'"""{text}\n\nRules: {rules}.\n\nUsage: python FILE --path INSTANCE --seconds 10\n"""\n'
    return "\n".join([head, *lines, "", shell])


def _parsed(code: str, what: str) -> ast.Module:
    try:
        return syntax.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RoutingError(f"{what} cannot be parsed: {error}.") from error


def _definition(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[-1] if found else None


def _names(tree: ast.Module) -> set[str]:
    """Return what a module defines at its top, imports left out: those may be repeated."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
