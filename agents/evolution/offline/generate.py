"""Random trees. DEAP's generators draw from the global random state; these take their own."""

from random import Random

from .algebra import sum_of
from .vocabulary import Tree, Vocabulary

__all__ = ["draw_constant", "fits", "grow", "mixture", "term"]

MAX_HEIGHT = 7
MAX_NODES = 40
CONSTANT_SHARE = 0.4
"""How often a leaf is a constant where both constants and features would do."""

STOP_SHARE = 0.35
"""How often a branch ends before it has to."""


def fits(tree: Tree) -> bool:
    """Whether a tree keeps within the caps on height and size."""
    return len(tree) <= MAX_NODES and tree.height <= MAX_HEIGHT


def draw_constant(words: Vocabulary, rng: Random, type_: type) -> Tree | None:
    """A random constant of a type as a tree, or None where the type has none."""
    range_ = words.constants(type_)
    if range_ is None:
        return None
    return words.join(words.literal(type_, rng.uniform(range_.low, range_.high)))


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


def term(words: Vocabulary, rng: Random) -> Tree:
    """One term of a weighted sum: something of the root type times something that weighs it."""
    mixture_ = words.grammar.mixture
    assert mixture_ is not None
    weigh = words.set.mapping[mixture_.weigh]
    base = grow(words, rng, words.root, rng.choice((0, 0, 0, 1)))
    weight = grow(words, rng, weigh.args[1], 2) if rng.random() < 0.5 else None
    if weight is None or len(weight) == 1:
        weight = draw_constant(words, rng, weigh.args[1])
    return words.join(weigh, base, weight)


def mixture(words: Vocabulary, rng: Random) -> Tree:
    """The seed heuristic plus one to four random terms; a random tree where sums are not declared."""
    if words.grammar.mixture is None:
        return grow(words, rng, words.root, 4)
    parts = [words.tree(words.grammar.seed)]
    parts += [term(words, rng) for _ in range(rng.randint(1, 4))]
    return sum_of(words, [(1.0, part) for part in parts])
