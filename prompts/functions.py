"""Judges the functions of a candidate: parameters, placeholders, whether all paths return."""

import ast
from collections.abc import Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef


def fits(arguments: ast.arguments, parameters: Sequence[str]) -> bool:
    """Return whether a call with ``parameters`` in their order means what the caller means.

    Other names are fine, the same names in another order are not; what comes on top needs a
    default.
    """
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    required = len(names) - len(arguments.defaults)
    count = len(parameters)
    if required > count or (len(names) < count and arguments.vararg is None):
        return False
    if any(default is None for default in arguments.kw_defaults):
        return False
    return all(
        name == parameter or name not in parameters
        for name, parameter in zip(names, parameters, strict=False)
    )


def same_names(arguments: ast.arguments, parameters: Sequence[str]) -> bool:
    """Return whether the first parameters carry exactly the wanted names."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    return names[: len(parameters)] == list(parameters) and fits(arguments, parameters)


def is_placeholder(function: Function) -> bool:
    """Return whether nothing is computed: ``pass``, ``...``, only a docstring, no value."""
    return all(_does_nothing(statement) for statement in function.body)


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Return whether every path through ``body`` ends in a return or raise."""
    if not body:
        return False
    last = body[-1]
    match last:
        case ast.Return() | ast.Raise():
            return True
        case ast.If():
            return always_returns(last.body) and always_returns(last.orelse)
        case ast.With():
            return always_returns(last.body)
        case ast.While():
            forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
            return forever and not any(isinstance(node, ast.Break) for node in ast.walk(last))
        case ast.For():
            return always_returns(last.orelse)
        case ast.Try():
            ends = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
            return always_returns(last.finalbody) or all(always_returns(end) for end in ends)
        case ast.Match():
            everything = isinstance(last.cases[-1].pattern, ast.MatchAs) and (
                last.cases[-1].pattern.pattern is None and last.cases[-1].guard is None
            )
            return everything and all(always_returns(case.body) for case in last.cases)
    return False


def awaits(function: Function) -> bool:
    """Return whether an ``async def`` needs to be one."""
    return any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
        or (isinstance(node, ast.comprehension) and bool(node.is_async))
        for node in _own_nodes(function)
    )


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=None | ast.Constant(value=None)):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


def _own_nodes(function: Function) -> list[ast.AST]:
    """Return the nodes of a function without those of functions inside it."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return nodes
