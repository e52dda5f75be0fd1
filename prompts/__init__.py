"""Prompt templates and reply parsers; no model calls.

The template ``retry`` is a further turn of a conversation: it follows the first prompt and the
model's own answer, which it says why it could not be used.
"""

from .choices import ArmChoice, parse_choice
from .described import Described, parse_description
from .diagnosis import Diagnosis, parse_diagnosis
from .insights import Statement, parse_insights
from .render import render
from .replies import Reply, ReplyError, parse_heuristic
from .verdicts import Verdict, parse_verdict

__all__ = [
    "ArmChoice",
    "Described",
    "Diagnosis",
    "Reply",
    "ReplyError",
    "Statement",
    "Verdict",
    "parse_choice",
    "parse_description",
    "parse_diagnosis",
    "parse_heuristic",
    "parse_insights",
    "parse_verdict",
    "render",
]
