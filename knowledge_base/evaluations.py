"""Results of evaluations as rows, and rows as results."""

from typing import Any

import numpy as np

from ..evaluators import Evaluation as Result
from ..sandbox import OutcomeKind
from .identity import EvaluationKey, this_machine
from .models import Evaluation, now


def values_of(key: EvaluationKey, result: Result) -> dict[str, Any]:
    """Return the columns of an evaluation's row."""
    return {
        "identity": key.identity,
        **{name: getattr(key, name) for name in EvaluationKey.__dataclass_fields__},
        "outcome": result.kind.value,
        "error_type": result.error_type,
        "message": result.message,
        "line": result.line,
        "objective": result.objective,
        "gaps": _pack(result.gaps),
        "raw": _pack(result.raw),
        "decisions": None if result.decisions is None else result.decisions.tobytes(),
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "peak_mib": result.peak_mib,
        "isolation": result.isolation,
        "machine": this_machine(),
        "created_at": now(),
    }


def _pack(values: np.ndarray | None) -> bytes | None:
    return None if values is None else np.ascontiguousarray(values, dtype="<f8").tobytes()


def _unpack(blob: bytes | None) -> np.ndarray | None:
    """Return values per instance; None where there are none, or where retention has emptied them."""
    return np.frombuffer(blob, dtype="<f8") if blob else None


def result_of(row: Evaluation) -> Result:
    """Return what a row says; times measured on another machine are NaN."""
    ours = row.machine == this_machine()
    return Result(
        kind=OutcomeKind(row.outcome),
        error_type=row.error_type,
        message=row.message,
        line=row.line,
        objective=row.objective,
        gaps=_unpack(row.gaps),
        raw=_unpack(row.raw),
        decisions=None if row.decisions is None else np.frombuffer(row.decisions, dtype="<u2"),
        cpu_s=row.cpu_s if ours else float("nan"),
        wall_s=row.wall_s if ours else float("nan"),
        peak_mib=row.peak_mib,
        isolation=row.isolation,
        dataset=row.dataset,
        dataset_digest=row.dataset_digest,
    )
