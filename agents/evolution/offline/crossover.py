"""e2: recombine two trees around what they share."""

from dataclasses import replace
from random import Random

from .algebra import Term, blend, sum_of, terms_of
from .distance import skeleton
from .vocabulary import Tree, Vocabulary, is_constant

__all__ = ["exchange", "recombine"]


def recombine(words: Vocabulary, rng: Random, one: Tree, other: Tree) -> Tree:
    """Keep the terms that both sums have, with blended constants, and some of the others.

    Terms are the same if they differ in nothing but constants. Where the parents share nothing,
    or at random, a subtree changes hands instead.
    """
    left, right = terms_of(words, one), terms_of(words, other)
    partner = {skeleton(term.base): term for term in right}
    common = partner.keys() & {skeleton(term.base) for term in left}
    if not common or rng.random() < 0.3:
        return exchange(words, rng, one, other)
    ratio = rng.uniform(-0.5, 1.5)
    child: list[Term] = []
    for term in left:
        key = skeleton(term.base)
        if key in common:
            child.append(_blend(words, term, partner[key], ratio))
        elif rng.random() < 0.5:
            child.append(term)
    rest = [term for term in right if skeleton(term.base) not in common]
    child += [term for term in rest if rng.random() < 0.5]
    return sum_of(words, child)


def exchange(words: Vocabulary, rng: Random, one: Tree, other: Tree) -> Tree:
    """Typed one-point crossover: a subtree of `one` gives way to one of `other` of the same type.

    `gp.cxOnePoint` draws from a set of type objects, whose order depends on memory addresses; here
    the point in `one` is drawn first, from the list.
    """
    types = {node.ret for node in other}
    points = [index for index, node in enumerate(one) if node.ret in types]
    if not points:
        return one
    point = rng.choice(points)
    sources = [index for index, node in enumerate(other) if node.ret is one[point].ret]
    source = rng.choice(sources)
    child = type(one)(one)
    child[child.searchSubtree(point)] = other[other.searchSubtree(source)]
    return child


def _blend(words: Vocabulary, one: Term, other: Term, ratio: float) -> Term:
    nodes = [
        words.literal(a.ret, a.value + ratio * (b.value - a.value)) if is_constant(a) else a
        for a, b in zip(one.base, other.base, strict=True)
    ]
    return replace(blend(one, other, ratio), base=type(one.base)(nodes))
