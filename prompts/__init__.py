"""Prompt templates and reply parsers; no model calls.

The template ``retry`` is a further turn of a conversation: it follows the first prompt and the
model's own answer, which it says why it could not be used.
"""

from .choices import ArmChoice, parse_choice
from .insights import Statement, parse_insights
from .render import render
from .replies import Reply, ReplyError, parse_heuristic

__all__ = [
    "ArmChoice",
    "Reply",
    "ReplyError",
    "Statement",
    "parse_choice",
    "parse_heuristic",
    "parse_insights",
    "render",
]
