"""Batch evaluation jobs: many programs on many data sets, resumable, on one machine or many.

``plan`` expands a job, ``create_job`` stores it, ``work_on`` does it, ``records`` reads what it found.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import BatchError as BatchError
    from .errors import Interrupted as Interrupted
    from .events import Progress as Progress
    from .executors import LocalExecutor as LocalExecutor
    from .expand import Expansion as Expansion
    from .results import Comparison as Comparison
    from .results import Record as Record
    from .results import as_rows as as_rows
    from .results import compare as compare
    from .results import instance_scores as instance_scores
    from .results import records as records
    from .run import create_job as create_job
    from .run import plan as plan
    from .run import work_on as work_on
    from .spec import JobSpec as JobSpec

_HOMES = {
    "BatchError": "errors",
    "Comparison": "results",
    "Expansion": "expand",
    "Interrupted": "errors",
    "JobSpec": "spec",
    "LocalExecutor": "executors",
    "Progress": "events",
    "Record": "results",
    "as_rows": "results",
    "compare": "results",
    "create_job": "run",
    "instance_scores": "results",
    "plan": "run",
    "records": "results",
    "work_on": "run",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
