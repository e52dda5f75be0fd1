"""The strategies: what of one engine a run uses.

All of them make the same number of candidates, 2P in generation 0 (besides the problem's own
heuristic) and as many per generation as the operators ask for, and every request to a model counts in
the same budget, whatever it is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

StrategyName = Literal[
    "hifo",
    "eoh",
    "hifo-no-foresight",
    "hifo-no-hindsight",
    "hifo-random-regime",
    "random",
    "oneplusone",
]
Foresight = Literal["off", "rules", "lottery"]


@dataclass(frozen=True)
class Strategy:
    """What a strategy uses of the engine.

    Args:
        name: how it is chosen.
        foresight: whether the navigator speaks, by its rules or by lot.
        hindsight: whether insights are shown, credited and extracted.
        operator: one operator in the place of all the chosen ones; empty for those.
        elitist: one candidate at a time, made from the best so far, which it replaces if it is better.

    """

    name: StrategyName
    foresight: Foresight = "off"
    hindsight: bool = False
    operator: str = ""
    elitist: bool = False

    def operators(self, generation: int, chosen: Sequence[str], population: int) -> tuple[str, ...]:
        """Return the operators of a generation in their order, one for each batch."""
        if self.elitist:
            count = 2 if generation == 0 else len(chosen)
            every = (self.operator,) * (count * population)
            return ("i1", *every[1:]) if generation == 0 else every
        if generation == 0:
            return ("i1", "i1")
        return (self.operator,) * len(chosen) if self.operator else tuple(chosen)

    def batch(self, population: int) -> int:
        """Return how many candidates a batch has."""
        return 1 if self.elitist else population

    def kept(self, population: int) -> int:
        """Return how many members survive."""
        return 1 if self.elitist else population


STRATEGIES: dict[StrategyName, Strategy] = {
    one.name: one
    for one in (
        Strategy("hifo", foresight="rules", hindsight=True),
        Strategy("eoh"),
        Strategy("hifo-no-foresight", hindsight=True),
        Strategy("hifo-no-hindsight", foresight="rules"),
        Strategy("hifo-random-regime", foresight="lottery", hindsight=True),
        Strategy("random", operator="i1"),
        Strategy("oneplusone", operator="refine", elitist=True),
    )
}
"""``hifo`` is the whole of HiFo-Prompt; ``eoh`` neither mechanism; ``random`` samples without parents;
``oneplusone`` improves the best with feedback on the last attempt, errors included (LLaMEA-like)."""
