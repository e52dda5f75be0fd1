"""Programs over all runs: the best of a problem, and where a candidate comes from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ..sandbox import OutcomeKind
from .models import Candidate, CandidateParent, Evaluation

if TYPE_CHECKING:
    from .store import KnowledgeBase


@dataclass(frozen=True)
class RankedProgram:
    """A program with its objective on one data set, and the oldest candidate that proposed it.

    ``cpu_s`` are the CPU seconds for the whole data set, on the machine that measured them.
    """

    program_hash: str
    objective: float
    cpu_s: float
    candidate: int
    run_id: str
    thought: str


@dataclass(frozen=True)
class Verdict:
    """How an evaluation ended, and its objective where it has one."""

    kind: OutcomeKind
    objective: float | None


@dataclass(frozen=True)
class Proposed:
    """A candidate of a run without its texts; ``failed`` says that its proposal was no program."""

    id: int
    hash: str
    operator: str
    generation: int
    failed: bool


@dataclass(frozen=True)
class Ancestor:
    """A candidate in the lineage of another; ``parents`` are ids, in their order."""

    id: int
    operator: str
    generation: int
    hash: str
    parents: tuple[int, ...]


@dataclass(frozen=True)
class Programs:
    """The programs of a knowledge base."""

    base: "KnowledgeBase"

    def of_run(self, run_id: str) -> Sequence[tuple[int, str]]:
        """Return candidate and hash of each program of a run, in the order they were made in.

        Only these two columns are read: thousands of programs cost milliseconds.
        """
        query = (
            select(Candidate.id, Candidate.hash)
            .where(Candidate.run_id == run_id, Candidate.proposal_error.is_(None))
            .order_by(Candidate.id)
        )
        with self.base.session() as session:
            return [(row[0], row[1]) for row in session.execute(query)]

    def proposed(self, run_id: str) -> list[Proposed]:
        """Return all candidates of a run in the order they were made in, without their texts."""
        failed = Candidate.proposal_error.is_not(None)
        columns = (Candidate.id, Candidate.hash, Candidate.operator, Candidate.generation, failed)
        query = select(*columns).where(Candidate.run_id == run_id).order_by(Candidate.id)
        with self.base.session() as session:
            return [Proposed(*row) for row in session.execute(query)]

    def first_parents(self, candidate: int) -> list[int]:
        """Return a candidate's line along first parents: the oldest one's id first, its own last."""
        line = select(Candidate.id).where(Candidate.id == candidate).cte("line", recursive=True)
        line = line.union(
            select(CandidateParent.parent_id).where(
                CandidateParent.candidate_id == line.c.id, CandidateParent.position == 0
            )
        )
        with self.base.session() as session:
            return sorted(session.scalars(select(line.c.id)))  # a parent is stored before its child

    def best(
        self, problem: str, dataset_digest: str, interface: str, limit: int = 20
    ) -> list[RankedProgram]:
        """Return the best programs of all runs on one data set, each once, the best first.

        Args:
            problem: its name.
            dataset_digest: of the data set.
            interface: the programs' interface.
            limit: at most so many.
        """
        query = (
            select(Evaluation.program_hash, Evaluation.objective, Evaluation.cpu_s)
            .where(
                Evaluation.problem == problem,
                Evaluation.dataset_digest == dataset_digest,
                Evaluation.interface == interface,
                Evaluation.outcome == OutcomeKind.OK.value,
                Evaluation.objective.is_not(None),
            )
            .order_by(Evaluation.objective, Evaluation.id)
        )
        found: dict[str, tuple[float, float]] = {}
        with self.base.session() as session:
            # Read in their order until there are enough: one program may have been evaluated often.
            # The limit is named, or PostgreSQL plans for all rows and sorts them.
            read, count = 0, 2 * limit
            while len(found) < limit:
                rows = session.execute(query.offset(read).limit(count)).all()
                for name, objective, cpu_s in rows:
                    if len(found) < limit:
                        found.setdefault(name, (float(objective or 0.0), cpu_s))
                if len(rows) < count:
                    break
                read, count = read + count, 4 * count
            oldest = (
                select(func.min(Candidate.id))
                .where(Candidate.hash.in_(found))
                .group_by(Candidate.hash)
            )
            columns = (Candidate.hash, Candidate.id, Candidate.run_id, Candidate.thought)
            first = session.execute(select(*columns).where(Candidate.id.in_(oldest)))
            proposed = {row[0]: row for row in first}
        ranked = []
        for name, (objective, cpu_s) in found.items():
            if name in proposed:
                _, candidate, run_id, thought = proposed[name]
                ranked.append(RankedProgram(name, objective, cpu_s, candidate, run_id, thought))
        return ranked

    def verdicts(
        self, hashes: Iterable[str], dataset_digest: str, interface: str
    ) -> dict[str, Verdict]:
        """Return how the newest evaluation of each program on one data set ended.

        No values per instance are read: for all programs of a run at once.
        """
        wanted = list({*hashes})
        found: dict[str, Verdict] = {}
        columns = (Evaluation.program_hash, Evaluation.outcome, Evaluation.objective)
        with self.base.session() as session:
            for start in range(0, len(wanted), 500):  # SQLite limits the variables of a statement
                rows = session.execute(
                    select(*columns)
                    .where(
                        Evaluation.program_hash.in_(wanted[start : start + 500]),
                        Evaluation.dataset_digest == dataset_digest,
                        Evaluation.interface == interface,
                    )
                    .order_by(Evaluation.id)
                )
                found.update(
                    {name: Verdict(OutcomeKind(kind), value) for name, kind, value in rows}
                )
        return found

    def ancestors(self, candidate: int, limit: int = 5000) -> list[Ancestor]:
        """Return a candidate and everything that it descends from, the youngest first.

        Args:
            candidate: its id.
            limit: at most so many; of a longer lineage the oldest are left out.
        """
        line = select(Candidate.id).where(Candidate.id == candidate).cte("line", recursive=True)
        line = line.union(
            select(CandidateParent.parent_id).where(CandidateParent.candidate_id == line.c.id)
        )
        columns = (Candidate.id, Candidate.operator, Candidate.generation, Candidate.hash)
        parents: dict[int, list[int]] = {}
        with self.base.session() as session:
            rows = session.execute(
                select(*columns)
                .where(Candidate.id.in_(select(line.c.id)))
                .order_by(Candidate.id.desc())
                .limit(limit)
            ).all()
            pairs = session.execute(
                select(CandidateParent.candidate_id, CandidateParent.parent_id)
                .where(CandidateParent.candidate_id.in_(select(line.c.id)))
                .order_by(CandidateParent.candidate_id, CandidateParent.position)
            )
            for child, parent in pairs:
                parents.setdefault(child, []).append(parent)
        return [Ancestor(*row, tuple(parents.get(row[0], ()))) for row in rows]
