"""Text to changes, questions and commands: by rules without a model, or by a model."""

from .results import Ask, Command, Interpretation, NotUnderstood, Unclear
from .rules import EXAMPLES, UNKNOWN, interpret, similar
from .understanding import understand

__all__ = [
    "EXAMPLES",
    "UNKNOWN",
    "Ask",
    "Command",
    "Interpretation",
    "NotUnderstood",
    "Unclear",
    "interpret",
    "similar",
    "understand",
]
