"""Proposes heuristics without a language model, by typed genetic programming."""

from random import Random

from ....evaluators.grammar import Grammar
from ..proposal import PARENTS, Proposal, Task
from .algebra import tidy
from .crossover import exchange, recombine
from .describe import describe
from .distance import distance
from .generate import collage, fits, grow, mixture
from .mutation import perturb, restructure, shorten
from .render import NoGrammar, render
from .vocabulary import Tree, Vocabulary

__all__ = ["OfflineProposer"]

ATTEMPTS = 30
CROWD = 3
"""How many random trees e1 chooses the most different one from."""


class OfflineProposer:
    """Grammar-based proposer: no model, no state, deterministic in the task.

    Args:
        grammar: the language of the problem's heuristics; None refuses.

    Raises:
        NoGrammar: the problem declares no grammar.

    """

    name = "offline"

    def __init__(self, grammar: Grammar | None) -> None:
        if grammar is None:
            raise NoGrammar(
                "this problem declares no grammar, so heuristics for it need a language model: "
                "choose one with --model"
            )
        self.grammar = grammar
        self._words = Vocabulary(grammar)

    def propose(self, task: Task) -> Proposal:
        """One candidate; it differs from the parents wherever the language allows.

        Raises:
            NoGrammar: the grammar has no rendering for the task's interface.
            BadGenome: a parent's genome is no expression of the grammar.
            ValueError: the operator is unknown or has too few parents.

        """
        wanted = PARENTS.get(task.operator)
        if wanted is None:
            raise ValueError(
                f"there is no operator {task.operator!r} (known: {', '.join(PARENTS)})"
            )
        if len(task.parents) < wanted:
            raise ValueError(f"{task.operator} needs {wanted} parents, not {len(task.parents)}")
        rng = Random(task.seed)
        parents = [self._words.tree(p.genome or self.grammar.seed) for p in task.parents]
        taken = {parent.code for parent in task.parents}
        taken |= {render(self.grammar, task.interface, str(tree)) for tree in parents}
        code = ""
        for attempt in range(ATTEMPTS):
            tree = self._vary(task.operator, rng, parents, attempt)
            code = render(self.grammar, task.interface, str(tree))
            if code not in taken:
                break
        return Proposal(describe(self.grammar, str(tree)), code, str(tree))

    def _vary(self, operator: str, rng: Random, parents: list[Tree], attempt: int) -> Tree:
        """A tidy tree within the caps; what keeps failing gives way to a fresh start."""
        words = self._words
        if operator == "m3":
            return self._shorter(rng, parents[0])
        for _ in range(ATTEMPTS):
            if operator == "i1" or attempt > ATTEMPTS // 2:
                tree = self._invent(rng)
            elif operator == "e1":
                tree = self._explore(rng, parents)
            elif operator == "e2":
                tree = recombine(words, rng, *parents[:2])
                if parents[0] == parents[1]:
                    tree = exchange(words, rng, tree, mixture(words, rng))
            elif operator == "m1":
                tree = restructure(words, rng, parents[0])
            else:
                tree = perturb(words, rng, parents[0])
            tree = tidy(words, tree)
            if fits(tree):
                return tree
        return words.tree(self.grammar.seed)

    def _shorter(self, rng: Random, parent: Tree) -> Tree:
        for _ in range(ATTEMPTS):
            tree = shorten(self._words, rng, parent)
            if tree != parent and len(tree) <= len(parent):
                return tree
        return parent

    def _invent(self, rng: Random) -> Tree:
        if rng.random() < 0.85:
            return mixture(self._words, rng)
        return grow(self._words, rng, self._words.root, 4)

    def _explore(self, rng: Random, parents: list[Tree]) -> Tree:
        """The most different of several trees, each new or new around parts of the parents."""
        words = self._words
        crowd = []
        for _ in range(CROWD):
            if rng.random() < 0.25:
                crowd.append(self._invent(rng))
            else:
                crowd.append(collage(words, rng, parents))
        return max(crowd, key=lambda tree: min(distance(tree, parent) for parent in parents))
