"""What a run of an untrusted program ended in: one closed set of kinds, used everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np

NO_ARRAYS: Mapping[str, np.ndarray] = MappingProxyType({})


def no_arrays() -> Mapping[str, np.ndarray]:
    """Return the empty result."""
    return NO_ARRAYS


class OutcomeKind(StrEnum):
    """The single list of ways in which a run can end.

    ``SANDBOX_FAILURE`` is ours and is never charged to the candidate; every other kind is the
    candidate's doing.
    """

    OK = "ok"
    POLICY_VIOLATION = "policy_violation"
    SYNTAX_ERROR = "syntax_error"
    CANDIDATE_ERROR = "candidate_error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    FORBIDDEN_SYSCALL = "forbidden_syscall"
    CRASH = "crash"
    BAD_RESULT = "bad_result"
    INFEASIBLE = "infeasible"
    SANDBOX_FAILURE = "sandbox_failure"


@dataclass(frozen=True)
class Outcome:
    """The end of one run.

    ``arrays`` is empty unless ``kind`` is ok and is read-only. ``error_type``, ``message``,
    ``line`` and ``stdout`` are the candidate's own words, cut and cleaned, of unknown truth.
    ``cpu_s``, ``wall_s`` and ``peak_mib`` are measured outside the candidate by the kernel:
    seconds of processor time, seconds on the clock, largest resident set in MiB (which includes
    what the child shares with its server). ``line`` counts from 1 in the candidate's own source.
    """

    kind: OutcomeKind
    arrays: Mapping[str, np.ndarray] = field(default_factory=no_arrays, repr=False, compare=False)
    error_type: str | None = None
    message: str = ""
    line: int | None = None
    stdout: str = field(default="", repr=False)
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mib: float = 0.0
    isolation: str = ""

    @property
    def ok(self) -> bool:
        """Whether the run returned arrays of the expected shapes."""
        return self.kind is OutcomeKind.OK
