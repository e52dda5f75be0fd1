"""Foresight: watch a run from outside and say what its next generation is to do.

No model calls, no storage: pure functions over frozen values. :func:`observe` once after each
generation, :func:`decide` once before it.
"""

from .constants import Measure, NavigatorConstants
from .diversity import (
    behaviour_diversity,
    code_diversity,
    decision_diversity,
    description_diversity,
)
from .navigator import Decision, NavigatorState, decide, decide_at_random, observe
from .regimes import DIRECTIVES, GENERAL_DIRECTIVES, Regime

__all__ = [
    "DIRECTIVES",
    "GENERAL_DIRECTIVES",
    "Decision",
    "Measure",
    "NavigatorConstants",
    "NavigatorState",
    "Regime",
    "behaviour_diversity",
    "code_diversity",
    "decide",
    "decide_at_random",
    "decision_diversity",
    "description_diversity",
    "observe",
]
