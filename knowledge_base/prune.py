"""Retention: the heavy parts of old, finished runs go; what a run found and how it got there stays.

Of runs that finished before a moment these fields are emptied; no row is ever deleted:

- thought, program and genome of candidates that failed and have no child;
- requests and answers of model calls, except those that led to the best, through all its ancestors, and
  those that insights were drawn from;
- values per instance and decisions of evaluations, except of programs that are a run's best or seed,
  have children, belong to a run that is not pruned, or to a batch job.

What reports are made from (objectives, outcomes, times, lineage, counts, credit) is untouched. An
evaluation without its values counts as unknown to whoever asks for it, and is made whole again by the
next one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, exists, func, or_, select, text, update
from sqlalchemy.orm import Session, aliased

from ..sandbox import OutcomeKind
from .models import Candidate, CandidateParent, Evaluation, JobProgram, ModelCall, Run, Solver

if TYPE_CHECKING:
    from .store import KnowledgeBase

EMPTIED = b""
"""In the place of values per instance; None means that there never were any."""
PRUNED = {"pruned": True}
"""The request of a model call whose texts are gone."""
_BATCH = 500
_KEPT_ROLES = ("insight", "start")
"""Of calls that insights were drawn from."""


@dataclass
class Pruned:
    """What was emptied, or would be: rows, and about how many bytes."""

    runs: list[str] = field(default_factory=list)
    """Finished before the moment."""
    candidates: int = 0
    calls: int = 0
    evaluations: int = 0
    bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


def whole() -> Any:
    """Return the condition that an evaluation still has its values per instance, or never had any."""
    return or_(Evaluation.raw.is_(None), func.length(Evaluation.raw) > 0)


def prune(base: "KnowledgeBase", before: datetime, dry_run: bool = False) -> Pruned:
    """Empty the heavy fields of runs that finished before a moment, in short transactions.

    Args:
        base: the knowledge base.
        before: of this or a later time nothing is touched.
        dry_run: only count.
    """
    pruned, best = Pruned(), set[str]()
    with base.session() as session:
        finished = (Run.status == "finished", Run.updated_at < before)
        rows = session.execute(select(Run.id, Run.result).where(*finished)).all()
        solved = set(session.scalars(select(Solver.run_id).where(Solver.run_id.is_not(None))))
    for run_id, result in rows:
        pruned.runs.append(run_id)
        chosen = (result or {}).get("best")
        with base.session() as session, session.begin():
            ancestors = _ancestors(session, chosen) if isinstance(chosen, int) else {}
            best.update(name for key, name in ancestors.values())
            best.add(str((result or {}).get("baseline_hash", "")))
            _candidates(session, run_id, ancestors, pruned, dry_run)
        if run_id not in solved:
            kept = {key for key, _ in ancestors.values()}
            _calls(base, run_id, kept, pruned, dry_run)
    _evaluations(base, before, best, pruned, dry_run)
    return pruned


def vacuum(base: "KnowledgeBase") -> None:
    """Give the space of what was emptied back: to the disk on SQLite, to later rows on a server."""
    with base.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM"))
        if base.engine.dialect.name == "sqlite":
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))


def _ancestors(session: Session, candidate: int) -> dict[int, tuple[str, str]]:
    """Return key and hash of a candidate and of all that it descends from, by id."""
    line = select(Candidate.id).where(Candidate.id == candidate).cte("line", recursive=True)
    above = select(CandidateParent.parent_id).join(line, CandidateParent.candidate_id == line.c.id)
    line = line.union(above)
    query = select(Candidate.id, Candidate.key, Candidate.hash).join(
        line, Candidate.id == line.c.id
    )
    return {id_: (key, name) for id_, key, name in session.execute(query)}


def _has_child() -> Any:
    return exists().where(CandidateParent.parent_id == Candidate.id)


def _candidates(
    session: Session, run_id: str, kept: dict[int, Any], pruned: Pruned, dry_run: bool
) -> None:
    ok = Evaluation.outcome == OutcomeKind.OK.value
    same = Evaluation.program_hash == Candidate.hash
    failed = or_(
        Candidate.proposal_error.is_not(None),
        and_(exists().where(same, ~ok), ~exists().where(same, ok)),
    )
    size = func.length(Candidate.code) + func.length(Candidate.thought)
    query = select(Candidate.id, size + func.coalesce(func.length(Candidate.genome), 0)).where(
        Candidate.run_id == run_id,
        Candidate.operator != "seed",
        or_(Candidate.code != "", Candidate.thought != ""),
        failed,
        ~_has_child(),
    )
    found = [(id_, length) for id_, length in session.execute(query) if id_ not in kept]
    pruned.candidates += len(found)
    pruned.bytes += sum(length for _, length in found)
    for part in () if dry_run else _parts([id_ for id_, _ in found]):
        empty = update(Candidate).where(Candidate.id.in_(part))
        session.execute(empty.values(code="", thought="", genome=None))


def _calls(
    base: "KnowledgeBase", run_id: str, kept: set[str], pruned: Pruned, dry_run: bool
) -> None:
    """Empty the calls of a run but for those of the kept candidates' steps (their keys begin alike)."""
    columns = (ModelCall.id, ModelCall.key, ModelCall.text, ModelCall.request)
    last = 0
    while True:
        query = (
            select(*columns)
            .where(ModelCall.run_id == run_id, ModelCall.id > last)
            .where(ModelCall.role.not_in(_KEPT_ROLES))
            .order_by(ModelCall.id)
            .limit(_BATCH)
        )
        with base.session() as session, session.begin():
            rows = session.execute(query).all()
            if not rows:
                return
            last = rows[-1].id
            old = [one for one in rows if one.request != PRUNED and not _of_step(one.key, kept)]
            pruned.calls += len(old)
            pruned.bytes += sum(len(one.text or "") + len(str(one.request)) for one in old)
            if dry_run or not old:
                continue
            mine = update(ModelCall).where(ModelCall.id.in_([one.id for one in old]))
            session.execute(mine.values(request=PRUNED))
            # Answered calls stay answered: what a run spent is counted from them.
            session.execute(mine.where(ModelCall.text.is_not(None)).values(text=""))


def _of_step(key: str, kept: set[str]) -> bool:
    """Return whether a call's key is that of a candidate, or goes on from it (``KEY/0/again``)."""
    parts = key.split("/")
    return any("/".join(parts[:count]) in kept for count in range(1, len(parts) + 1))


def _evaluations(
    base: "KnowledgeBase", before: datetime, best: set[str], pruned: Pruned, dry_run: bool
) -> None:
    with base.session() as session:
        best = best | set(session.scalars(select(JobProgram.hash).distinct()))
    size = sum(
        (func.coalesce(func.length(one), 0) for one in (Evaluation.gaps, Evaluation.decisions)),
        func.length(Evaluation.raw),
    )
    last = 0
    while True:
        query = (
            select(Evaluation.id, Evaluation.program_hash, size)
            .where(Evaluation.id > last, Evaluation.created_at < before)
            .where(func.length(Evaluation.raw) > 0)
            .order_by(Evaluation.id)
            .limit(_BATCH)
        )
        with base.session() as session, session.begin():
            rows = session.execute(query).all()
            if not rows:
                return
            last = rows[-1][0]
            kept = best | _needed(session, {name for _, name, _ in rows} - best, before)
            old = [(id_, length) for id_, name, length in rows if name not in kept]
            pruned.evaluations += len(old)
            pruned.bytes += sum(length for _, length in old)
            if old and not dry_run:
                mine = update(Evaluation).where(Evaluation.id.in_([id_ for id_, _ in old]))
                session.execute(mine.values(gaps=None, raw=EMPTIED, decisions=None))


def _needed(session: Session, hashes: set[str], before: datetime) -> set[str]:
    """Return those programs that somebody descends from, or that belong to a run that is not pruned."""
    run = aliased(Run)
    going_on = or_(run.status != "finished", run.updated_at >= before)
    query = (
        select(Candidate.hash)
        .join(run, run.id == Candidate.run_id)
        .where(Candidate.hash.in_(hashes))
        .where(or_(going_on, Candidate.operator == "seed", _has_child()))
    )
    return set(session.scalars(query.distinct()))


def _parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]
