"""Tune the numeric constants of a candidate on the search split, without asking a model."""

from .bayes import BayesianSearch
from .constants import Constant, find_constants, rewrite
from .moments import TUNE, Tally, Tuning
from .search import ConstantSearch
from .space import Axis, axis_of
from .subject import Subject, Variant, subject_of

__all__ = [
    "TUNE",
    "Axis",
    "BayesianSearch",
    "Constant",
    "ConstantSearch",
    "Subject",
    "Tally",
    "Tuning",
    "Variant",
    "axis_of",
    "find_constants",
    "rewrite",
    "subject_of",
]
