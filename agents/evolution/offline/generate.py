"""Random trees. DEAP's generators draw from the global random state; these take their own."""

from random import Random

from .algebra import Term, sum_of, terms_of
from .vocabulary import Tree, Vocabulary

__all__ = ["draw_constant", "fits", "grow", "mixture", "term"]

MAX_HEIGHT = 7
MAX_NODES = 40
CONSTANT_SHARE = 0.4
"""How often a leaf is a constant where both constants and features would do."""

PLAIN_SHARE = 0.85
"""How often the weight of a term is a plain constant."""

STOP_SHARE = 0.35
"""How often a branch ends before it has to."""


def fits(tree: Tree) -> bool:
    """Whether a tree keeps within the caps on height and size."""
    return len(tree) <= MAX_NODES and tree.height <= MAX_HEIGHT


def draw_constant(
    words: Vocabulary, rng: Random, type_: type, strength: float = 1.0
) -> Tree | None:
    """A random constant of a type as a tree, or None where the type has none."""
    range_ = words.constants(type_)
    if range_ is None:
        return None
    return words.join(words.literal(type_, strength * rng.uniform(range_.low, range_.high)))


def grow(words: Vocabulary, rng: Random, type_: type, height: int) -> Tree:
    """A random tree of a type with at most the given height."""
    if height <= 0 or rng.random() < STOP_SHARE:
        return leaf(words, rng, type_)
    operator = rng.choice(words.operators(type_))
    return words.join(operator, *(grow(words, rng, t, height - 1) for t in operator.args))


def leaf(words: Vocabulary, rng: Random, type_: type) -> Tree:
    """A random feature or constant of a type."""
    features = words.features(type_)
    if not features or rng.random() < CONSTANT_SHARE:
        constant = draw_constant(words, rng, type_)
        if constant is not None:
            return constant
    return words.join(rng.choice(features))


def term(words: Vocabulary, rng: Random, strength: float = 1.0, beside: Tree = ()) -> Term:
    """One term of a weighted sum: something of the root type and what weighs it.

    Half of the time its base is a feature that the tree `beside` does not use yet, if any is left
    and bases may be features.
    """
    weigh = rng.choice(words.weighers)
    base = grow(words, rng, words.root, rng.choice(words.heights))
    unused = [feature for feature in words.features(words.root) if feature not in beside]
    if unused and beside and 0 in words.heights and rng.random() < 0.5:
        base = words.join(rng.choice(unused))
    weights = (weight(words, rng, type_, strength) for type_ in weigh.args[1:])
    return terms_of(words, words.join(weigh, base, *weights))[0]


def weight(words: Vocabulary, rng: Random, type_: type, strength: float) -> Tree:
    """A constant, or now and then a small expression."""
    plain = rng.random() < PLAIN_SHARE
    constant = draw_constant(words, rng, type_, strength) if plain else None
    return grow(words, rng, type_, 2) if constant is None else constant


def mixture(words: Vocabulary, rng: Random) -> Tree:
    """The seed heuristic plus some random terms; any tree where sums are not declared."""
    declared = words.grammar.mixture
    if declared is None:
        return grow(words, rng, words.root, 4)
    tree = words.tree(words.grammar.seed)
    if declared.faded:
        share = rng.random() ** 2
        tree = sum_of(words, [Term(one.base, (share,)) for one in terms_of(words, tree)])
    for _ in range(rng.randint(*declared.terms)):
        tree = sum_of(words, [*terms_of(words, tree), term(words, rng, beside=tree)])
    return tree


def collage(words: Vocabulary, rng: Random, parents: list[Tree]) -> Tree:
    """Random terms of the parents and new ones."""
    if words.grammar.mixture is None:
        return grow(words, rng, words.root, 4)
    pool = [term_ for parent in parents for term_ in terms_of(words, parent)]
    parts = rng.sample(pool, min(len(pool), rng.randint(2, 4)))
    return sum_of(words, [*parts, *(term(words, rng) for _ in range(rng.randint(1, 2)))])
