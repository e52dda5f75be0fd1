"""Why there is no solution: what blocks whom, and the smallest changes that help."""

from .explain import explain
from .result import Block, Explanation, Relaxation

__all__ = ["Block", "Explanation", "Relaxation", "explain"]
