"""The navigator's regime in the offline proposer: explore goes far, exploit stays near."""

from statistics import mean
from typing import Any, cast

import pytest

from eurisko.agents.evolution.offline import OfflineProposer, render
from eurisko.agents.evolution.offline.distance import distance
from eurisko.agents.evolution.offline.generate import fits
from eurisko.agents.evolution.offline.vocabulary import Vocabulary, is_constant
from eurisko.agents.evolution.proposal import PARENTS, Advice, Guidance, Parent, Proposal, Task
from eurisko.evaluators.problems.tsp_construct.grammar import grammar

PROPOSER = OfflineProposer(grammar)
WORDS = Vocabulary(grammar)
SPEC = cast(Any, None)
SEEDS = range(60)


def ask(
    operator: str, seed: int, guidance: Guidance | None, parents: tuple[Parent, ...]
) -> Proposal:
    return PROPOSER.propose(Task(SPEC, "batched", operator, parents, "", seed, guidance))


def parents(operator: str) -> tuple[Parent, ...]:
    """As many members as the operator takes, each a mixture of its own."""
    made = [ask("i1", 100 + n, None, ()) for n in range(PARENTS[operator])]
    return tuple(Parent("", one.code, 0.0, one.genome) for one in made)


def changes(operator: str, regime: str) -> list[float]:
    """How far children are from their first parent, in structure, or in constants for m2."""
    shown = parents(operator)
    first = WORDS.tree(shown[0].genome or "")
    found = []
    for seed in SEEDS:
        child = WORDS.tree(ask(operator, seed, Guidance(regime, "x"), shown).genome or "")
        if operator == "m2":
            pairs = [
                (a.value, b.value) for a, b in zip(first, child, strict=True) if is_constant(a)
            ]
            found.append(sum(abs(a - b) / max(abs(a), 0.1) for a, b in pairs))
        else:
            found.append(distance(first, child))
    return found


@pytest.mark.parametrize("operator", ["e1", "e2", "m1", "m2"])
def test_explore_changes_more_than_balanced_and_exploit_less(operator: str) -> None:
    """On average over sixty children of the same parents."""
    explore, balanced, exploit = (
        mean(changes(operator, regime)) for regime in ("explore", "balanced", "exploit")
    )
    assert explore > balanced
    assert balanced > exploit or operator == "e2"  # exploit recombines as balanced does


@pytest.mark.parametrize("operator", ["i1", "e1", "e2", "m1", "m2", "m3"])
def test_balanced_and_texts_change_nothing(operator: str) -> None:
    """Without guidance, balanced, or with insights: the same proposal; texts are not read."""
    shown = parents(operator)
    advice = (Advice("Square all distances.", "do"),)
    for seed in range(8):
        plain = ask(operator, seed, None, shown)
        for guidance in (Guidance("balanced", "x"), Guidance("", "", advice)):
            assert ask(operator, seed, guidance, shown) == plain


@pytest.mark.parametrize("regime", ["explore", "exploit"])
@pytest.mark.parametrize("operator", ["e1", "e2", "m1", "m2", "m3", "refine"])
def test_every_regime_gives_new_programs_within_the_caps(operator: str, regime: str) -> None:
    """Children differ from their parents, fit the caps and depend on the task alone."""
    shown = parents(operator)
    for seed in range(20):
        child = ask(operator, seed, Guidance(regime, "x"), shown)
        assert child == ask(operator, seed, Guidance(regime, "other words"), shown)
        assert child.genome not in {one.genome for one in shown}
        assert fits(WORDS.tree(child.genome or "")) or operator == "m3"
        assert child.code == render(grammar, "batched", child.genome or "")
