"""A genome as readable Python in an interface of its problem."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....evaluators.grammar import Feature, Grammar, Helper, Literal, Operator, Rendering, Symbol

__all__ = ["NoGrammar", "render"]

WIDTH = 96
LONGEST = 72
"""An expression longer than this many characters is broken up into named parts."""


class NoGrammar(LookupError):
    """The problem or its interface has no grammar, so nothing can be proposed without a model."""


def render(grammar: Grammar, interface: str, genome: str) -> str:
    """The source of the heuristic that a genome stands for.

    Raises:
        NoGrammar: the grammar has no rendering for the interface.
        BadGenome: the genome is no expression of the grammar.

    """
    rendering = grammar.renderings.get(interface)
    if rendering is None:
        known = ", ".join(sorted(grammar.renderings))
        raise NoGrammar(
            f"{grammar.name} has no grammar for the interface {interface!r} (it has {known}); "
            "choose one of these or configure a model"
        )
    writer = _Writer(grammar, interface)
    expression = writer.write(iter(grammar.parse(genome)))
    body = [*writer.parts, f"{rendering.result} = {expression}"]
    lines = [*_needed(grammar, interface, rendering, body), *body, *rendering.closing]
    head = [*rendering.imports, "", ""]
    used = set().union(*map(_names, (line for line in lines if not line.startswith("#"))))
    for routine in grammar.routines:
        if routine.name in used:
            head += [*routine.sources[interface].strip().splitlines(), "", ""]
    head.append(rendering.signature)
    return "\n".join([*head, *(f"    {line}" for line in lines)]) + "\n"


class _Writer:
    """Writes a prefix sequence as an expression, and long or repeated parts as lines before it."""

    def __init__(self, grammar: Grammar, interface: str) -> None:
        self.grammar = grammar
        self.interface = interface
        self.parts: list[str] = []
        self._named: dict[str, str] = {}

    def write(self, symbols: Iterator[Symbol]) -> str:
        symbol = next(symbols)
        if isinstance(symbol, Literal):
            return repr(symbol.value)
        if isinstance(symbol, Feature):
            return symbol.name
        arguments = [self.write(symbols) for _ in symbol.arguments]
        return self._apply(symbol, arguments)

    def _apply(self, operator: Operator, arguments: list[str]) -> str:
        source = operator.sources[self.interface]
        for position, argument in enumerate(arguments):
            if source.count(f"{{{position}}}") > 1:
                arguments[position] = self._name(argument)
        text = _fill(source, arguments)
        while len(text) > LONGEST and any(len(a) > LONGEST // 3 for a in arguments):
            longest = max(range(len(arguments)), key=lambda i: len(arguments[i]))
            arguments[longest] = self._name(arguments[longest])
            text = _fill(source, arguments)
        return text

    def _name(self, text: str) -> str:
        if text.isidentifier() or _is_number(text):
            return text
        if text not in self._named:
            self._named[text] = f"part_{len(self._named) + 1}"
            self.parts.append(f"{self._named[text]} = {text}")
        return self._named[text]


def _fill(source: str, arguments: Sequence[str]) -> str:
    return _tidied(source.format(*(f"({argument})" for argument in arguments)))


@lru_cache(maxsize=4096)
def _tidied(expression: str) -> str:
    """The expression with no more parentheses than it needs; parts recur from child to child."""
    return ast.unparse(_Tidier().visit(ast.parse(expression, mode="eval")))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Tidier(ast.NodeTransformer):
    """Write sums from left to right, and a negative term as a subtraction."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Add):
            return node
        right = node.right
        if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Add | ast.Sub):
            inner = self.visit(ast.BinOp(node.left, ast.Add(), right.left))
            return ast.BinOp(inner, right.op, right.right)
        if _negative(node.left) and not _negative(right):
            swapped: ast.expr = self.visit(ast.BinOp(right, ast.Add(), node.left))
            return swapped
        positive = _negated(right)
        return node if positive is None else ast.BinOp(node.left, ast.Sub(), positive)


def _negated(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left = _negated(node.left)
        return None if left is None else ast.BinOp(left, ast.Mult(), node.right)
    return None


def _negative(node: ast.expr) -> bool:
    return _negated(node) is not None


def _needed(
    grammar: Grammar, interface: str, rendering: Rendering, body: Sequence[str]
) -> list[str]:
    """The lines that the body needs, in order of declaration, each feature with its phrase."""
    lines: tuple[Helper | Feature, ...] = (*grammar.helpers, *grammar.features)
    wanted = set().union(*map(_names, body))
    kept = []
    for line in reversed(lines):
        if line.name in wanted:
            wanted |= _names(line.sources[interface])
            kept.append(line)
    written = []
    for line in reversed(kept):
        text = f"{line.name} = {line.sources[interface]}"
        comment = f"# {line.phrase}" if isinstance(line, Feature) else ""
        fits = not comment or len(f"{text}  {comment}") <= WIDTH
        written += [f"{text}  {comment}".rstrip()] if fits else [comment, text]
    return written


@lru_cache(maxsize=4096)
def _names(source: str) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name))
