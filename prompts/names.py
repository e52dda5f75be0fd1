"""Which names a program uses without binding them, and the imports that it forgot."""

import ast
import builtins
import symtable
from collections.abc import Iterable

from .source import NAME

_MODULES = (
    "bisect", "collections", "copy", "functools", "heapq", "itertools", "math", "numpy",
    "operator", "random", "statistics", "torch", "typing",
)  # fmt: skip
_MEMBERS = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "dataclasses": "dataclass",
    "functools": "lru_cache partial reduce",
    "heapq": "heapify heappop heappush nlargest nsmallest",
    "itertools": "combinations permutations product",
    "math": "cos exp hypot inf log sin sqrt",
    "typing": "Any Callable Dict Iterable List Optional Sequence Set Tuple Union",
}
IMPORTS = {
    **{module: f"import {module}" for module in _MODULES},
    **{
        member: f"from {module} import {member}"
        for module, members in _MEMBERS.items()
        for member in members.split()
    },
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
}


def free_names(code: str) -> set[str]:
    """Return the names that ``code`` reads as globals and nobody binds; builtins excepted.

    Raises:
        SyntaxError, RecursionError: The code cannot be analysed.
    """
    read: set[str] = set()
    bound: set[str] = set()
    top = symtable.symtable(code, NAME, "exec")
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting.extend(table.get_children())
        for symbol in table.get_symbols():
            is_global = table is top or symbol.is_global()
            if is_global and symbol.is_referenced():
                read.add(symbol.get_name())
            if is_global and (
                symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            ):
                bound.add(symbol.get_name())
    return read - bound - set(dir(builtins)) - {"__name__", "__file__", "__doc__"}


def missing_imports(names: Iterable[str]) -> list[str]:
    """Return import lines for those of ``names`` that everybody knows."""
    return sorted(IMPORTS[name] for name in names if name in IMPORTS)


def bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds."""
    match statement:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
