"""A grammar as a primitive set of DEAP, and genomes as its trees."""

import math
from typing import Any

from deap import gp

from ....evaluators.grammar import Constant, Grammar, Literal, Operator

__all__ = ["Node", "Tree", "Vocabulary", "is_constant", "rounded"]

# DEAP has no types; a tree is a gp.PrimitiveTree: a list of nodes in prefix order.
Tree = Any
Node = Any


class Vocabulary:
    """The primitives of a grammar by type, in order of declaration.

    Constants are made here rather than by DEAP's ephemeral classes, which draw from the global
    random state and live in a process-wide table.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.classes: dict[str, type] = {name: type(name, (), {}) for name in grammar.types}
        self._names = {class_: name for name, class_ in self.classes.items()}
        self.root = self.classes[grammar.root]
        self.set = gp.PrimitiveSetTyped(grammar.name, [], self.root)
        for feature in grammar.features:
            self.set.addTerminal(feature.name, self.classes[feature.type], name=feature.name)
        for operator in grammar.operators:
            arguments = [self.classes[name] for name in operator.arguments]
            self.set.addPrimitive(
                operator, arguments, self.classes[operator.result], name=operator.name
            )

        mixture = grammar.mixture
        self.add: Node = mixture and self.set.mapping[mixture.add]
        self.weigh: Node = mixture and self.set.mapping[mixture.weigh]
        self.heights = mixture.heights if mixture else (1,)
        self.weighers = [node for node in self.operators(self.root) if self.weighs(node)]

    def weighs(self, node: Node) -> bool:
        """Whether a node weighs a value of the root type, alone or with several weights."""
        if node == self.weigh:
            return True
        return node.arity > 1 and node.ret is self.root and self.operator(node).convex

    def tree(self, genome: str) -> Tree:
        """Read a genome. DEAP's own reader evaluates unknown words as Python; this one does not.

        Raises:
            BadGenome: it is no expression of the grammar.

        """
        nodes = []
        for symbol in self.grammar.parse(genome):
            if isinstance(symbol, Literal):
                nodes.append(self.literal(self.classes[symbol.type], symbol.value))
            else:
                nodes.append(self.set.mapping[symbol.name])
        return gp.PrimitiveTree(nodes)

    def literal(self, type_: type, value: float) -> Node:
        """A constant, rounded to four significant digits."""
        return gp.Terminal(rounded(value), False, type_)

    def constants(self, type_: type) -> Constant | None:
        """The range of a type's constants, or None where it has none."""
        return self.grammar.constant(self._names[type_])

    def operator(self, node: Node) -> Operator:
        """The declaration behind an inner node."""
        operator = self.set.context[node.name]
        assert isinstance(operator, Operator)
        return operator

    def features(self, type_: type) -> list[Node]:
        """The terminals of a type that are no constants."""
        return list(self.set.terminals[type_])

    def operators(self, type_: type) -> list[Node]:
        """The primitives that give a type, each as often as it is to be drawn."""
        nodes = self.set.primitives[type_]
        return [node for node in nodes for _ in range(self.operator(node).frequency)]

    def join(self, node: Node, *arguments: Tree) -> Tree:
        """A node applied to trees."""
        return gp.PrimitiveTree([node, *(inner for tree in arguments for inner in tree)])

    def arguments(self, tree: Tree) -> list[Tree]:
        """The trees below the root."""
        found, at = [], 1
        while at < len(tree):
            span = tree.searchSubtree(at)
            found.append(gp.PrimitiveTree(tree[span]))
            at = span.stop
        return found


def is_constant(node: Node) -> bool:
    """Whether a node is a constant."""
    return isinstance(node, gp.Terminal) and isinstance(node.value, float)


def rounded(value: float) -> float:
    """The value to four significant digits, and never a negative zero."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    return float(f"{value:.4g}")
