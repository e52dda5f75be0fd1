"""Problems: data sets, drivers that call a heuristic, and trusted scoring.

Light to import: numpy, but never torch. A problem's own modules load in `get_problem`.
"""

from .confirm import confirm
from .device import chosen_device
from .errors import InputError, UnknownDataset, UnknownInterface, UnknownProblem
from .evaluate import Evaluation, evaluate
from .folder import folder_version
from .generated import GeneratingProblem
from .problem import (
    LEAST_CPU_S,
    Dataset,
    Infeasible,
    Interface,
    OneShotProblem,
    OnlineProblem,
    Problem,
    ProblemSpec,
    Scores,
    TraceProblem,
    digest,
)
from .program import program_hash
from .registry import get_problem, problem_names, problem_reference

__all__ = [
    "LEAST_CPU_S",
    "Dataset",
    "Evaluation",
    "GeneratingProblem",
    "Infeasible",
    "InputError",
    "Interface",
    "OneShotProblem",
    "OnlineProblem",
    "Problem",
    "ProblemSpec",
    "Scores",
    "TraceProblem",
    "UnknownDataset",
    "UnknownInterface",
    "UnknownProblem",
    "chosen_device",
    "confirm",
    "digest",
    "evaluate",
    "folder_version",
    "get_problem",
    "problem_names",
    "problem_reference",
    "program_hash",
]
