"""What a problem declares so that heuristics can be proposed without a language model.

A grammar is a small typed language: features that a heuristic may look at, operators that combine
them, and random constants. Every symbol carries the source that computes it in each interface of
the problem and a phrase for the one-sentence description. A genome is an expression of the
language in prefix form, such as ``add(step, scale(home, -0.25))``.
"""

import ast
import builtins
import keyword
import math
import re
import string
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
    "Symbol",
]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_TOKEN = re.compile(r"\s*([^\s(),]+|[(),])")
_RESERVED = re.compile(r"part_\d+\Z")


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
        names = (alias for line in self.imports for node in ast.parse(line).body
                 if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names)  # fmt: skip
        return frozenset(alias.asname or alias.name.partition(".")[0] for alias in names)

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
        fold: the value for constant arguments, where known.

    """

    name: str
    arguments: tuple[str, ...]
    result: str
    phrase: str
    sources: Mapping[str, str]
    commutative: bool = False
    idempotent: bool = False
    neutral: tuple[tuple[int, float], ...] = ()
    fold: Callable[..., float] | None = None


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

    """

    add: str
    weigh: str


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
        features, operators, constants, helpers: the symbols.
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
    mixture: Mixture | None = None
    _symbols: dict[str, Feature | Operator] = field(init=False, repr=False, compare=False)
    _constants: dict[str, Constant] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        symbols: dict[str, Feature | Operator] = {f.name: f for f in self.features}
        symbols |= {operator.name: operator for operator in self.operators}
        object.__setattr__(self, "_symbols", symbols)
        object.__setattr__(self, "_constants", {c.type: c for c in self.constants})
        _check_names(self)
        _check_types(self)
        _check_sources(self)
        _check_mixture(self)
        try:
            self.parse(self.seed)
        except BadGenome as error:
            raise GrammarError(f"grammar {self.name}: the seed is unusable: {error}") from error

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


def _check_names(grammar: Grammar) -> None:
    taken: set[str] = set()
    for symbol in (*grammar.features, *grammar.operators, *grammar.helpers):
        name = symbol.name
        if not name.isidentifier() or keyword.iskeyword(name) or _RESERVED.match(name):
            raise GrammarError(f"grammar {grammar.name}: {name!r} cannot be used as a name")
        if name in taken:
            raise GrammarError(f"grammar {grammar.name}: the name {name!r} is declared twice")
        taken.add(name)
    lines = {symbol.name for symbol in (*grammar.features, *grammar.helpers)}
    for interface, rendering in grammar.renderings.items():
        clash = lines & {*rendering.parameters, *rendering.modules, rendering.result}
        if clash:
            raise GrammarError(
                f"grammar {grammar.name}: {min(clash)!r} names a symbol and a parameter, module "
                f"or result of the interface {interface}"
            )


def _check_types(grammar: Grammar) -> None:
    terminals = {feature.type for feature in grammar.features} | {c.type for c in grammar.constants}
    results = {operator.result for operator in grammar.operators}
    used = {type_ for operator in grammar.operators for type_ in operator.arguments}
    for type_ in grammar.types:
        if type_ not in terminals:
            raise GrammarError(
                f"grammar {grammar.name}: the type {type_!r} has no feature and no constant, so an "
                "expression of it could never end; declare one"
            )
        if type_ not in results:
            raise GrammarError(
                f"grammar {grammar.name}: the type {type_!r} has no operator that gives it, so its "
                "expressions could never grow; declare one"
            )
        if type_ != grammar.root and type_ not in used:
            raise GrammarError(
                f"grammar {grammar.name}: no operator takes the type {type_!r}, so it could never "
                "be used; declare one or leave the type out"
            )
    for operator in grammar.operators:
        if not operator.arguments:
            raise GrammarError(f"grammar {grammar.name}: operator {operator.name!r} takes nothing")
        _check_laws(grammar, operator)
    for constant in grammar.constants:
        if not (math.isfinite(constant.low) and math.isfinite(constant.high)) or (
            constant.low >= constant.high
        ):
            raise GrammarError(
                f"grammar {grammar.name}: the constants of type {constant.type!r} need two finite "
                f"bounds in order, not [{constant.low}, {constant.high}]"
            )
    if len(grammar.constants) != len({constant.type for constant in grammar.constants}):
        raise GrammarError(f"grammar {grammar.name}: a type has two kinds of constants")


def _check_laws(grammar: Grammar, operator: Operator) -> None:
    where = f"grammar {grammar.name}: operator {operator.name!r}"
    alike = len(set(operator.arguments)) == 1
    if operator.commutative and (len(operator.arguments) != 2 or not alike):
        raise GrammarError(f"{where} is called commutative but has no two arguments of one type")
    if operator.idempotent and (not alike or operator.arguments[0] != operator.result):
        raise GrammarError(f"{where} is called idempotent but its types differ")
    for position, _ in operator.neutral:
        rest = [t for i, t in enumerate(operator.arguments) if i != position]
        if not 0 <= position < len(operator.arguments) or rest[:1] != [operator.result]:
            raise GrammarError(f"{where} has a neutral constant that leaves no {operator.result}")
    if _places(operator.phrase) != set(range(len(operator.arguments))):
        raise GrammarError(f"{where} has a phrase that does not name each argument")


def _check_mixture(grammar: Grammar) -> None:
    if grammar.mixture is None:
        return
    by_name = {operator.name: operator for operator in grammar.operators}
    add, weigh = by_name.get(grammar.mixture.add), by_name.get(grammar.mixture.weigh)
    root = grammar.root
    if add is None or not add.commutative or (add.arguments, add.result) != ((root, root), root):
        raise GrammarError(f"grammar {grammar.name}: the mixture cannot add with {add}")
    if (
        weigh is None
        or len(weigh.arguments) != 2
        or (weigh.arguments[0], weigh.result) != (root, root)
        or weigh.arguments[1] not in {constant.type for constant in grammar.constants}
    ):
        raise GrammarError(f"grammar {grammar.name}: the mixture cannot weigh with {weigh}")


def _check_sources(grammar: Grammar) -> None:
    if not grammar.renderings:
        raise GrammarError(f"grammar {grammar.name} has no rendering")
    if _places(grammar.sentence) != {0}:
        raise GrammarError(f"grammar {grammar.name}: the sentence has no place {{0}}")
    for interface, rendering in grammar.renderings.items():
        known = {*rendering.parameters, *rendering.modules, *dir(builtins)}
        for line in (*grammar.helpers, *grammar.features):
            if interface in line.sources:
                names = source_names(grammar, line.name, line.sources[interface], interface)
                _check_known(grammar, line.name, names - known, interface)
            elif isinstance(line, Feature):
                _missing(grammar, line.name, interface)
            known.add(line.name)
        for operator in grammar.operators:
            if interface not in operator.sources:
                _missing(grammar, operator.name, interface)
            source = operator.sources[interface]
            if _places(source) != set(range(len(operator.arguments))):
                raise GrammarError(
                    f"grammar {grammar.name}: the {interface} source of {operator.name!r} does not "
                    "use each argument"
                )
            places = [f"part_{i}" for i in range(len(operator.arguments))]
            names = source_names(grammar, operator.name, source.format(*places), interface)
            _check_known(grammar, operator.name, names - known - set(places), interface)


def source_names(grammar: Grammar, symbol: str, source: str, interface: str) -> set[str]:
    """The free names of a source expression."""
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError as error:
        raise GrammarError(
            f"grammar {grammar.name}: the {interface} source of {symbol!r} is no expression: "
            f"{source!r}"
        ) from error
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _check_known(grammar: Grammar, symbol: str, unknown: set[str], interface: str) -> None:
    if unknown:
        raise GrammarError(
            f"grammar {grammar.name}: the {interface} source of {symbol!r} uses {min(unknown)!r}, "
            "which is no parameter, import or line declared before it"
        )


def _missing(grammar: Grammar, symbol: str, interface: str) -> None:
    raise GrammarError(f"grammar {grammar.name}: {symbol!r} has no {interface} source")


def _places(template: str) -> set[int]:
    try:
        fields = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
        return {int(name) for name in fields}
    except ValueError:
        return set()
