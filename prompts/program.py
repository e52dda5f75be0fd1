"""Makes the program out of a stretch of code: the function, what it needs, and nothing else."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Sequence

from .functions import (
    Function,
    always_returns,
    awaits,
    fits,
    is_placeholder,
    same_names,
)
from .names import bound_by, free_names, missing_imports
from .source import LONGEST, Effort, fault_in, parse, readable

_AVAILABLE = frozenset(sys.stdlib_module_names) | {"numpy", "torch"}


class Unusable(Exception):
    """No program can be made of this code; the message is one sentence for the model.

    Attributes:
        placeholder: The function is there, and empty.
        broken: The code is no Python, so its beginning or end may lie elsewhere.
    """

    def __init__(self, reason: str, *, placeholder: bool = False, broken: bool = False) -> None:
        super().__init__(reason)
        self.placeholder = placeholder
        self.broken = broken


def make_program(
    code: str,
    function: str,
    parameters: Sequence[str],
    effort: Effort,
    *,
    closed: bool = True,
    truncated: bool = False,
    others: Sequence[str] = (),
) -> str:
    """Return the source of a program that defines ``function`` with ``parameters``.

    Args:
        code: Text that holds the program.
        function: The name that it must define.
        parameters: The names of its parameters.
        effort: How much may still be compiled.
        closed: Whether the end of ``code`` is certain.
        truncated: Whether the model was stopped by its token limit.
        others: Other stretches of code of the same reply, where a helper may stand.

    Raises:
        Unusable: And why.
    """
    found = readable(code, effort)
    if found is None or (found[2] and not _mentions(found[1])):
        raise Unusable(_not_python(code, effort), broken=True)
    text, tree, cut = found
    text, tree, chosen = _with_function(text, tree, function, parameters)
    loose = (cut or not closed) and chosen is tree.body[-1]
    if loose and isinstance(chosen, ast.FunctionDef) and not always_returns(chosen.body):
        raise Unusable(f"the function {function} seems to be cut off; send it completely")
    if loose and truncated and not cut:
        raise Unusable("the answer was cut off by the length limit; write a shorter function")
    program = _kept(text, tree, function, chosen)
    program = _completed(program, function, others, effort, strict=loose and not cut)
    final = parse(program)
    if final is None:  # our own edits broke it: better none than a wrong one
        raise Unusable("the code could not be read; send only the plain function in one block")
    return program


def _mentions(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in ast.walk(tree)
    )


def _not_python(code: str, effort: Effort) -> str:
    if len(code) > LONGEST:
        return f"the code is longer than {LONGEST} characters; write a short function"
    fault = fault_in(code.strip("\n")) if effort.spend(code) else None
    where = f" (line {fault[0]}: {fault[1]})" if fault else ""
    return f"the code is not valid Python{where}; send the complete function"


def _with_function(
    text: str, tree: ast.Module, function: str, parameters: Sequence[str]
) -> tuple[str, ast.Module, ast.stmt]:
    """Return the code with a top-level definition of ``function``, and that definition."""
    named = [node for node in tree.body if _defines(node, function)]
    if not named:
        text = _renamed(text, tree, function, parameters)
    elif isinstance(named[-1], ast.AsyncFunctionDef):
        if awaits(named[-1]):
            raise Unusable(f"{function} must be a plain function, not an async one")
        pattern = rf"^async[ \t]+def(?=[ \t]+{re.escape(function)}\b)"
        text = re.sub(pattern, "def", text, flags=re.MULTILINE)
    else:
        return text, tree, _best(named, function, parameters)
    again = parse(text)
    if again is None:
        raise Unusable(f"the definition of {function} could not be read; send a plain function")
    named = [node for node in again.body if _defines(node, function)]
    return text, again, _best(named, function, parameters)


def _best(named: Sequence[ast.stmt], function: str, parameters: Sequence[str]) -> ast.stmt:
    """Return the last definition that is no placeholder, if its parameters fit."""
    full = [n for n in named if not (isinstance(n, ast.FunctionDef) and is_placeholder(n))]
    if not full:
        raise Unusable(
            f"the body of {function} is a placeholder or returns nothing; write the whole function",
            placeholder=True,
        )
    arguments = _arguments(full[-1])
    if arguments is None or not fits(arguments, parameters):
        raise Unusable(
            f"{function} must take the parameters ({', '.join(parameters)}), in this order"
        )
    return full[-1]


def _defines(node: ast.stmt, function: str) -> bool:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name == function
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
            return name == function
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda()):
            return name == function
    return False


def _arguments(node: ast.stmt) -> ast.arguments | None:
    match node:
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            return arguments
        case ast.Assign(value=ast.Lambda(args=arguments)):
            return arguments
        case ast.AnnAssign(value=ast.Lambda(args=arguments)):
            return arguments
    return None


def _renamed(text: str, tree: ast.Module, function: str, parameters: Sequence[str]) -> str:
    """Return code where the only function with the right parameters gets the right name."""
    alike: list[Function] = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and same_names(node.args, parameters)
    ]
    if len(alike) == 1:
        if is_placeholder(alike[0]):
            raise Unusable(f"the body of {function} is a placeholder; write it", placeholder=True)
        return _rename(text, alike[0].name, function)
    wrapped = _method(tree, function, parameters)
    if not alike and wrapped is not None:
        call = f"{wrapped}().{function}({', '.join(parameters)})"
        return f"{text}\n\ndef {function}({', '.join(parameters)}):\n    return {call}\n"
    several = " (several functions take these parameters)" if len(alike) > 1 else ""
    raise Unusable(
        f"no function {function}({', '.join(parameters)}) is defined{several}; define it with "
        "exactly this name and these parameters"
    )


def _method(tree: ast.Module, function: str, parameters: Sequence[str]) -> str | None:
    """Return the class that has ``function`` as a method and can be made without arguments."""
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        method, constructor = methods.get(function), methods.get("__init__")
        if method is None or is_placeholder(method):
            continue
        static = any(
            isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list
        )
        wanted = list(parameters) if static else ["self", *parameters]
        if fits(method.args, wanted) and (constructor is None or fits(constructor.args, ["self"])):
            return node.name
    return None


def _rename(text: str, old: str, new: str) -> str:
    lines = text.splitlines(keepends=True)
    before = ""
    spots: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string == old and before != ".":
            spots.append(token.start)
        before = token.string
    for row, column in reversed(spots):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _kept(text: str, tree: ast.Module, function: str, chosen: ast.stmt) -> str:
    """Return imports, definitions and the constants they use: no examples, no second version."""
    lines = [line.encode() for line in text.split("\n")]
    kept = [
        node
        for node in tree.body
        if _is_definition(node) and (node is chosen or not _defines(node, function))
    ]
    needed = free_names(_joined(lines, kept, without_imports=True))
    for node in reversed(tree.body):
        if _is_constant(node) and node not in kept and bound_by(node) & needed:
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if function not in names:
                kept.append(node)
                needed |= names
    kept = [node for node in kept if not _is_needless_import(node, needed)]
    order = {id(node): number for number, node in enumerate(tree.body)}
    kept.sort(key=lambda node: order[id(node)])
    return _joined(lines, kept)


def _is_definition(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return True
        case ast.ClassDef() | ast.Assign(value=ast.Lambda()) | ast.AnnAssign(value=ast.Lambda()):
            return True
        case ast.Try(body=body, handlers=handlers):  # try: import a  except ImportError: a = None
            inner = [*body, *(statement for handler in handlers for statement in handler.body)]
            return isinstance(body[0], ast.Import | ast.ImportFrom) and all(
                isinstance(s, ast.Import | ast.ImportFrom | ast.Assign | ast.Pass) for s in inner
            )
    return False


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) or (
        isinstance(node, ast.AnnAssign) and node.value is not None
    )


def _is_needless_import(node: ast.stmt, needed: set[str]) -> bool:
    """Return whether an import of something that is not installed is never used."""
    match node:
        case ast.Import(names=aliases):
            modules = {alias.name.partition(".")[0] for alias in aliases}
        case ast.ImportFrom(module=str(module), level=0, names=aliases):
            modules = {module.partition(".")[0]}
        case _:
            return False
    return not modules & _AVAILABLE and not bound_by(node) & needed


def _joined(lines: list[bytes], nodes: Sequence[ast.stmt], *, without_imports: bool = False) -> str:
    parts: list[str] = []
    end_before = 0
    for node in nodes:
        if without_imports and isinstance(node, ast.Import | ast.ImportFrom):
            continue
        decorators = [d.lineno for d in getattr(node, "decorator_list", [])]
        first, last = min([node.lineno, *decorators]) - 1, (node.end_lineno or node.lineno) - 1
        column = node.col_offset if not decorators else 0
        piece = lines[first : last + 1]
        piece[-1] = piece[-1][: node.end_col_offset]
        piece[0] = piece[0][column:]
        above = first
        while column == 0 and above > end_before and lines[above - 1].startswith(b"#"):
            above -= 1
        body = b"\n".join([*lines[above:first], *piece]).decode()
        big = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
        gap = "\n\n" if parts and (big or parts[-1].count("\n") > 1) else ""
        parts.append(gap + body)
        end_before = last + 1
    return "\n".join(parts) + "\n"


def _completed(
    program: str, function: str, others: Sequence[str], effort: Effort, *, strict: bool
) -> str:
    """Return the program with the imports and helpers that it uses and lacks."""
    for other in reversed(others):
        lacking = {name for name in free_names(program) if not missing_imports([name])}
        if not lacking:
            break
        found = readable(other, effort)
        if found is None or any(_defines(node, function) for node in found[1].body):
            continue
        helpers: list[ast.stmt] = []
        for node in reversed(found[1].body):  # what a helper needs stands before it
            if (_is_definition(node) or _is_constant(node)) and bound_by(node) & lacking:
                helpers.insert(0, node)
                lacking |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if helpers:
            lines = [line.encode() for line in found[0].split("\n")]
            program = _joined(lines, helpers) + "\n\n" + program
    unknown = free_names(program)
    imports = missing_imports(unknown)
    if strict and len(imports) < len(unknown):
        raise Unusable(
            f"{function} uses names that are not defined ({', '.join(sorted(unknown)[:5])}) and "
            "seems to be cut off; send it completely"
        )
    if not imports:
        return program
    future = [line for line in program.split("\n") if line.startswith("from __future__")]
    rest = [line for line in program.split("\n") if not line.startswith("from __future__")]
    return (
        "\n".join([*future, *imports, *rest])
        if rest[0].startswith(("import", "from"))
        else ("\n".join([*future, *imports, "", "", *rest]))
    )
