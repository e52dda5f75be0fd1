"""Regimes and the directives that go with them (HiFo-Prompt, section 2.3; the wording is ours)."""

import random
from enum import StrEnum


class Regime(StrEnum):
    """What a generation is to do."""

    EXPLORE = "explore"
    EXPLOIT = "exploit"
    BALANCED = "balanced"


GENERAL_DIRECTIVES = (
    "look again at what the objective really rewards, and let every part of the rule serve it",
    "weigh what a decision leaves behind for later steps against what it gains now",
    "put what is near at hand in relation to the whole instance",
    "behave well on the awkward instances too, not only on the typical ones",
    "reach the same quality with fewer and cheaper operations",
)

EXPLOIT_DIRECTIVES = (
    "sharpen how alternatives are scored against one another",
    "find better values for weights, exponents and thresholds",
    "give more room to the part of the rule that contributes most",
    "take out what is redundant and what only costs time",
    "make the existing decision criteria more precise where they nearly tie",
)

EXPLORE_DIRECTIVES = (
    "build up the solution in a way that has not been tried here",
    "split the problem into other parts than before",
    "let the rule adapt as the solution grows, or vary it in a controlled way",
    "borrow the principle of an altogether different family of algorithms",
    "join two unrelated strategies into one rule",
)

DIRECTIVES = {
    Regime.EXPLORE: EXPLORE_DIRECTIVES,
    Regime.EXPLOIT: EXPLOIT_DIRECTIVES,
    Regime.BALANCED: GENERAL_DIRECTIVES + EXPLOIT_DIRECTIVES + EXPLORE_DIRECTIVES,
}
"""From which list a regime's directive is drawn; balanced draws from all fifteen."""


def draw_directive(regime: Regime, rng: random.Random) -> str:
    """Draw a directive of the regime, each with the same probability."""
    return rng.choice(DIRECTIVES[regime])


def draw_general_directive(rng: random.Random) -> str:
    """Draw one of the general directives, for as long as there is nothing to judge by."""
    return rng.choice(GENERAL_DIRECTIVES)
