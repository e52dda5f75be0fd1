"""The Bayesian-optimisation engine: space, surrogate, acquisition functions, ask and tell.

Light to import: torch and BoTorch load with the first proposal.
"""

from .arms import Arm, ArmFailed, Belief, OutsideArm, arm, arms
from .maximise import Inner
from .optimizer import Optimizer, SpaceExhausted
from .parameters import Category, Fixed, Integer, Parameter, Real
from .settings import Settings
from .space import LinearConstraint, Space
from .trial import Phase, Suggestion, Trial, TrialState
from .view import FitReport, LeaveOneOut, Surrogate

__all__ = [
    "Arm",
    "ArmFailed",
    "Belief",
    "Category",
    "FitReport",
    "Fixed",
    "Inner",
    "Integer",
    "LeaveOneOut",
    "LinearConstraint",
    "Optimizer",
    "OutsideArm",
    "Parameter",
    "Phase",
    "Real",
    "Settings",
    "Space",
    "SpaceExhausted",
    "Suggestion",
    "Surrogate",
    "Trial",
    "TrialState",
    "arm",
    "arms",
]
