"""Analysis of a routing file before any model is asked."""

from .analyse import analyse
from .results import Analysis, Finding, Inferred, Question, Severity

__all__ = ["Analysis", "Finding", "Inferred", "Question", "Severity", "analyse"]
