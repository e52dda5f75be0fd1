"""Recorded runs with a model: its answers, and what the programs scored, so that a replay is quick.

A recording is two files below ``tests/recorded``: ``NAME.jsonl.gz`` (written by ``eurisko export RUN
--recording``) and ``NAME.scores.json.gz`` (written by :func:`save_scores`). Scores enter the knowledge
base before the replay, which then evaluates nothing that the recorded run evaluated; tests run the
champion itself again.
"""

import gzip
import json
from pathlib import Path
from typing import Any

from sqlalchemy import select

from eurisko.agents.evolution.evaluation import Evaluator
from eurisko.evaluators import Evaluation, get_problem
from eurisko.knowledge_base import Evaluation as Row
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import OutcomeKind

FOLDER = Path(__file__).parents[1] / "recorded"


def recording(name: str, folder: Path) -> str:
    """Unpack the answers of a recording into ``folder``; return the model that replays them."""
    path = folder / f"{Path(name).name}.jsonl"
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()))
    return f"replay:{path}"


def saved(name: str) -> dict[str, Any]:
    """Return what is kept of a recorded run beside the answers: settings, best program, scores."""
    found: dict[str, Any] = json.loads(
        gzip.decompress((FOLDER / f"{name}.scores.json.gz").read_bytes())
    )
    return found


def save_scores(base: KnowledgeBase, run_id: str, path: Path) -> None:
    """Write what the programs of a run scored, on every data set."""
    run = base.get_run(run_id)
    hashes = {one.hash for one in base.run_candidates(run.id) if one.proposal_error is None}
    with base.session() as session:
        rows = session.scalars(select(Row).where(Row.program_hash.in_(hashes)).order_by(Row.id))
        scores = [
            {
                "program": row.program_hash,
                "dataset": row.dataset,
                "digest": row.dataset_digest,
                "outcome": row.outcome,
                "error_type": row.error_type,
                "message": row.message,
                "line": row.line,
                "objective": row.objective,
                "cpu_s": round(row.cpu_s, 3),
                "isolation": row.isolation,
            }
            for row in rows
        ]
    names = ("problem", "strategy", "population", "generations", "seed", "transfer", "cpu_s")
    assert run.result is not None
    (best,) = base.candidates([run.result["best"]])
    kept = {
        "settings": {name: run.config[name] for name in names},
        "calls": base.spent(run.id)[0],
        "best": best.hash,
        "scores": scores,
    }
    text = json.dumps(kept, indent=0)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def load_scores(name: str, base: KnowledgeBase, evaluator: Evaluator) -> int:
    """Put the recorded scores where a run with this evaluator looks first; return their number."""
    problem = get_problem(evaluator.problem.spec.name)
    rows = saved(name)["scores"]
    for one in rows:
        data = problem.dataset(one["dataset"])
        assert data.digest == one["digest"], f"{one['dataset']} is not what it was"
        result = Evaluation(
            kind=OutcomeKind(one["outcome"]),
            error_type=one["error_type"],
            message=one["message"],
            line=one["line"],
            objective=one["objective"],
            gaps=None,
            raw=None,  # or the champion would be played in lockstep, which takes minutes
            cpu_s=one["cpu_s"],
            wall_s=0.0,
            peak_mib=0.0,
            isolation=one["isolation"],
            dataset=one["dataset"],
            dataset_digest=one["digest"],
        )
        base.add_evaluation(evaluator.key(one["program"], data), result)
    return len(rows)
