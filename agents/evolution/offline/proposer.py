"""Proposes heuristics without a language model, by typed genetic programming."""

from random import Random

from ....evaluators.grammar import Grammar
from ..proposal import PARENTS, Proposal, Task
from .algebra import tidy
from .crossover import exchange, recombine
from .describe import describe
from .distance import distance, skeleton
from .generate import collage, fits, grow, mixture
from .mutation import perturb, restructure, shorten
from .render import NoGrammar, render
from .temper import Temper, temper
from .vocabulary import Tree, Vocabulary

__all__ = ["OfflineProposer"]

ATTEMPTS = 30
CHANGES = 3
"""How many changed trees m1 chooses from, where the regime asks for a far or a near one."""


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
        operator = rng.choice(("m1", "m2")) if task.operator == "refine" else task.operator
        manner = temper(task.guidance.regime if task.guidance else "")
        parents = [self._words.tree(p.genome or self.grammar.seed) for p in task.parents]
        genomes = {str(tree) for tree in parents}
        codes = {parent.code for parent in task.parents}
        for attempt in range(ATTEMPTS):
            fresh = attempt > ATTEMPTS // 2
            tree = self._vary(operator, rng, parents, manner, fresh=fresh)
            if str(tree) in genomes or not _keeps_promise(operator, tree, parents):
                continue
            if render(self.grammar, task.interface, str(tree)) not in codes:
                break
        code = render(self.grammar, task.interface, str(tree))
        return Proposal(describe(self.grammar, str(tree)), code, str(tree))

    def _vary(
        self, operator: str, rng: Random, parents: list[Tree], manner: Temper, *, fresh: bool
    ) -> Tree:
        """A tree within the caps, tidy where the operator may change its structure.

        What keeps failing, as for parents without room for a change, gives way to a fresh tree.
        """
        words = self._words
        for _ in range(ATTEMPTS):
            if operator == "m3":
                return self._shorter(rng, parents[0])
            if operator == "m2":
                tree = perturb(words, rng, parents[0], manner.widths)
            elif operator == "i1" or fresh:
                tree = tidy(words, self._invent(rng))
            elif operator == "e1":
                tree = tidy(words, self._explore(rng, parents, manner))
            elif operator == "e2":
                tree = tidy(words, self._recombine(rng, parents, manner))
            else:
                tree = tidy(words, self._restructure(rng, parents[0], manner))
            if fits(tree):
                return tree
        return words.tree(self.grammar.seed)

    def _recombine(self, rng: Random, parents: list[Tree], manner: Temper) -> Tree:
        """Equal parents have nothing to exchange: a fresh tree stands in for the second."""
        one, other = parents[:2]
        if one == other:
            tree = exchange(self._words, rng, one, mixture(self._words, rng))
        else:
            tree = recombine(self._words, rng, one, other)
        return restructure(self._words, rng, tree) if manner.stir else tree

    def _restructure(self, rng: Random, parent: Tree, manner: Temper) -> Tree:
        if manner.prefer == "any":
            return restructure(self._words, rng, parent)
        trees = [restructure(self._words, rng, parent) for _ in range(CHANGES)]
        best = max if manner.prefer == "far" else min
        return best(trees, key=lambda tree: distance(tree, parent))

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

    def _explore(self, rng: Random, parents: list[Tree], manner: Temper) -> Tree:
        """The most different of several trees, each new or new around parts of the parents."""
        words = self._words
        crowd = []
        for _ in range(manner.crowd):
            if rng.random() < manner.invent:
                crowd.append(self._invent(rng))
            else:
                crowd.append(collage(words, rng, parents))
        return max(crowd, key=lambda tree: min(distance(tree, parent) for parent in parents))


def _keeps_promise(operator: str, tree: Tree, parents: list[Tree]) -> bool:
    """Whether e1 and m1 changed the structure, not only constants."""
    if operator not in ("e1", "m1"):
        return True
    return all(skeleton(tree) != skeleton(parent) for parent in parents)
