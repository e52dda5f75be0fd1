"""Created solvers: their contract, their runs in the sandbox, and their verification."""

from .contract import FUNCTIONS, NAMES, ROUTE_VEHICLES, FunctionContract
from .harness import (
    Answer,
    SolverRun,
    call_validate,
    outcome_sentence,
    run_created,
    validate_answers,
)

__all__ = [
    "FUNCTIONS",
    "NAMES",
    "ROUTE_VEHICLES",
    "Answer",
    "FunctionContract",
    "SolverRun",
    "call_validate",
    "outcome_sentence",
    "run_created",
    "validate_answers",
]
