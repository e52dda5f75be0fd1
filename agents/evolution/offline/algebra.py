"""Simplification by the laws that operators declare: the value stays, the tree gets smaller."""

from dataclasses import dataclass
from statistics import fmean

from .vocabulary import Node, Tree, Vocabulary, is_constant, rounded

__all__ = ["Term", "blend", "size_of", "sum_of", "terms_of", "tidy"]


@dataclass(frozen=True)
class Term:
    """A part of a weighted sum.

    Args:
        base: what is weighed.
        weights: one plain coefficient, or the constants of `operator`.
        operator: the convex operator that weighs the base; None for a plain coefficient.

    """

    base: Tree
    weights: tuple[float, ...] = (1.0,)
    operator: Node | None = None

    @property
    def strength(self) -> float:
        """The largest weight in magnitude."""
        return max(map(abs, self.weights))

    def plain(self) -> "Term":
        """The term with its mean weight as the only coefficient."""
        return Term(self.base, (fmean(self.weights),))

    def under(self, operator: Node | None) -> "Term":
        """The same term weighed by another operator; exact for a plain term."""
        if operator is self.operator:
            return self
        term = self.plain()
        count = 1 if operator is None else len(operator.args) - 1
        return Term(term.base, term.weights * count, operator)


def tidy(words: Vocabulary, tree: Tree) -> Tree:
    """The tree with constants folded, neutral parts dropped and equal terms of sums merged."""
    if len(tree) == 1:
        return tree
    operator = words.operator(tree[0])
    arguments = [tidy(words, argument) for argument in words.arguments(tree)]
    values = [_value(argument) for argument in arguments]
    if operator.fold is not None and None not in values:
        return words.join(words.literal(tree[0].ret, operator.fold(*values)))
    for position, neutral in operator.neutral:
        if values[position] == neutral:
            return next(a for i, a in enumerate(arguments) if i != position)
    if operator.idempotent and all(argument == arguments[0] for argument in arguments):
        return arguments[0]
    return _merge(words, words.join(tree[0], *arguments))


def terms_of(words: Vocabulary, tree: Tree) -> list[Term]:
    """The weighted sum that a tree is: one term of coefficient 1 if it is no sum."""
    mixture = words.grammar.mixture
    if mixture is None or len(tree) == 1:
        return [Term(tree)]
    if tree[0].name == mixture.add:
        return [term for part in words.arguments(tree) for term in terms_of(words, part)]
    weights = [_value(part) for part in words.arguments(tree)[1:]]
    if not words.weighs(tree[0]) or None in weights:
        return [Term(tree)]
    constants = tuple(w for w in weights if w is not None)
    inner = terms_of(words, words.arguments(tree)[0])
    operator = None if tree[0].name == mixture.weigh else tree[0]
    if len(inner) > 1 or (operator is not None and inner[0].operator is not None):
        return [Term(words.arguments(tree)[0], constants, operator)]
    (term,) = inner
    if operator is None:
        return [Term(term.base, tuple(constants[0] * w for w in term.weights), term.operator)]
    return [Term(term.base, tuple(w * term.weights[0] for w in constants), operator)]


def sum_of(words: Vocabulary, terms: list[Term]) -> Tree:
    """A balanced tree for a weighted sum of one or more terms."""
    if len(terms) > 1:
        half = (len(terms) + 1) // 2
        return words.join(words.add, sum_of(words, terms[:half]), sum_of(words, terms[half:]))
    (term,) = terms
    if term.operator is None and term.weights == (1.0,):
        return term.base
    weigh = words.weigh if term.operator is None else term.operator
    literals = [words.literal(t, w) for t, w in zip(weigh.args[1:], term.weights, strict=True)]
    return words.join(weigh, term.base, *(words.join(literal) for literal in literals))


def size_of(terms: list[Term]) -> int:
    """The number of nodes of `sum_of(terms)`."""
    plain = [term.operator is None and term.weights == (1.0,) for term in terms]
    sizes = (0 if p else 1 + len(t.weights) for p, t in zip(plain, terms, strict=True))
    return len(terms) - 1 + sum(len(term.base) for term in terms) + sum(sizes)


def blend(one: Term, other: Term, ratio: float) -> Term:
    """Weights on the line from one term (ratio 0) through another of the same base (ratio 1)."""
    operator = one.operator or other.operator
    pairs = zip(one.under(operator).weights, other.under(operator).weights, strict=True)
    return Term(one.base, tuple(a + ratio * (b - a) for a, b in pairs), operator)


def _merge(words: Vocabulary, tree: Tree) -> Tree:
    """Add up terms with the same base; where all cancel out, the tree stays as it is."""
    if words.grammar.mixture is None or not (tree[0] == words.add or words.weighs(tree[0])):
        return tree
    merged: dict[str, Term] = {}
    for term in terms_of(words, tree):
        key = str(term.base)
        merged[key] = _plus(merged[key], term) if key in merged else term
    terms = [_lean(term) for term in merged.values() if any(map(rounded, term.weights))]
    if not terms or size_of(terms) > len(tree):
        return tree
    return sum_of(words, terms)


def _plus(one: Term, other: Term) -> Term:
    operator = one.operator or other.operator
    pairs = zip(one.under(operator).weights, other.under(operator).weights, strict=True)
    return Term(one.base, tuple(a + b for a, b in pairs), operator)


def _lean(term: Term) -> Term:
    equal = len({rounded(weight) for weight in term.weights}) == 1
    return Term(term.base, (rounded(term.weights[0]),)) if equal else term


def _value(tree: Tree) -> float | None:
    return float(tree[0].value) if len(tree) == 1 and is_constant(tree[0]) else None
