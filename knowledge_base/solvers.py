"""Created solvers: found again by what they solve, never by a name, and judged at every use."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from ..evaluators import program_hash
from .errors import UnknownSolver
from .models import Solver, SolverUse, now

if TYPE_CHECKING:
    from .store import KnowledgeBase

_MEANINGLESS = frozenset(
    {"NAME", "COMMENT", "DIMENSION", "EOF", "DISPLAY_DATA_TYPE", "name", "units"}
)
"""Fields that change nothing about what a program has to read."""


@dataclass(frozen=True)
class SolverKey:
    """What a solver solves: rules, input fields, format, rounding of distances, objective.

    Equal sets are equal in whatever order they are given. The rounding belongs to it because a
    program computes distances itself.
    """

    constraints: frozenset[str]
    fields: frozenset[str]
    format: str
    rounding: str
    objective: tuple[tuple[tuple[str, float], ...], ...]

    @classmethod
    def of(
        cls,
        constraints: Iterable[str],
        fields: Iterable[str],
        format: str,
        rounding: str,
        objective: Iterable[Iterable[tuple[str, float]]],
    ) -> "SolverKey":
        """Return the key without what has no meaning."""
        levels = tuple(tuple(sorted((n, float(w)) for n, w in level)) for level in objective)
        kept = frozenset(fields) - _MEANINGLESS
        return cls(frozenset(constraints), kept, format, rounding, levels)

    @property
    def digest(self) -> str:
        """SHA-256 of the normalised key."""
        text = json.dumps(
            [
                sorted(self.constraints),
                sorted(self.fields),
                self.format,
                self.rounding,
                self.objective,
            ]
        )
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Record:
    """How often a solver was used, and how often its plan was feasible."""

    uses: int
    feasible: int


@dataclass(frozen=True)
class Solvers:
    """The solvers of a knowledge base."""

    base: "KnowledgeBase"

    def add(
        self,
        key: SolverKey,
        code: str,
        *,
        type: str,
        description: Mapping[str, Any],
        checks: Mapping[str, Any],
        origin: str,
        run_id: str | None = None,
        parent_id: str | None = None,
    ) -> Solver:
        """Store a solver that passed its checks, once, and return what is stored.

        Args:
            key: what it solves.
            code: the whole program.
            type: short name of the problem, for people.
            description: the six parts.
            checks: what it passed.
            origin: the model that wrote it, or another word for where it comes from.
            run_id: the run that created it.
            parent_id: the solver that it was evolved from.
        """
        digest = hashlib.sha256(f"{key.digest}/{program_hash(code)}".encode()).hexdigest()
        values = {
            "id": f"{type[:40]}-{digest[:6]}",
            "digest": digest,
            "problem": key.digest,
            "type": type[:60],
            "constraints": ",".join(sorted(key.constraints)),
            "fields": ",".join(sorted(key.fields)),
            "format": key.format,
            "rounding": key.rounding,
            "objective": key.objective,
            "description": dict(description),
            "code": code,
            "checks": dict(checks),
            "origin": origin[:200],
            "run_id": run_id,
            "parent_id": parent_id,
            "created_at": now(),
        }
        with self.base.session() as session, session.begin():
            session.execute(self.base.insert_once(Solver, values))
            found = session.scalars(select(Solver).where(Solver.digest == digest)).one_or_none()
            if found is None:  # another solver has the same six digits
                session.execute(
                    self.base.insert_once(Solver, {**values, "id": f"{type[:40]}-{digest[:12]}"})
                )
                found = session.scalars(select(Solver).where(Solver.digest == digest)).one()
            return found

    def find(self, key: SolverKey) -> Sequence[Solver]:
        """Return the solvers of exactly this problem, the most reliable first, then the newest."""
        unused = SolverUse.id.is_(None)
        good = func.avg(case((unused, 1.0), (SolverUse.feasible, 1.0), else_=0.0))
        query = (
            select(Solver)
            .outerjoin(SolverUse, SolverUse.solver_id == Solver.id)
            .where(Solver.problem == key.digest)
            .group_by(Solver.id)
            .order_by(good.desc(), Solver.created_at.desc())
        )
        with self.base.session() as session:
            return session.scalars(query).all()

    def get(self, name: str) -> Solver:
        """Return the solver called ``name``, a unique beginning of an id, or ``last``.

        Raises:
            UnknownSolver: there is none, or several.
        """
        with self.base.session() as session:
            found = self._named(session, name)
        exact = [one for one in found if one.id == name]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            several = ", ".join(one.id for one in found[:5])
            raise UnknownSolver(f"{name!r} is the beginning of several solvers: {several}.")
        raise UnknownSolver(f"There is no solver {name!r}: 'eurisko solvers' lists what is there.")

    def all(self, limit: int = 100) -> Sequence[Solver]:
        """Return the newest ``limit`` solvers, newest first."""
        query = select(Solver).order_by(Solver.created_at.desc(), Solver.id).limit(limit)
        with self.base.session() as session:
            return session.scalars(query).all()

    def note_use(
        self,
        solver_id: str,
        *,
        text: str,
        name: str,
        feasible: bool,
        values: Sequence[float],
        seconds: float,
        message: str = "",
    ) -> None:
        """Store how a solver did on an instance (its file's text), as the checker judged."""
        use = SolverUse(
            solver_id=solver_id,
            instance=hashlib.sha256(text.encode()).hexdigest(),
            name=name[:200],
            feasible=feasible,
            values=list(values),
            seconds=seconds,
            message=message,
        )
        with self.base.session() as session, session.begin():
            session.add(use)

    def uses(self, solver_id: str) -> Sequence[SolverUse]:
        """Return the uses of a solver, oldest first."""
        query = select(SolverUse).where(SolverUse.solver_id == solver_id).order_by(SolverUse.id)
        with self.base.session() as session:
            return session.scalars(query).all()

    def records(self, ids: Iterable[str]) -> dict[str, Record]:
        """Return how often each of the solvers was used and was right."""
        query = (
            select(
                SolverUse.solver_id,
                func.count(),
                func.sum(case((SolverUse.feasible, 1), else_=0)),
            )
            .where(SolverUse.solver_id.in_(list(ids)))
            .group_by(SolverUse.solver_id)
        )
        with self.base.session() as session:
            return {name: Record(uses, int(good)) for name, uses, good in session.execute(query)}

    @staticmethod
    def _named(session: Session, name: str) -> Sequence[Solver]:
        if not name:
            return []
        if name == "last":
            query = select(Solver).order_by(Solver.created_at.desc()).limit(1)
        else:
            query = select(Solver).where(Solver.id.startswith(name, autoescape=True)).limit(6)
        return session.scalars(query).all()
