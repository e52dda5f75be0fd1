"""Numeric constants of a program that are parameters of its rule.

A literal is a parameter unless one of these holds. Signs belong to the program, not to the literal.

1. It is 0, or the integer 1, or a float 1.0 that is neither a factor nor a whole value (``a = 1.0``):
   these are neutral elements and steps, as in ``1 - x``.
2. It is below 1e-5 or above 1e5: a guard against division by zero, or a wall.
3. It is part of a subscript, an annotation, a decorator, a formatted string, a pattern, a dictionary's
   key, or the value of an argument that names a tolerance or a seed.

An integer is, besides, none where it may count or name positions:

4. directly or within a tuple or list in the arguments of a function, as in ``x.sum(1)``, ``topk(3)``
   and ``reshape(-1, 2)``, unless the function is arithmetic (``min(5, n)``, ``x.pow(2)``, ``clamp``);
   everywhere in the arguments of those that take shapes or ranges (``zeros(2 * n)``, ``range(5)``);
   as a keyword argument, unless the keyword is a value's, such as ``min``;
5. as an operand of ``%``, ``//``, shifts and bits, or of anything together with a size (``len(x) - 2``,
   ``x.shape[0] > 3``, ``n - 2`` where ``n = len(x)``); compared by ``==``, ``!=``, ``in`` or ``is``;
6. in a tuple, list or set, as what a function returns, or as the value of a name such as ``dim``.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .... import syntax

SMALLEST, LARGEST = 1e-5, 1e5

ARITHMETIC = frozenset({
    "abs", "clamp", "clamp_max", "clamp_min", "clip", "div", "exp", "float", "float_power", "fmax",
    "fmin", "log", "log1p", "maximum", "minimum", "mul", "multiply", "pow", "power", "sigmoid", "sqrt",
    "tanh", "where",
})  # fmt: skip
"""Functions whose integer arguments are values, under whatever name they are called."""

BARE = frozenset({"max", "min", "round", "sum"})
"""Arithmetic as built-in functions; as methods their integers are dimensions."""

SHAPED = frozenset({
    "arange", "chunk", "cumsum", "default_rng", "diagonal", "empty", "enumerate", "expand", "eye",
    "flatten", "full", "gather", "histogram", "index_select", "kthvalue", "linspace", "manual_seed",
    "movedim", "narrow", "nsmallest", "nlargest", "ones", "pad", "permute", "rand", "randint", "randn",
    "random", "randperm", "range", "repeat", "repeat_interleave", "reshape", "roll", "seed", "select",
    "split", "squeeze", "stack", "tile", "topk", "transpose", "tril", "triu", "unfold", "unsqueeze",
    "view", "zeros",
})  # fmt: skip
"""Functions that take shapes, positions, counts or seeds."""

VALUES = frozenset({
    "a_max", "a_min", "alpha", "base", "beta", "exponent", "fill_value", "max", "min", "other",
    "value", "weight",
})  # fmt: skip
"""Keywords whose integers are values."""

NO_VALUES = frozenset({
    "atol", "axes", "axis", "ddof", "decimals", "dim", "dims", "eps", "epsilon", "ndim", "rtol", "seed",
    "shape", "size", "tol",
})  # fmt: skip
"""Names of arguments and variables that hold no parameter of a rule."""

SIZES = frozenset({"len", "shape", "size", "ndim", "dim", "numel"})


@dataclass(frozen=True)
class Constant:
    """A literal of a program: its value, positive, and where its text stands.

    ``line`` counts from 1, ``column`` and ``end`` count bytes of UTF-8 in the line, as :mod:`ast` does.
    """

    value: float | int
    line: int
    column: int
    end: int

    @property
    def integer(self) -> bool:
        """Whether the value has to stay an integer."""
        return isinstance(self.value, int)


def find_constants(code: str) -> tuple[Constant, ...]:
    """Return the parameters among the literals of a program, in the order of its text.

    Raises:
        SyntaxError, ValueError, RecursionError: the program cannot be parsed.
    """
    tree = syntax.parse(code)
    finder = _Finder(_size_names(tree))
    finder.visit(tree)
    return tuple(sorted(finder.found, key=lambda one: (one.line, one.column)))


def rewrite(code: str, constants: Sequence[Constant], values: Sequence[float | int]) -> str:
    """Return the program with other values in the places of ``constants``; all else stays as it is.

    Raises:
        ValueError: a value is not positive, or no integer where one stood.
    """
    lines = code.encode().splitlines(keepends=True)
    pairs = sorted(
        zip(constants, values, strict=True),
        key=lambda pair: (pair[0].line, pair[0].column),
        reverse=True,
    )
    for one, value in pairs:
        if value <= 0 or one.integer != isinstance(value, int):
            raise ValueError(f"{value!r} cannot stand where {one.value!r} stood")
        line = lines[one.line - 1]
        lines[one.line - 1] = line[: one.column] + repr(value).encode() + line[one.end :]
    return b"".join(lines).decode()


class _Finder(ast.NodeVisitor):
    """Walks a tree; ``ints`` says whether an integer met here may be a parameter."""

    def __init__(self, sizes: frozenset[str]) -> None:
        self.found: list[Constant] = []
        self.sizes = sizes
        self.ints = True
        self.whole = False
        """Whether the node at hand is a factor, or the whole value of a name."""

    def walk(self, nodes: Iterable[ast.AST | None], ints: bool, whole: bool = False) -> None:
        """Visit parts under other rules."""
        before = self.ints, self.whole
        for node in nodes:
            self.ints, self.whole = ints, whole
            if node is not None:
                self.visit(node)
        self.ints, self.whole = before

    def generic_visit(self, node: ast.AST) -> None:
        """Look into a node without rules of its own; only what is named can be a whole value."""
        ints = self.ints or isinstance(node, ast.stmt)
        self.walk(ast.iter_child_nodes(node), ints)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if not isinstance(value, int | float) or isinstance(value, bool):
            return
        if not SMALLEST <= value <= LARGEST or (value == 1 and not self.whole):
            return
        if isinstance(value, int) and (not self.ints or value == 1):
            return
        assert node.end_col_offset is not None
        self.found.append(Constant(value, node.lineno, node.col_offset, node.end_col_offset))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.walk([node.operand], self.ints, self.whole)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def _named(self, name: str | None, value: ast.expr | None) -> None:
        """The value of a name, be it a variable's or a parameter's default."""
        if value is not None and (name is None or name.lower() not in NO_VALUES):
            self.walk([value], ints=True, whole=True)

    def visit_Assign(self, node: ast.Assign) -> None:
        first = node.targets[0]
        self._named(first.id if isinstance(first, ast.Name) else None, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._named(node.target.id if isinstance(node.target, ast.Name) else None, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._operands(node.op, [node.target, node.value])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._named(node.target.id, node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._arguments(node.args)
        self.walk(node.body, ints=True)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._arguments(node.args)
        self.walk([node.body], self.ints)

    def _arguments(self, arguments: ast.arguments) -> None:
        plain = [*arguments.posonlyargs, *arguments.args]
        given = plain[len(plain) - len(arguments.defaults) :]
        for name, default in zip(given, arguments.defaults, strict=True):
            self._named(name.arg, default)
        for name, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            self._named(name.arg, value)

    def visit_Return(self, node: ast.Return) -> None:
        self.walk([node.value], not _literal(node.value))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._operands(node.op, [node.left, node.right])

    def _operands(self, operator: ast.operator, sides: Sequence[ast.expr]) -> None:
        counted = not isinstance(operator, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow)
        sized = any(_is_size(side, self.sizes) for side in sides)
        factor = isinstance(operator, ast.Mult)
        self.walk(sides, self.ints and not counted and not sized, whole=factor)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        ordered = all(isinstance(o, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for o in node.ops)
        sized = any(_is_size(side, self.sizes) for side in sides)
        self.walk(sides, self.ints and ordered and not sized)

    def visit_Call(self, node: ast.Call) -> None:
        bare = isinstance(node.func, ast.Name)
        name = _called(node.func)
        values = name in ARITHMETIC or (bare and name in BARE)
        self.walk([node.func], self.ints)
        for argument in node.args:
            inside = values or not (_literal(argument) or name in SHAPED)
            self.walk([argument], inside and self.ints)
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg.lower() not in NO_VALUES:
                allowed = keyword.arg in VALUES or not _literal(keyword.value)
                self.walk([keyword.value], allowed and name not in SHAPED, whole=True)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.walk([node.value], self.ints)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        self._elements(node.elts)

    def visit_List(self, node: ast.List) -> None:
        self._elements(node.elts)

    def visit_Set(self, node: ast.Set) -> None:
        self._elements(node.elts)

    def _elements(self, elements: Sequence[ast.expr]) -> None:
        for one in elements:
            self.walk([one], self.ints and not _literal(one), whole=True)

    def visit_Dict(self, node: ast.Dict) -> None:
        self.walk(node.values, self.ints, whole=True)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave formatted strings alone."""

    def visit_Match(self, node: ast.Match) -> None:
        self.walk([node.subject], self.ints)
        for case in node.cases:
            self.walk(case.body, ints=True)


def _literal(node: ast.expr | None) -> bool:
    """Whether an expression is a number, with or without a sign, or a tuple or list."""
    if isinstance(node, ast.UnaryOp):
        return _literal(node.operand)
    return isinstance(node, ast.Constant | ast.Tuple | ast.List | ast.Set)


def _called(function: ast.expr) -> str:
    """The last part of the name of what is called."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_size(node: ast.expr, names: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is a size: ``len(x)``, ``x.shape[0]``, ``x.size(1)``, or a name of one."""
    if isinstance(node, ast.Call):
        return _called(node.func) in SIZES
    if isinstance(node, ast.Subscript):
        return _is_size(node.value)
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in SIZES


def _size_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that a program gives to sizes."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                count = len(target.elts)
                pairs = list(zip(target.elts, (values * count)[:count], strict=True))
            names |= {
                name.id for name, value in pairs if isinstance(name, ast.Name) and _is_size(value)
            }
    return frozenset(names)
