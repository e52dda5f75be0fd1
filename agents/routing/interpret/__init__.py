"""Text to changes, questions and commands: by rules without a model, or by a model."""

from .results import Ask, Command, Interpretation, NotUnderstood, Unclear
from .rules import EXAMPLES, interpret, similar

__all__ = [
    "EXAMPLES",
    "Ask",
    "Command",
    "Interpretation",
    "NotUnderstood",
    "Unclear",
    "interpret",
    "similar",
]
