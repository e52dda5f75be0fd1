"""Batch jobs: items claimed by coordinators, done exactly once in effect.

A coordinator claims items, evaluates them and stores result and item in one transaction. One that
died leaves claimed items behind; they go back when its heart no longer beats. An item that is done
twice all the same changes nothing: the evaluation is stored under its identity, once.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.orm import Session

from ..evaluators import Evaluation as Result
from .errors import UnknownRun
from .identity import EvaluationKey, this_machine
from .models import Evaluation, Job, JobItem, JobProgram, JobWorker, now
from .prune import whole

if TYPE_CHECKING:
    from .store import KnowledgeBase

_CHUNK = 500
"""Rows of a statement: SQLite limits its variables."""
_SOME = 300


@dataclass(frozen=True)
class Finished:
    """What came of an item: its result with its key, or why there is none (``failed``)."""

    item: int
    key: EvaluationKey | None = None
    result: Result | None = None
    message: str = ""
    again: bool = False
    """The fault was not the program's: the item goes back, to be tried once more."""


class Identified(Protocol):
    """What asks for an evaluation."""

    @property
    def identity(self) -> str:
        """The evaluation's name."""
        ...


@dataclass(frozen=True)
class Jobs:
    """The batch jobs of a knowledge base."""

    base: "KnowledgeBase"

    def create(
        self,
        name: str,
        spec: Mapping[str, Any],
        programs: Sequence[Mapping[str, Any]],
        items: Sequence[Mapping[str, Any]],
        version: str,
    ) -> Job:
        """Store a job with all its items; those whose evaluation is known are done at once.

        Args:
            name: what the user calls it; its id is the name and six hexadecimal digits.
            spec: the job file as plain data.
            programs: ``hash``, ``label`` and ``code``, in the order of their numbers.
            items: fields of :class:`JobItem` without ``job_id`` and ``number``.
            version: of Eurisko.
        """
        stem = name.replace(" ", "-")
        job = Job(
            id=f"{stem}-{secrets.token_hex(3)}",
            name=name,
            spec=dict(spec),
            status="open",
            version=version,
        )
        with self.base.session() as session, session.begin():
            session.add(job)
            session.flush()
            for number, program in enumerate(programs):
                session.add(JobProgram(job_id=job.id, number=number, **program))
            known = _known(session, [str(item["identity"]) for item in items])
            rows = [
                {
                    "attempts": 0,
                    "message": "",
                    **item,
                    "job_id": job.id,
                    "number": number,
                    "status": "done" if item["identity"] in known else "pending",
                }
                for number, item in enumerate(items)
            ]
            if rows:
                session.execute(insert(JobItem), rows)
        return job

    def get(self, name: str) -> Job:
        """Return the job called ``name``, a unique beginning of a job's id, or ``last``.

        Raises:
            UnknownRun: there is none, or several.
        """
        with self.base.session() as session:
            if name == "last":
                query = select(Job).order_by(Job.created_at.desc()).limit(1)
            else:
                query = select(Job).where(Job.id.startswith(name, autoescape=True)).limit(6)
            found = session.scalars(query).all() if name else []
        exact = [job for job in found if job.id == name]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            several = ", ".join(job.id for job in found[:5])
            raise UnknownRun(f"{name!r} is the beginning of several jobs: {several}.")
        raise UnknownRun(f"There is no job {name!r}: 'eurisko batch status' lists them.")

    def all(self, limit: int = 50) -> Sequence[Job]:
        """Return the newest ``limit`` jobs, newest first."""
        with self.base.session() as session:
            return session.scalars(select(Job).order_by(Job.created_at.desc()).limit(limit)).all()

    def programs(self, job_id: str) -> Sequence[JobProgram]:
        """Return the programs of a job by number."""
        query = select(JobProgram).where(JobProgram.job_id == job_id).order_by(JobProgram.number)
        with self.base.session() as session:
            return session.scalars(query).all()

    def counts(self, job_id: str) -> dict[str, int]:
        """Return how many items there are of each status."""
        query = (
            select(JobItem.status, func.count())
            .where(JobItem.job_id == job_id)
            .group_by(JobItem.status)
        )
        with self.base.session() as session:
            return {row[0]: row[1] for row in session.execute(query)}

    def set_status(self, job_id: str, status: str) -> None:
        """Mark a job as ``open``, ``finished`` or ``cancelled``."""
        with self.base.session() as session, session.begin():
            values = {"status": status, "updated_at": now()}
            session.execute(update(Job).where(Job.id == job_id).values(**values))

    # Coordinators ---------------------------------------------------------------------------------

    def join(self, job_id: str, process: str) -> int:
        """Enter a coordinator and return its number.

        Args:
            job_id: what it works on.
            process: tells it from every other process of this machine, also later ones.
        """
        with self.base.session() as session, session.begin():
            worker = JobWorker(job_id=job_id, machine=this_machine(), process=process)
            session.add(worker)
            session.flush()
            return worker.id

    def beat(self, worker: int) -> None:
        """Show that a coordinator lives."""
        with self.base.session() as session, session.begin():
            grown = {"beat": JobWorker.beat + 1}
            session.execute(update(JobWorker).where(JobWorker.id == worker).values(**grown))

    def workers(self, job_id: str) -> Sequence[JobWorker]:
        """Return the coordinators that have not left."""
        with self.base.session() as session:
            return session.scalars(select(JobWorker).where(JobWorker.job_id == job_id)).all()

    def leave(self, worker: int) -> int:
        """Strike a coordinator out, dead or alive; what it had claimed goes back. Returns how much."""
        with self.base.session() as session, session.begin():
            session.execute(delete(JobWorker).where(JobWorker.id == worker))
            return _given_back(session, worker)

    def give_back(self, worker: int) -> int:
        """Put back all that a coordinator has claimed; returns how much."""
        with self.base.session() as session, session.begin():
            return _given_back(session, worker)

    def claim(self, job_id: str, worker: int, count: int, device: str) -> Sequence[JobItem]:
        """Claim up to ``count`` items for a device, the first that are open; no two get the same."""
        chosen = (
            select(JobItem.id)
            .where(JobItem.job_id == job_id, JobItem.status == "pending", JobItem.device == device)
            .order_by(JobItem.number)
            .limit(count)
            .with_for_update(skip_locked=True)
        )
        with self.base.session() as session, session.begin():
            _write_first(session)
            ids = list(session.scalars(chosen))
            if not ids:
                return []
            taken = {
                "status": "claimed",
                "worker": worker,
                "attempts": JobItem.attempts + 1,
                "message": "",
            }
            session.execute(update(JobItem).where(JobItem.id.in_(ids)).values(**taken))
            query = select(JobItem).where(JobItem.id.in_(ids)).order_by(JobItem.number)
            return session.scalars(query).all()

    def known(self, items: Sequence["Identified"]) -> set[str]:
        """Return which of the items' evaluations the knowledge base has."""
        with self.base.session() as session:
            return _known(session, [item.identity for item in items])

    def usual_seconds(self, problem: str, interface: str, dataset_digest: str) -> float | None:
        """Return the mean time of an evaluation on a data set on this machine, None if unknown.

        Of some hundred evaluations at most, however many there are.
        """
        some = (
            select(Evaluation.wall_s)
            .where(
                Evaluation.problem == problem,
                Evaluation.dataset_digest == dataset_digest,
                Evaluation.objective.is_not(None),
                Evaluation.interface == interface,
                Evaluation.machine == this_machine(),
            )
            .limit(_SOME)
            .subquery()
        )
        with self.base.session() as session:
            return session.scalar(select(func.avg(some.c.wall_s)))

    def finish(self, worker: int, finished: Sequence[Finished]) -> None:
        """Store results and what became of the items, all or nothing."""
        with self.base.session() as session, session.begin():
            _write_first(session)
            values = [
                self.base.evaluation_values(one.key, one.result)
                for one in finished
                if one.key is not None and one.result is not None
            ]
            self.base.store_evaluations(session, values)
            for status in ("done", "failed", "pending"):
                for message, ids in _grouped(finished, status):
                    mine = (JobItem.id.in_(ids), JobItem.worker == worker)
                    ended = {"status": status, "worker": None, "message": message}
                    session.execute(update(JobItem).where(*mine).values(**ended))

    def retry(self, job_id: str) -> int:
        """Put failed items back and return how many there were."""
        failed = (JobItem.job_id == job_id, JobItem.status == "failed")
        with self.base.session() as session, session.begin():
            back = update(JobItem).where(*failed).values(status="pending", attempts=0, message="")
            return int(session.execute(back).rowcount)  # type: ignore[attr-defined]

    def rows(self, job_id: str) -> Iterator[tuple[JobItem, Evaluation | None]]:
        """Yield each item with its evaluation (None where there is none), in the items' order."""
        query = (
            select(JobItem, Evaluation)
            .outerjoin(Evaluation, Evaluation.identity == JobItem.identity)
            .where(JobItem.job_id == job_id)
            .order_by(JobItem.number)
        )
        with self.base.session() as session:
            for row in session.execute(query.execution_options(yield_per=_CHUNK)):
                yield row[0], row[1]


def _write_first(session: Session) -> None:
    """Take SQLite's write lock before reading, so that a second writer waits instead of failing."""
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("BEGIN IMMEDIATE"))


def _given_back(session: Session, worker: int) -> int:
    mine = (JobItem.worker == worker, JobItem.status == "claimed")
    back = update(JobItem).where(*mine).values(status="pending", worker=None)
    return int(session.execute(back).rowcount)  # type: ignore[attr-defined]


def _known(session: Session, identities: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(identities), _CHUNK):
        part = identities[start : start + _CHUNK]
        known = select(Evaluation.identity).where(Evaluation.identity.in_(part), whole())
        found.update(session.scalars(known))
    return found


def _grouped(finished: Sequence[Finished], status: str) -> Iterator[tuple[str, list[int]]]:
    """Yield messages with the items that end in ``status`` with them."""
    groups: dict[str, list[int]] = {}
    for one in finished:
        if _status(one) == status:
            groups.setdefault(one.message, []).append(one.item)
    for message, ids in groups.items():
        for start in range(0, len(ids), _CHUNK):
            yield message, ids[start : start + _CHUNK]


def _status(one: Finished) -> str:
    if not one.message:
        return "done"
    return "pending" if one.again else "failed"
