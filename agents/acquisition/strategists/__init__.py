"""Strategists: who picks the acquisition function of the next step."""

from ..choice import Strategist
from .esp import EntropySearch
from .hedge import Hedge
from .no_past import NoPast
from .rules import Rules
from .setup import Setup
from .simple import Alternate, Lot, Static

__all__ = [
    "Alternate",
    "EntropySearch",
    "Hedge",
    "Lot",
    "NoPast",
    "Rules",
    "Setup",
    "Static",
    "Strategist",
]
