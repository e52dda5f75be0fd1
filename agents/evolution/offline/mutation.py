"""m1, m2 and m3: change the structure, the constants, or take something away."""

from random import Random

from .algebra import Term, sum_of, terms_of, tidy
from .generate import draw_constant, grow, leaf, term
from .temper import BALANCED
from .vocabulary import Tree, Vocabulary, is_constant

__all__ = ["perturb", "restructure", "shorten"]


def restructure(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """m1: one random change of the structure."""
    changes = [_replace_subtree, _replace_node, _insert, _hoist]
    if words.grammar.mixture is not None:
        changes += [_add_term] * 3 + [_reweigh] * 3 + [_replace_term]
    return rng.choice(changes)(words, rng, tree)


def perturb(
    words: Vocabulary, rng: Random, tree: Tree, widths: tuple[float, ...] = BALANCED.widths
) -> Tree:
    """m2: move some of the constants; a tree without constants gets a coefficient somewhere."""
    where = [index for index, node in enumerate(tree) if is_constant(node)]
    if not where:
        return _weigh_somewhere(words, rng, tree)
    chosen = [index for index in where if rng.random() < 0.5] or [rng.choice(where)]
    width = rng.choice(widths)
    child = type(tree)(tree)
    for index in chosen:
        value, type_ = tree[index].value, tree[index].ret
        scale = max(abs(value), 0.1 * _span(words, type_))
        child[index] = words.literal(type_, value + rng.gauss(0.0, width) * scale)
    return child


def shorten(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """m3: simplify by algebra; where nothing can be, drop the least needed part.

    That is the term of a sum with the smallest coefficient, most often, or else an inner node
    whose argument takes its place, or a subtree that a leaf replaces. The result is no larger.
    """
    simple = tidy(words, tree)
    if len(simple) < len(tree):
        return simple
    terms = terms_of(words, tree)
    faded = [i for i, term in enumerate(terms) if term.operator is not None]
    if faded and rng.random() < 0.3:
        at = rng.choice(faded)
        return sum_of(words, [t.plain() if i == at else t for i, t in enumerate(terms)])
    if len(terms) > 1 and rng.random() < 0.7:
        order = sorted(range(len(terms)), key=lambda i: terms[i].strength)
        drop = order[0] if rng.random() < 0.5 else rng.choice(order)
        return sum_of(words, [term for i, term in enumerate(terms) if i != drop])
    child = _hoist(words, rng, tree) if rng.random() < 0.6 else _prune(words, rng, tree)
    return child if len(child) <= len(tree) else tree


def _span(words: Vocabulary, type_: type) -> float:
    range_ = words.constants(type_)
    return 1.0 if range_ is None else range_.high - range_.low


def _put(tree: Tree, at: int, part: Tree) -> Tree:
    child = type(tree)(tree)
    child[child.searchSubtree(at)] = part
    return child


def _part(tree: Tree, at: int) -> Tree:
    return type(tree)(tree[tree.searchSubtree(at)])


def _replace_subtree(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    at = rng.randrange(len(tree))
    return _put(tree, at, grow(words, rng, tree[at].ret, rng.randint(1, 2)))


def _replace_node(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """Another symbol of the same signature in the place of one."""
    at = rng.randrange(len(tree))
    node = tree[at]
    if node.arity == 0:
        return _put(tree, at, leaf(words, rng, node.ret))
    alike = [p for p in words.operators(node.ret) if p.args == node.args and p.name != node.name]
    if not alike:
        return _replace_subtree(words, rng, tree)
    child = type(tree)(tree)
    child[at] = rng.choice(alike)
    return child


def _insert(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """An operator above a subtree, which becomes one of its arguments."""
    at = rng.randrange(len(tree))
    type_ = tree[at].ret
    operators = [p for p in words.operators(type_) if type_ in p.args]
    if not operators:
        return _replace_subtree(words, rng, tree)
    operator = rng.choice(operators)
    slot = rng.choice([i for i, argument in enumerate(operator.args) if argument is type_])
    arguments = [
        _part(tree, at) if i == slot else grow(words, rng, argument, 1)
        for i, argument in enumerate(operator.args)
    ]
    return _put(tree, at, words.join(operator, *arguments))


def _hoist(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """An inner node gives way to one of its arguments of the same type."""
    pairs = []
    for at, node in enumerate(tree):
        if node.arity:
            parts = words.arguments(_part(tree, at))
            pairs += [(at, part) for part in parts if part[0].ret is node.ret]
    if not pairs:
        return _prune(words, rng, tree)
    at, part = rng.choice(pairs)
    return _put(tree, at, part)


def _prune(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """A leaf in the place of a small subtree, or of a leaf where there is nothing else."""
    inner = [at for at, node in enumerate(tree) if node.arity]
    at = (
        min(rng.sample(inner, min(2, len(inner))), key=lambda i: len(_part(tree, i)))
        if inner
        else 0
    )
    return _put(tree, at, leaf(words, rng, tree[at].ret))


def _add_term(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """A new term, often a weak one, which disturbs a good sum less."""
    new = term(words, rng, rng.choice((0.2, 0.5, 1.0)), tree)
    return sum_of(words, [*terms_of(words, tree), new])


def _reweigh(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """Another operator weighs a term, with weights close to what it had on average."""
    terms = terms_of(words, tree)
    at = rng.randrange(len(terms))
    old = terms[at].operator
    choices = [None if node == words.weigh else node for node in words.weighers]
    term = terms[at].under(rng.choice([node for node in choices if node != old] or choices))
    width = rng.choice((0.1, 0.3, 0.8))
    weights = tuple(weight * (1 + rng.gauss(0.0, width)) for weight in term.weights)
    terms[at] = Term(term.base, weights, term.operator)
    return sum_of(words, terms)


def _replace_term(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    terms = terms_of(words, tree)
    terms[rng.randrange(len(terms))] = term(words, rng, beside=tree)
    return sum_of(words, terms)


def _weigh_somewhere(words: Vocabulary, rng: Random, tree: Tree) -> Tree:
    """A random coefficient on a subtree: on a proper one where there is one."""
    places = []
    for at, node in enumerate(tree):
        for operator in words.operators(node.ret):
            if len(operator.args) == 2 and operator.args[0] is node.ret:
                weight = draw_constant(words, rng, operator.args[1])
                if weight is not None:
                    places.append((at, operator, weight))
    proper = [place for place in places if place[0] > 0]
    if not places:
        return _replace_subtree(words, rng, tree)
    at, operator, weight = rng.choice(proper or places)
    return _put(tree, at, words.join(operator, _part(tree, at), weight))
