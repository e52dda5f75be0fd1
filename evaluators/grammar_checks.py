"""The checks of a grammar's declaration, each failure one clear sentence."""

import ast
import builtins
import keyword
import math
import re
import string

from .grammar import BadGenome, Feature, Grammar, GrammarError, Helper, Operator, Routine

__all__ = ["check"]

_RESERVED = re.compile(r"part_\d+\Z")
"""Names that rendering gives to parts of long expressions."""


def check(grammar: Grammar) -> None:
    """Refuse a grammar that cannot work.

    Raises:
        GrammarError: what is wrong and where.

    """
    _check_names(grammar)
    _check_types(grammar)
    _check_sources(grammar)
    _check_mixture(grammar)
    try:
        grammar.parse(grammar.seed)
    except BadGenome as error:
        raise GrammarError(f"grammar {grammar.name}: the seed is unusable: {error}") from error


def _check_names(grammar: Grammar) -> None:
    taken: set[str] = set()
    symbols: list[Feature | Operator | Helper | Routine] = []
    symbols += [*grammar.features, *grammar.operators, *grammar.helpers, *grammar.routines]
    for symbol in symbols:
        name = symbol.name
        if not name.isidentifier() or keyword.iskeyword(name) or _RESERVED.match(name):
            raise GrammarError(f"grammar {grammar.name}: {name!r} cannot be used as a name")
        if name in taken:
            raise GrammarError(f"grammar {grammar.name}: the name {name!r} is declared twice")
        taken.add(name)
    lines = {symbol.name for symbol in symbols if not isinstance(symbol, Operator)}
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
    _check_constants(grammar)
    for operator in grammar.operators:
        if not operator.arguments:
            raise GrammarError(f"grammar {grammar.name}: operator {operator.name!r} takes nothing")
        _check_laws(grammar, operator)


def _check_constants(grammar: Grammar) -> None:
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
    weights = set(operator.arguments[1:])
    if operator.convex and (
        operator.arguments[0] != operator.result
        or not weights
        or not weights <= {constant.type for constant in grammar.constants}
    ):
        raise GrammarError(f"{where} is called convex but does not weigh its first argument")
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
        known |= {one.name for one in grammar.routines if _defines(grammar, one, interface)}
        lines: list[Helper | Feature] = [*grammar.helpers, *grammar.features]
        for line in lines:
            if interface in line.sources:
                names = _source_names(grammar, line.name, line.sources[interface], interface)
                _check_known(grammar, line.name, names - known, interface)
            elif isinstance(line, Feature):
                _missing(grammar, line.name, interface)
            known.add(line.name)
        for operator in grammar.operators:
            _check_operator(grammar, operator, interface, known)


def _defines(grammar: Grammar, routine: Routine, interface: str) -> bool:
    """Whether an interface has the routine; refuse what is not one function of its name."""
    if interface not in routine.sources:
        return False
    try:
        (node,) = ast.parse(routine.sources[interface]).body
    except (SyntaxError, ValueError):
        node = None
    if not isinstance(node, ast.FunctionDef) or node.name != routine.name:
        raise GrammarError(
            f"grammar {grammar.name}: the {interface} source of {routine.name!r} is not one "
            "function of that name"
        )
    return True


def _check_operator(grammar: Grammar, operator: Operator, interface: str, known: set[str]) -> None:
    if interface not in operator.sources:
        _missing(grammar, operator.name, interface)
    source = operator.sources[interface]
    if _places(source) != set(range(len(operator.arguments))):
        raise GrammarError(
            f"grammar {grammar.name}: the {interface} source of {operator.name!r} does not "
            "use each argument"
        )
    places = [f"part_{i}" for i in range(len(operator.arguments))]
    names = _source_names(grammar, operator.name, source.format(*places), interface)
    _check_known(grammar, operator.name, names - known - set(places), interface)


def _source_names(grammar: Grammar, symbol: str, source: str, interface: str) -> set[str]:
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
