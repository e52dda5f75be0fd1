"""How different two trees are in structure."""

from collections import Counter

from .vocabulary import Tree, is_constant

__all__ = ["distance", "skeleton"]


def skeleton(tree: Tree) -> str:
    """The tree's symbols in prefix order, all constants alike: equal for equal structures."""
    return " ".join("#" if is_constant(node) else str(node.name) for node in tree)


def distance(one: Tree, other: Tree) -> float:
    """1 minus the Dice overlap of the trees' nodes and parent-child pairs, in [0, 1].

    Values of constants do not count.
    """
    left, right = _profile(one), _profile(other)
    shared = sum((left & right).values())
    return 1.0 - 2.0 * shared / (left.total() + right.total())


def _profile(tree: Tree) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    open_slots: list[list[str]] = []
    for node in tree:
        name = "constant" if is_constant(node) else str(node.name)
        counts[(name,)] += 1
        if open_slots:
            counts[(open_slots[-1].pop(), name)] += 1
        open_slots.append([name] * node.arity)
        while open_slots and not open_slots[-1]:
            open_slots.pop()
    return counts
