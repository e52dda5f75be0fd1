"""Simplification by the laws that operators declare: the value stays, the tree gets smaller."""

from .vocabulary import Tree, Vocabulary, is_constant

__all__ = ["Term", "sum_of", "terms_of", "tidy"]

Term = tuple[float, Tree]
"""A coefficient and what it weighs; a weighted sum is a list of them."""


def tidy(words: Vocabulary, tree: Tree) -> Tree:
    """The tree with constants folded, neutral parts dropped and equal terms of sums merged."""
    if len(tree) == 1:
        return tree
    operator = words.operator(tree[0])
    arguments = [tidy(words, argument) for argument in words.arguments(tree)]
    if operator.fold is not None and all(_value(a) is not None for a in arguments):
        return type(tree)(
            [words.literal(tree[0].ret, operator.fold(*(a[0].value for a in arguments)))]
        )
    for position, neutral in operator.neutral:
        if _value(arguments[position]) == neutral:
            return next(a for i, a in enumerate(arguments) if i != position)
    if operator.idempotent and all(argument == arguments[0] for argument in arguments):
        return arguments[0]
    return _merge(words, words.join(tree[0], *arguments))


def terms_of(words: Vocabulary, tree: Tree) -> list[Term]:
    """The weighted sum that a tree is: one term of coefficient 1 if it is no sum."""
    mixture = words.grammar.mixture
    if mixture is None or len(tree) == 1:
        return [(1.0, tree)]
    if tree[0].name == mixture.add:
        return [term for a in words.arguments(tree) for term in terms_of(words, a)]
    if tree[0].name == mixture.weigh:
        base, weight = words.arguments(tree)
        value = _value(weight)
        inner = terms_of(words, base)
        if value is not None and len(inner) == 1:
            return [(value * inner[0][0], inner[0][1])]
    return [(1.0, tree)]


def sum_of(words: Vocabulary, terms: list[Term]) -> Tree:
    """A balanced tree for a weighted sum of one or more terms."""
    if len(terms) > 1:
        half = (len(terms) + 1) // 2
        left, right = sum_of(words, terms[:half]), sum_of(words, terms[half:])
        return words.join(_primitive(words, "add"), left, right)
    ((coefficient, base),) = terms
    if coefficient == 1.0:
        return base
    weigh = _primitive(words, "weigh")
    weight = words.literal(weigh.args[1], coefficient)
    return words.join(weigh, base, type(base)([weight]))


def _merge(words: Vocabulary, tree: Tree) -> Tree:
    """Add up terms with the same base; where all cancel out, the tree stays as it is."""
    mixture = words.grammar.mixture
    if mixture is None or tree[0].name not in (mixture.add, mixture.weigh):
        return tree
    terms = terms_of(words, tree)
    merged: dict[str, Term] = {}
    for coefficient, base in terms:
        before = merged.get(str(base), (0.0, base))[0]
        merged[str(base)] = (before + coefficient, base)
    kept = [(c, base) for c, base in merged.values() if float(f"{c:.4g}") != 0.0]
    if not kept or sum_size(kept) >= len(tree):
        return tree
    return sum_of(words, kept)


def sum_size(terms: list[Term]) -> int:
    """The number of nodes of `sum_of(terms)`."""
    return len(terms) - 1 + sum(len(base) + (0 if c == 1.0 else 2) for c, base in terms)


def _value(tree: Tree) -> float | None:
    return float(tree[0].value) if len(tree) == 1 and is_constant(tree[0]) else None


def _primitive(words: Vocabulary, role: str) -> Tree:
    mixture = words.grammar.mixture
    assert mixture is not None
    return words.set.mapping[mixture.add if role == "add" else mixture.weigh]
