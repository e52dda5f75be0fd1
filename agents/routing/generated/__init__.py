"""Rules outside the vocabulary: written by one role, judged by another, confirmed by the user."""

from .write import RuleAttempt, write_rule

__all__ = ["RuleAttempt", "write_rule"]
