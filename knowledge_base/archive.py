"""A whole run as one file: JSON lines under gzip, each line a row that refers to others by name.

The first line is the run, the last one counts the lines between. Candidates are named by their keys,
insights by their digests, so a file is independent of the ids of its knowledge base. The run's folder,
checkpoints and solvers stay behind.
"""

import gzip
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, select

from .columns import to_json
from .models import (
    Base,
    Candidate,
    CandidateParent,
    Evaluation,
    Insight,
    InsightEvent,
    InsightUse,
    ModelCall,
    NavigatorDecision,
    Run,
    Study,
    Trial,
)
from .records import VERSION, Kind, plain
from .store import KnowledgeBase
from .transfer import reading

_PART = 500


def write_archive(base: KnowledgeBase, run_id: str, path: Path) -> Counter[str]:
    """Write a run with all that belongs to it, all or nothing; return the lines of each kind.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    counts: Counter[str] = Counter()
    try:
        with (
            reading(base.engine) as connection,
            gzip.open(temporary, "wt", encoding="utf-8") as out,
        ):
            for kind, fields in _lines(connection, run_id):
                out.write(to_json({"row": kind, **fields}) + "\n")
                counts[kind] += 1
            out.write(to_json({"row": "end", "counts": dict(counts)}) + "\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return counts


def _lines(connection: Connection, run_id: str) -> Iterator[tuple[Kind, dict[str, Any]]]:
    keys = select(Candidate.id, Candidate.key).where(Candidate.run_id == run_id)
    candidates = {row[0]: row[1] for row in connection.execute(keys)}
    (run,) = _rows(connection, Run, Run.id == run_id)
    best = (run["result"] or {}).get("best")
    named = candidates.get(best) if isinstance(best, int) else None
    yield (
        "run",
        {"format": "eurisko run", "file_version": VERSION, **plain("run", run), "best": named},
    )
    for row in _rows(connection, Candidate, Candidate.run_id == run_id):
        yield "candidate", plain("candidate", row)
    for row in _parents(connection, run_id):
        child, parent = candidates[row["candidate_id"]], candidates[row["parent_id"]]
        yield "parent", {"candidate": child, "parent": parent, "position": row["position"]}
    yield from _evaluations(connection, run_id, run)
    yield from _of_run(connection, run_id, "call", ModelCall)
    yield from _of_run(connection, run_id, "decision", NavigatorDecision)
    yield from _learnt(connection, run_id, candidates)
    yield from _of_run(connection, run_id, "study", Study)
    yield from _of_run(connection, run_id, "trial", Trial)


def _of_run(
    connection: Connection, run_id: str, kind: Kind, table: type[Base]
) -> Iterator[tuple[Kind, dict[str, Any]]]:
    for row in _rows(connection, table, table.__table__.c.run_id == run_id):
        yield kind, plain(kind, row)


def _learnt(
    connection: Connection, run_id: str, candidates: Mapping[int, str]
) -> Iterator[tuple[Kind, dict[str, Any]]]:
    uses = list(_rows(connection, InsightUse, InsightUse.run_id == run_id))
    events = list(_rows(connection, InsightEvent, InsightEvent.run_id == run_id))
    wanted = {row["insight_id"] for row in uses}
    wanted |= {row[name] for row in events for name in ("insight_id", "evicted_id")} - {None}
    digests: dict[int | None, str] = {}
    for part in _parts(sorted(wanted)):
        for row in _rows(connection, Insight, Insight.id.in_(part)):
            digests[row["id"]] = row["digest"]
            yield "insight", {**plain("insight", row), "mine": row["run_id"] == run_id}
    for row in uses:
        names = {
            "candidate": candidates[row["candidate_id"]],
            "insight": digests[row["insight_id"]],
        }
        yield "use", {**plain("use", row), **names}
    for row in events:
        places = {name: digests.get(row[f"{name}_id"]) for name in ("insight", "evicted")}
        yield "event", {**plain("event", row), **places}


def _evaluations(
    connection: Connection, run_id: str, run: Mapping[str, Any]
) -> Iterator[tuple[Kind, dict[str, Any]]]:
    """Yield what is known of the run's programs, on all data sets, and of the seed heuristic."""
    query = (
        select(Candidate.hash).where(Candidate.run_id == run_id, Candidate.hash != "").distinct()
    )
    hashes = {*connection.execute(query).scalars(), (run["result"] or {}).get("baseline_hash", "")}
    for part in _parts(sorted(hashes - {""})):
        for row in _rows(connection, Evaluation, Evaluation.program_hash.in_(part)):
            if row["interface"] == run["interface"]:
                yield "evaluation", plain("evaluation", row)


def _rows(connection: Connection, table: type[Base], condition: Any) -> Iterator[dict[str, Any]]:
    plain_table: Table = table.__table__  # type: ignore[assignment]
    keys = [plain_table.c.id] if "id" in plain_table.c else list(plain_table.primary_key)
    query = select(plain_table).where(condition).order_by(*keys)
    for row in connection.execute(query, execution_options={"yield_per": _PART}):
        yield dict(row._mapping)


def _parents(connection: Connection, run_id: str) -> Iterator[dict[str, Any]]:
    links = CandidateParent.__table__
    query = (
        select(links)
        .join(Candidate.__table__, Candidate.id == links.c.candidate_id)
        .where(Candidate.run_id == run_id)
        .order_by(links.c.candidate_id, links.c.position)
    )
    for row in connection.execute(query, execution_options={"yield_per": _PART}):
        yield dict(row._mapping)


def _parts(values: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]
