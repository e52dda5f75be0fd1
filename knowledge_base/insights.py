"""Insights in the knowledge base: kept over runs and problems, credited, searched, exchanged.

Like the rest of the knowledge base, writing the same step twice changes nothing: an insight is unique
by its digest, a use by its candidate, and credit is given once for each use.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, and_, collate, func, or_, select, update
from sqlalchemy.orm import Session

from .engine import LEARNING, take_turn
from .errors import UnknownInsight
from .models import Insight, InsightEvent, InsightUse, now

if TYPE_CHECKING:
    from .store import KnowledgeBase

SCOPES = ("problem", "family", "general")
KINDS = ("do", "avoid")
_RESTATED = ("duplicate", "paraphrase")


@dataclass(frozen=True)
class CreditNote:
    """Credit for one use: what the candidate earned, and the run's moving average after it."""

    candidate_id: int
    insight_id: int
    credit: float
    tier: str
    effectiveness: float


def family_of(problem: str) -> str:
    """Return a problem's family: the first word of its name (``tsp_gls`` → ``tsp``)."""
    return problem.rstrip("/").rsplit("/", 1)[-1].split("_")[0]


def insight_digest(kind: str, scope: str, problem: str, text: str) -> str:
    """Return what makes an insight the same insight: kind, scope, place and normalised text."""
    place = {"problem": problem, "family": family_of(problem)}.get(scope, "")
    plain = " ".join(text.lower().split()).rstrip(".! ")
    return hashlib.sha256("\n".join((kind, scope, place, plain)).encode()).hexdigest()


@dataclass(frozen=True)
class Insights:
    """The insights of a knowledge base."""

    base: "KnowledgeBase"

    def add(self, rows: Sequence[Mapping[str, Any]]) -> list[Insight]:
        """Store insights, each once; return what is stored, in the order of ``rows``.

        Args:
            rows: ``text``, ``kind``, ``scope``, ``problem``, ``origin`` and any other field.
        """
        digests = []
        with self.base.session() as session, session.begin():
            _in_turn(session)
            for row in rows:
                digest, values = _values(row)
                digests.append(digest)
                session.execute(self.base.insert_once(Insight, values))
            found = session.scalars(select(Insight).where(Insight.digest.in_(digests)))
            by_digest = {one.digest: one for one in found}
        return [by_digest[digest] for digest in digests]

    def get(self, ids: Iterable[int]) -> dict[int, Insight]:
        """Return insights by id; ids without an insight are left out."""
        with self.base.session() as session:
            rows = session.scalars(select(Insight).where(Insight.id.in_(set(ids))))
            return {one.id: one for one in rows}

    def find(
        self,
        *,
        problem: str | None = None,
        scope: str | None = None,
        words: str = "",
        retired: bool = False,
        limit: int = 100,
    ) -> Sequence[Insight]:
        """Return insights, pinned ones first, then by effectiveness.

        Args:
            problem: only what a run on this problem could use (its own, its family's, general ones).
            scope: only this scope.
            words: only those that contain each of these words, in any case.
            retired: also those that were retired.
            limit: at most so many.
        """
        query = _ranked(select(Insight), every=bool(words.split()))
        if problem is not None:
            query = query.where(_holds_for(problem))
        if scope is not None:
            query = query.where(Insight.scope == scope)
        if not retired:
            query = query.where(Insight.retired.is_(False))
        for word in words.split():
            query = query.where(self._says(word))
        return self._rows(query.limit(limit))

    def _says(self, word: str) -> Any:
        """Return the condition that an insight's text has a word, in any case.

        PostgreSQL folds the case of ASCII twice as fast as that of a language.
        """
        if self.base.engine.dialect.name == "postgresql" and word.isascii():
            plain = func.lower(collate(Insight.text, "C"), type_=String)
            return plain.contains(word.lower(), autoescape=True)
        return Insight.text.icontains(word, autoescape=True)

    def to_inherit(self, problem: str, limit: int) -> Sequence[Insight]:
        """Return what a new run on ``problem`` begins with: pinned ones, then the most effective.

        Neither seeds, which it has anyway, nor what was retired.
        """
        query = _ranked(select(Insight)).where(
            _holds_for(problem), Insight.origin != "seed", Insight.retired.is_(False)
        )
        return self._rows(query.limit(limit))

    def _rows(self, query: Any) -> Sequence[Insight]:
        with self.base.session() as session:
            rows: Sequence[Insight] = session.scalars(query).all()
        return rows

    def pin(self, insight_id: int, pinned: bool = True) -> Insight:
        """Pin an insight: runs start with it and never evict it.

        Raises:
            UnknownInsight: there is none with this id.
        """
        return self._change(insight_id, pinned=pinned, **({"retired": False} if pinned else {}))

    def retire(self, insight_id: int, retired: bool = True) -> Insight:
        """Retire an insight: no later run is shown it, and it is not admitted again.

        Raises:
            UnknownInsight: there is none with this id.
        """
        return self._change(insight_id, retired=retired, **({"pinned": False} if retired else {}))

    def _change(self, insight_id: int, **fields: Any) -> Insight:
        with self.base.session() as session, session.begin():
            found = session.get(Insight, insight_id)
            if found is None:
                raise UnknownInsight(
                    f"There is no insight {insight_id}: 'eurisko insights list' shows what is there."
                )
            for name, value in fields.items():
                setattr(found, name, value)
        return found

    # What runs do with them ---------------------------------------------------------------------

    def note_events(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store what came of stated insights, once; a restatement supports the one it restates."""
        with self.base.session() as session, session.begin():
            _in_turn(session)
            for row in rows:
                values = {"similarity": 0.0, "effectiveness": 0.0, **row}
                new = _inserted(session, self.base, InsightEvent, values)
                if new and row["verdict"] in _RESTATED:
                    session.execute(
                        update(Insight)
                        .where(Insight.id == row["insight_id"])
                        .values(support=Insight.support + 1)
                    )

    def note_uses(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store which insights candidates' prompts showed, once."""
        with self.base.session() as session, session.begin():
            _in_turn(session)
            for row in rows:
                session.execute(self.base.insert_once(InsightUse, row))

    def give_credit(self, notes: Sequence[CreditNote], rate: float) -> None:
        """Store the credit of uses; the first time, it also moves the insight's lifetime average.

        With ``rate`` 0 it does not: a replay is no new evidence.
        """
        with self.base.session() as session, session.begin():
            _in_turn(session)
            for note in notes:
                done: Any = session.execute(
                    update(InsightUse)
                    .where(
                        InsightUse.candidate_id == note.candidate_id,
                        InsightUse.insight_id == note.insight_id,
                        InsightUse.credit.is_(None),
                    )
                    .values(credit=note.credit, tier=note.tier, effectiveness=note.effectiveness)
                )
                if done.rowcount and rate:
                    moved = (1 - rate) * Insight.effectiveness + rate * note.credit
                    session.execute(
                        update(Insight)
                        .where(Insight.id == note.insight_id)
                        .values(effectiveness=moved, uses=Insight.uses + 1, updated_at=now())
                    )

    def shown_to(self, candidate_ids: Iterable[int]) -> dict[int, list[int]]:
        """Return the ids of the insights that each candidate's prompt showed, in their order."""
        query = (
            select(InsightUse)
            .where(InsightUse.candidate_id.in_(set(candidate_ids)))
            .order_by(InsightUse.candidate_id, InsightUse.position)
        )
        shown: dict[int, list[int]] = {}
        with self.base.session() as session:
            for use in session.scalars(query):
                shown.setdefault(use.candidate_id, []).append(use.insight_id)
        return shown

    def uses(self, run_id: str) -> Sequence[InsightUse]:
        """Return all uses of a run in the order of its steps."""
        query = select(InsightUse).where(InsightUse.run_id == run_id)
        with self.base.session() as session:
            return session.scalars(query.order_by(InsightUse.step, InsightUse.id)).all()

    def events(self, run_id: str) -> Sequence[InsightEvent]:
        """Return what came of the insights stated in a run, in order."""
        query = select(InsightEvent).where(InsightEvent.run_id == run_id)
        with self.base.session() as session:
            return session.scalars(query.order_by(InsightEvent.id)).all()

    def count(self) -> int:
        """Return how many insights there are, retired ones included."""
        with self.base.session() as session:
            return session.scalar(select(func.count()).select_from(Insight)) or 0


def _values(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    digest = insight_digest(row["kind"], row["scope"], row["problem"], row["text"])
    defaults = {
        "support": 1,
        "uses": 0,
        "effectiveness": 0.0,
        "pinned": False,
        "retired": False,
        "created_at": now(),
        "updated_at": now(),
        "family": family_of(row["problem"]),
    }
    return digest, {**defaults, **row, "digest": digest}


def _in_turn(session: Session) -> None:
    """Wait for other runs' insights: PostgreSQL locks rows in the order in which they are written.

    Two runs that write the same insights in different orders would wait for each other for ever.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(take_turn(LEARNING))


def _inserted(
    session: Session, base: "KnowledgeBase", table: type[Any], row: Mapping[str, Any]
) -> bool:
    # What it returns tells; PostgreSQL's driver counts no rows of such a statement.
    statement = base.insert_once(table, row).returning(table.id)
    return session.execute(statement).first() is not None


def _holds_for(problem: str) -> Any:
    """Return the condition that an insight is about this problem, its family, or all problems.

    It holds for a large part of them, so SQLite is kept from gathering and sorting these by an index
    on the place (coalesce has none): walking the ranking's index up to the limit is faster.
    """
    scope = func.coalesce(Insight.scope, "")
    return or_(
        scope == "general",
        and_(scope == "family", Insight.family == family_of(problem)),
        and_(scope == "problem", Insight.problem == problem),
    )


def _ranked(query: Any, every: bool = False) -> Any:
    """Return a query in the order in which insights are shown.

    With ``every`` the texts of all are looked at, as a rare word demands: read in the order in which
    they lie and then sorted (coalesce has no index), that takes half as long as in the ranking's.
    """
    pinned = func.coalesce(Insight.pinned, False) if every else Insight.pinned
    return query.order_by(
        pinned.desc(), Insight.effectiveness.desc(), Insight.support.desc(), Insight.id
    )
