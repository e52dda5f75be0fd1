"""The knowledge base: what Eurisko remembers, behind plain methods.

Each method is one short transaction, so that a crash leaves a consistent prefix, and writing the same
step twice changes nothing.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
from sqlalchemy import Engine, Insert, func, select, update
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from ..evaluators import Evaluation as Result
from ..sandbox import OutcomeKind
from .engine import database_url, open_engine, prepare
from .errors import KnowledgeBaseError, UnknownRun, shown
from .identity import EvaluationKey, this_machine
from .insights import Insights
from .jobs import Jobs
from .models import (
    Candidate,
    CandidateParent,
    Evaluation,
    ModelCall,
    NavigatorDecision,
    Run,
    now,
)
from .programs import Programs
from .prune import whole
from .solvers import Solvers
from .studies import Studies

_NOT_CACHED = frozenset({OutcomeKind.SANDBOX_FAILURE})
"""Outcomes that say nothing about the program: they are never stored as its evaluation."""


class KnowledgeBase:
    """An open knowledge base; thread-safe, closed by ``close()`` or as a context manager.

    Args:
        url: an SQLAlchemy URL; default ``EURISKO_DATABASE_URL``, else ``./eurisko.db``.
        busy_timeout_s: how long to wait for another process's lock on SQLite.
        migrate: bring the schema up to date (or refuse, on a server); False only for ``db`` commands.

    Raises:
        KnowledgeBaseError: it cannot be opened; the message says why and what to do.
    """

    def __init__(
        self, url: str | None = None, *, busy_timeout_s: float = 15.0, migrate: bool = True
    ) -> None:
        self.url: URL = database_url(url)
        self.engine: Engine = open_engine(self.url, busy_timeout_s)
        if migrate:
            prepare(self.engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Return all connections."""
        self.engine.dispose()

    @property
    def insights(self) -> Insights:
        """What was learnt over all runs."""
        return Insights(self)

    @property
    def jobs(self) -> Jobs:
        """Batch jobs and their items."""
        return Jobs(self)

    @property
    def programs(self) -> Programs:
        """Programs over all runs."""
        return Programs(self)

    @property
    def solvers(self) -> Solvers:
        """Verified routing solvers and their uses."""
        return Solvers(self)

    @property
    def studies(self) -> Studies:
        """Optimisation runs and their trials."""
        return Studies(self)

    def session(self) -> Session:
        """Return a session for queries of one's own; rows stay readable after it closes."""
        return Session(self.engine, expire_on_commit=False)

    def insert_once(self, table: type[Any], values: Mapping[str, Any]) -> Insert:
        """Return an INSERT that does nothing when a unique key is already there."""
        if self.engine.dialect.name == "postgresql":
            from sqlalchemy.dialects import postgresql

            return postgresql.insert(table).values(**values).on_conflict_do_nothing()
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table).values(**values).on_conflict_do_nothing()

    # Runs ---------------------------------------------------------------------------------------

    def create_run(self, **fields: Any) -> Run:
        """Store a new run and return it; its id is its problem's name and six hexadecimal digits."""
        stem = str(fields["problem"]).rsplit("/", 1)[-1][:40]
        run = Run(id=f"{stem}-{secrets.token_hex(3)}", status="running", **fields)
        with self.session() as session, session.begin():
            session.add(run)
        return run

    def get_run(self, name: str) -> Run:
        """Return the run called ``name``, a unique beginning of a run's id, or ``last``.

        Raises:
            UnknownRun: there is none, or several.
        """
        with self.session() as session:
            if name == "last":
                found = session.scalars(select(Run).order_by(Run.created_at.desc()).limit(1)).all()
            else:
                exact = session.get(Run, name)
                if exact is not None:
                    return exact
                starts = Run.id.startswith(name, autoescape=True)
                found = session.scalars(select(Run).where(starts).limit(6)).all() if name else []
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownRun(
                f"{name!r} is the beginning of several runs: "
                f"{', '.join(run.id for run in found[:5])}; write more of it."
            )
        raise UnknownRun(
            f"There is no run {name!r} in {shown(self.url)}: 'eurisko runs' lists what is there."
        )

    def runs(self, limit: int = 50) -> Sequence[Run]:
        """Return the newest ``limit`` runs, newest first."""
        with self.session() as session:
            return session.scalars(select(Run).order_by(Run.created_at.desc()).limit(limit)).all()

    def update_run(self, run_id: str, **fields: Any) -> None:
        """Change fields of a run."""
        with self.session() as session, session.begin():
            session.execute(update(Run).where(Run.id == run_id).values(updated_at=now(), **fields))

    # Candidates ---------------------------------------------------------------------------------

    def add_candidates(self, rows: Sequence[Mapping[str, Any]]) -> list[Candidate]:
        """Store candidates of one run in one transaction, each once under its key.

        Args:
            rows: the fields of :class:`Candidate`, with ``parents`` as a list of candidate ids.

        Returns:
            What is stored under those keys, in the order of ``rows``, whichever call came first.
        """
        if not rows:
            return []
        run_id = rows[0]["run_id"]
        with self.session() as session, session.begin():
            for row in rows:
                fields = {name: value for name, value in row.items() if name != "parents"}
                session.execute(self.insert_once(Candidate, {"created_at": now(), **fields}))
            found = self._by_key(session, run_id, [row["key"] for row in rows])
            for row in rows:
                candidate = found[row["key"]]
                if not candidate.parents:
                    candidate.parents.extend(
                        CandidateParent(candidate_id=candidate.id, position=position, parent_id=id_)
                        for position, id_ in enumerate(row.get("parents", ()))
                    )
        return [found[row["key"]] for row in rows]

    def find_candidates(self, run_id: str, keys: Sequence[str]) -> dict[str, Candidate]:
        """Return those candidates of a run whose steps have happened, by key."""
        with self.session() as session:
            return self._by_key(session, run_id, keys)

    @staticmethod
    def _by_key(session: Session, run_id: str, keys: Sequence[str]) -> dict[str, Candidate]:
        rows = session.scalars(
            select(Candidate).where(Candidate.run_id == run_id, Candidate.key.in_(keys))
        )
        return {row.key: row for row in rows}

    def candidates(self, ids: Iterable[int]) -> list[Candidate]:
        """Return candidates in the order of ``ids``."""
        wanted = list(ids)
        with self.session() as session:
            rows = session.scalars(select(Candidate).where(Candidate.id.in_(set(wanted)))).all()
        found = {row.id: row for row in rows}
        return [found[id_] for id_ in wanted]

    def run_candidates(self, run_id: str, generation: int | None = None) -> Sequence[Candidate]:
        """Return the candidates of a run, or of one generation, in the order they were made in."""
        query = select(Candidate).where(Candidate.run_id == run_id)
        if generation is not None:
            query = query.where(Candidate.generation == generation)
        with self.session() as session:
            return session.scalars(query.order_by(Candidate.id)).all()

    def count_candidates(self, run_id: str) -> int:
        """Return how many candidates a run has made."""
        query = select(func.count()).select_from(Candidate).where(Candidate.run_id == run_id)
        with self.session() as session:
            return session.scalar(query) or 0

    # Decisions ----------------------------------------------------------------------------------

    def add_decision(self, run_id: str, generation: int, decision: Mapping[str, Any]) -> None:
        """Store what a generation was told to do, once."""
        values = {"run_id": run_id, "generation": generation, **decision}
        with self.session() as session, session.begin():
            session.execute(self.insert_once(NavigatorDecision, values))

    def decisions(self, run_id: str) -> Sequence[NavigatorDecision]:
        """Return what the generations of a run were told to do, in their order."""
        query = select(NavigatorDecision).where(NavigatorDecision.run_id == run_id)
        with self.session() as session:
            return session.scalars(query.order_by(NavigatorDecision.generation)).all()

    # Evaluations --------------------------------------------------------------------------------

    def find_evaluations(self, keys: Sequence[EvaluationKey]) -> dict[str, Result]:
        """Return the results of evaluations made before, by ``key.identity``.

        Times measured on another machine come back as NaN. What retention has emptied is left out.
        """
        identities = [key.identity for key in keys]
        with self.session() as session:
            rows = session.scalars(
                select(Evaluation).where(Evaluation.identity.in_(identities), whole())
            )
            return {row.identity: _result(row) for row in rows}

    def add_evaluation(self, key: EvaluationKey, result: Result) -> None:
        """Store a result under its key, once; failures of the sandbox itself are not stored."""
        if result.kind in _NOT_CACHED:
            return
        with self.session() as session, session.begin():
            self.store_evaluation(session, self.evaluation_values(key, result))

    def store_evaluation(self, session: Session, values: Mapping[str, Any]) -> None:
        """Store an evaluation's row once; one that retention has emptied is made whole again."""
        insert = self.insert_once(Evaluation, values).returning(Evaluation.id)
        if session.execute(insert).first() is None and values["raw"] is not None:
            emptied = (Evaluation.identity == values["identity"]) & ~whole()
            blobs = {name: values[name] for name in ("gaps", "raw", "decisions")}
            session.execute(update(Evaluation).where(emptied).values(**blobs))

    @staticmethod
    def evaluation_values(key: EvaluationKey, result: Result) -> dict[str, Any]:
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

    def add_decisions(self, key: EvaluationKey, result: Result) -> None:
        """Add the sketch of decisions to an evaluation of an older version, which has none."""
        if result.decisions is None:
            return
        missing = (Evaluation.identity == key.identity) & Evaluation.decisions.is_(None)
        values = {"decisions": result.decisions.tobytes()}
        with self.session() as session, session.begin():
            session.execute(update(Evaluation).where(missing).values(values))

    def evaluations(
        self, hashes: Iterable[str], dataset_digest: str, interface: str
    ) -> dict[str, Result]:
        """Return the newest evaluation on one data set for each of the programs that has one."""
        wanted = list({*hashes})
        found: dict[str, Result] = {}
        with self.session() as session:
            for start in range(0, len(wanted), 500):  # SQLite limits the variables of a statement
                rows = session.scalars(
                    select(Evaluation)
                    .where(
                        Evaluation.program_hash.in_(wanted[start : start + 500]),
                        Evaluation.dataset_digest == dataset_digest,
                        Evaluation.interface == interface,
                    )
                    .order_by(Evaluation.id)
                )
                found.update({row.program_hash: _result(row) for row in rows})
        return found

    def timed(
        self, hashes: Iterable[str], dataset_digest: str, interface: str, device: str
    ) -> dict[str, tuple[float, float]]:
        """Return objective and CPU seconds on one data set for each of the programs that ran on it.

        Seconds are the least of those measured on this machine; a program that was never measured
        here, or that failed, is left out.
        """
        wanted = list({*hashes})
        found: dict[str, tuple[float, float]] = {}
        with self.session() as session:
            for start in range(0, len(wanted), 500):
                rows = session.execute(
                    select(
                        Evaluation.program_hash,
                        func.min(Evaluation.objective),
                        func.min(Evaluation.cpu_s),
                    )
                    .where(
                        Evaluation.program_hash.in_(wanted[start : start + 500]),
                        Evaluation.dataset_digest == dataset_digest,
                        Evaluation.interface == interface,
                        Evaluation.device == device,
                        Evaluation.machine == this_machine(),
                        Evaluation.outcome == OutcomeKind.OK.value,
                    )
                    .group_by(Evaluation.program_hash)
                )
                found.update(
                    {name: (value, least) for name, value, least in rows if value is not None}
                )
        return found

    # Model calls --------------------------------------------------------------------------------

    def add_call(self, **fields: Any) -> None:
        """Store one model call, answered or failed."""
        with self.session() as session, session.begin():
            session.add(ModelCall(**fields))

    def find_call(self, run_id: str, key: str, prompt_hash: str) -> ModelCall | None:
        """Return the answered call of a step with exactly this prompt, or None."""
        with self.session() as session:
            return session.scalars(
                select(ModelCall)
                .where(
                    ModelCall.run_id == run_id,
                    ModelCall.key == key,
                    ModelCall.prompt_hash == prompt_hash,
                    ModelCall.text.is_not(None),
                )
                .order_by(ModelCall.id)
                .limit(1)
            ).one_or_none()

    def spent(self, run_id: str) -> tuple[int, int, float | None]:
        """Return requests sent, tokens and US dollars of a run; None when a price is unknown."""
        tokens = func.sum(ModelCall.prompt_tokens + ModelCall.completion_tokens)
        answered, priced = func.count(ModelCall.text), func.count(ModelCall.usd)
        usd = func.sum(ModelCall.usd)
        query = select(func.sum(ModelCall.attempts), tokens, usd, answered, priced)
        with self.session() as session:
            row = session.execute(query.where(ModelCall.run_id == run_id)).one()
        sent, used, money, answers, prices = row
        return int(sent or 0), int(used or 0), float(money or 0.0) if prices == answers else None

    def calls(self, run_id: str) -> Sequence[ModelCall]:
        """Return all model calls of a run in the order in which they were stored."""
        with self.session() as session:
            return session.scalars(
                select(ModelCall).where(ModelCall.run_id == run_id).order_by(ModelCall.id)
            ).all()


def _pack(values: np.ndarray | None) -> bytes | None:
    return None if values is None else np.ascontiguousarray(values, dtype="<f8").tobytes()


def _unpack(blob: bytes | None) -> np.ndarray | None:
    """Return values per instance; None where there are none, or where retention has emptied them."""
    return np.frombuffer(blob, dtype="<f8") if blob else None


def _result(row: Evaluation) -> Result:
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


__all__ = ["KnowledgeBase", "KnowledgeBaseError", "UnknownRun"]
