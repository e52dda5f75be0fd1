"""Rows for tests of the knowledge base, with what a test does not care about filled in."""

from typing import Any

import numpy as np

from eurisko.evaluators import Evaluation
from eurisko.knowledge_base import EvaluationKey
from eurisko.sandbox import OutcomeKind

RUN: dict[str, Any] = {
    "workflow": "evolve",
    "problem": "tsp_construct",
    "problem_version": "1",
    "interface": "batched",
    "proposer": "offline",
    "seed": 7,
    "config": {"population": 4},
    "folder": "runs/x",
    "version": "0.1.0",
}


def candidate(run_id: str, key: str, **fields: Any) -> dict[str, Any]:
    """Return the fields of a candidate."""
    return {
        "run_id": run_id,
        "key": key,
        "generation": 0,
        "operator": "i1",
        "slot": 0,
        "code": "def f(): pass",
        "hash": "h",
        **fields,
    }


def key(**fields: Any) -> EvaluationKey:
    """Return the key of an evaluation."""
    whole = {
        "program_hash": "p",
        "problem": "tsp_construct",
        "problem_version": "1",
        "interface": "batched",
        "dataset": "d",
        "dataset_digest": "dd",
        "seed": 0,
        "device": "cpu",
        "limits": "cpu=10s",
    }
    return EvaluationKey(**(whole | fields))


def result(**fields: Any) -> Evaluation:
    """Return a result."""
    whole: dict[str, Any] = {
        "kind": OutcomeKind.OK,
        "error_type": None,
        "message": "",
        "line": None,
        "objective": 2.5,
        "gaps": np.array([2.0, 3.0]),
        "raw": np.array([5.0, 6.0]),
        "cpu_s": 0.5,
        "wall_s": 0.6,
        "peak_mib": 10.0,
        "isolation": "L1 limits",
        "dataset": "d",
        "dataset_digest": "dd",
    }
    return Evaluation(**(whole | fields))
