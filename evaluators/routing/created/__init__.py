"""Created solvers: their contract, their runs in the sandbox, and their verification."""

from .accept import Acceptance, AcceptanceCheck, accept
from .compose import compose, standalone
from .contract import FUNCTIONS, NAMES, ROUTE_VEHICLES, FunctionContract
from .harness import (
    Answer,
    SolverRun,
    call_validate,
    outcome_sentence,
    run_created,
    validate_answers,
)
from .probe import CreatedProbe, ProbeSet
from .probes import make_probes, probe_set
from .write import portable, write_like

__all__ = [
    "FUNCTIONS",
    "NAMES",
    "ROUTE_VEHICLES",
    "Acceptance",
    "AcceptanceCheck",
    "Answer",
    "CreatedProbe",
    "FunctionContract",
    "ProbeSet",
    "SolverRun",
    "accept",
    "call_validate",
    "compose",
    "make_probes",
    "outcome_sentence",
    "portable",
    "probe_set",
    "run_created",
    "standalone",
    "validate_answers",
    "write_like",
]
