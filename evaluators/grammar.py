"""What a problem declares so that heuristics can be proposed without a language model.

A grammar is a small typed language: features that a heuristic may look at, operators that combine
them, and random constants. Every symbol carries the source that computes it in each interface of
the problem and a phrase for the one-sentence description. A genome is an expression of the
language in prefix form, such as ``add(step, scale(home, -0.25))``.
"""

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = [
    "BadGenome",
    "Constant",
    "Feature",
    "Grammar",
    "GrammarError",
    "Helper",
    "Literal",
    "Mixture",
    "Operator",
    "Rendering",
    "Routine",
    "Symbol",
]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_TOKEN = re.compile(r"\s*([^\s(),]+|[(),])")


class GrammarError(ValueError):
    """A declaration that cannot work; the message is one sentence that says what and where."""


class BadGenome(ValueError):
    """A genome that is no expression of the grammar."""


@dataclass(frozen=True)
class Rendering:
    """How programs of one interface are written.

    Args:
        signature: the ``def`` line, ending in a colon.
        result: the name that the expression's value is bound to.
        closing: the last lines of the function, which turn ``result`` into what it returns.
        imports: the import lines that the sources need.

    """

    signature: str
    result: str
    closing: tuple[str, ...]
    imports: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters' names, in order."""
        return tuple(argument.arg for argument in self._definition().args.args)

    @property
    def modules(self) -> frozenset[str]:
        """The names that the import lines bind."""
        nodes = [node for line in self.imports for node in ast.parse(line).body]
        imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
        aliases = (alias for node in imports for alias in node.names)
        return frozenset(alias.asname or alias.name.partition(".")[0] for alias in aliases)

    def _definition(self) -> ast.FunctionDef:
        (definition,) = ast.parse(f"{self.signature}\n    pass").body
        assert isinstance(definition, ast.FunctionDef)
        return definition


@dataclass(frozen=True)
class Helper:
    """A line that features need but that is no feature itself: ``name = sources[interface]``.

    An interface in which no feature needs it may be left out of ``sources``.
    """

    name: str
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Routine:
    """A function that features call, written before the heuristic: its whole ``def`` by interface."""

    name: str
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Feature:
    """A terminal: ``name = sources[interface]``, described by a noun phrase."""

    name: str
    type: str
    phrase: str
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Operator:
    """A typed function of the language.

    Args:
        name: as genomes spell it.
        arguments: the types of its arguments, one or more.
        result: the type of its value.
        phrase: words with ``{0}``, ``{1}``, ... for the arguments' phrases.
        sources: by interface, an expression with ``{0}``, ``{1}``, ... for the arguments; it may
            use features and helpers too. It must be finite for finite arguments.
        commutative: whether two arguments may be swapped.
        idempotent: whether equal arguments give back the argument, as for a minimum.
        neutral: pairs (position, constant): with that constant there, the value is the first
            remaining argument.
        convex: whether it weighs its first argument by the others: linear in the weights, and
            equal weights do the same as one plain coefficient.
        fold: the value for constant arguments, where known.
        frequency: how often it is drawn, beside operators of the same type that have 1.

    """

    name: str
    arguments: tuple[str, ...]
    result: str
    phrase: str
    sources: Mapping[str, str]
    commutative: bool = False
    idempotent: bool = False
    neutral: tuple[tuple[int, float], ...] = ()
    convex: bool = False
    fold: Callable[..., float] | None = None
    frequency: int = 1


@dataclass(frozen=True)
class Constant:
    """Random constants of a type, drawn uniformly from [low, high]."""

    type: str
    low: float
    high: float


@dataclass(frozen=True)
class Mixture:
    """The operators of a weighted sum, the shape that heuristics most often have.

    Args:
        add: a commutative, associative operator on the grammar's root type.
        weigh: an operator from (root type, a type with constants) to the root type.
        heights: of the terms of a random sum; one is drawn for each, 0 stands for a feature.
        terms: how many terms it has beside the seed heuristic, at least and at most.
        faded: whether the seed heuristic gets a random weight below 1 in it, which helps where the
            best rules contradict the seed.

    """

    add: str
    weigh: str
    heights: tuple[int, ...] = (0, 0, 0, 1)
    terms: tuple[int, int] = (2, 5)
    faded: bool = False


@dataclass(frozen=True)
class Literal:
    """A constant at its place in a genome."""

    value: float
    type: str


Symbol = Operator | Feature | Literal


@dataclass(frozen=True)
class Grammar:
    """The typed language of a problem's heuristics.

    Args:
        name: for messages, usually the problem's name.
        root: the type of a whole expression.
        sentence: words with ``{0}`` for the expression's phrase; one sentence.
        renderings: by interface name, how its programs are written.
        features, operators, constants, helpers, routines: the symbols.
        seed: the genome of the seed heuristic.
        mixture: the operators of a weighted sum, where the language has one.

    Raises:
        GrammarError: a symbol is unusable: a type without terminals or operators, a name used
            twice, a source that does not parse or uses an unknown name, a missing rendering.

    """

    name: str
    root: str
    sentence: str
    renderings: Mapping[str, Rendering]
    features: tuple[Feature, ...]
    operators: tuple[Operator, ...]
    constants: tuple[Constant, ...]
    seed: str
    helpers: tuple[Helper, ...] = ()
    routines: tuple[Routine, ...] = ()
    mixture: Mixture | None = None
    _symbols: dict[str, Feature | Operator] = field(init=False, repr=False, compare=False)
    _constants: dict[str, Constant] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from .grammar_checks import check  # it needs the classes above

        symbols: dict[str, Feature | Operator] = {f.name: f for f in self.features}
        symbols |= {operator.name: operator for operator in self.operators}
        object.__setattr__(self, "_symbols", symbols)
        object.__setattr__(self, "_constants", {c.type: c for c in self.constants})
        check(self)

    @property
    def types(self) -> tuple[str, ...]:
        """All types, the root first, then in order of appearance."""
        found = [self.root]
        for operator in self.operators:
            found += [*operator.arguments, operator.result]
        found += [feature.type for feature in self.features] + list(self._constants)
        return tuple(dict.fromkeys(found))

    def constant(self, type_: str) -> Constant | None:
        """The constants of a type, or None where it has none."""
        return self._constants.get(type_)

    def parse(self, genome: str) -> list[Symbol]:
        """The symbols of a genome in prefix order, type-checked.

        Numbers are read as numbers; nothing is evaluated, so a genome from a file is harmless.

        Raises:
            BadGenome: with one sentence that says what is wrong.

        """
        tokens = _TOKEN.findall(genome)
        if "".join(tokens) != "".join(genome.split()):
            raise BadGenome(f"{genome!r} is no prefix expression")
        symbols: list[Symbol] = []
        end = self._read(tokens, 0, self.root, symbols)
        if end != len(tokens):
            raise BadGenome(f"{genome!r} goes on after its end with {tokens[end]!r}")
        return symbols

    def _read(self, tokens: list[str], at: int, type_: str, out: list[Symbol]) -> int:
        if at >= len(tokens):
            raise BadGenome(f"the genome ends where a {type_} is wanted")
        token = tokens[at]
        symbol = self._symbol(token, type_)
        out.append(symbol)
        at += 1
        if not isinstance(symbol, Operator):
            return at
        for position, wanted in enumerate(symbol.arguments):
            expected = "," if position else "("
            at = _skip(tokens, at, expected, token)
            at = self._read(tokens, at, wanted, out)
        return _skip(tokens, at, ")", token)

    def _symbol(self, token: str, type_: str) -> Symbol:
        if _NUMBER.match(token):
            if type_ not in self._constants or not math.isfinite(float(token)):
                raise BadGenome(f"the constant {token} stands where a {type_} is wanted")
            return Literal(float(token), type_)
        symbol = self._symbols.get(token)
        if symbol is None:
            raise BadGenome(f"grammar {self.name} has no symbol {token!r}")
        given = symbol.result if isinstance(symbol, Operator) else symbol.type
        if given != type_:
            raise BadGenome(f"{token!r} is a {given} where a {type_} is wanted")
        return symbol


def _skip(tokens: list[str], at: int, expected: str, owner: str) -> int:
    if at >= len(tokens) or tokens[at] != expected:
        got = repr(tokens[at]) if at < len(tokens) else "the end"
        raise BadGenome(f"{expected!r} is wanted in the arguments of {owner!r}, not {got}")
    return at + 1
