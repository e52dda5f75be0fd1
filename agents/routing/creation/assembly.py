"""From eight answers to one program, and what can be told of an answer without running it."""

import ast
from collections.abc import Mapping

from .... import syntax
from ....evaluators.routing.created import FUNCTIONS, NAMES
from ....sandbox import DEFAULT_POLICY


def parameters(name: str) -> tuple[str, ...]:
    """Return the parameters of a function of the contract."""
    signature = next(one.signature for one in FUNCTIONS if one.name == name)
    found = syntax.parse(f"{signature}: pass").body[0]
    assert isinstance(found, ast.FunctionDef)
    return tuple(argument.arg for argument in found.args.args)


def assemble(functions: Mapping[str, str]) -> str:
    """Return the program of the functions that there are, in the order of the contract."""
    parts = [functions[name].strip() for name in NAMES if name in functions]
    future = "from __future__ import annotations"
    if any(future in part for part in parts):
        parts = [future, *(part.replace(future, "").strip() for part in parts)]
    return "\n\n\n".join(parts) + "\n" if parts else ""


def fault(code: str, name: str, functions: Mapping[str, str]) -> str:
    """Return why an answer cannot become part of the program, in one sentence; empty if it can.

    Args:
        code: the function with its helpers and imports.
        name: of the function.
        functions: the other functions of the program.
    """
    try:
        tree = syntax.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"it cannot be parsed: {error}"
    bound = _bound(tree)
    others = {one: _bound(syntax.parse(text)) for one, text in functions.items() if one != name}
    for other, names in others.items():
        for clash in sorted(bound & names):
            return (
                f"it defines {clash!r}, which belongs to {other}: call that one, or begin the name "
                f"with _{name}_"
            )
    for clash in sorted((bound & set(NAMES)) - {name}):
        return f"it defines {clash!r}, which is another function of the program; write only {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "print":
            return f"it prints in line {node.lineno}; the program prints nothing"
    refused = DEFAULT_POLICY.check(code)
    return f"line {refused.line}: {refused.message}" if refused is not None else ""


def _bound(tree: ast.Module) -> set[str]:
    """Return the names that a module defines at its top level; imports are shared."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                found |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found
