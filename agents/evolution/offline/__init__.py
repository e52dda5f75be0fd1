"""Heuristics without a language model: typed genetic programming over a problem's grammar."""

from .describe import describe
from .proposer import OfflineProposer
from .render import NoGrammar, render

__all__ = ["NoGrammar", "OfflineProposer", "describe", "render"]
