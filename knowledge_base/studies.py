"""Studies: optimisation runs and their trials, shared by several processes.

A suggestion is stored, together with the state that led to it, before anybody evaluates it; two
processes that suggest at once cannot take the same number. A result is told once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from .errors import KnowledgeBaseError, UnknownRun
from .models import Run, Study, Trial, now

if TYPE_CHECKING:
    from .store import KnowledgeBase


class NumberTaken(KnowledgeBaseError):
    """Another process has stored a suggestion under this number meanwhile."""


class AlreadyTold(KnowledgeBaseError):
    """The trial has another result."""


@dataclass(frozen=True)
class Studies:
    """The studies of a knowledge base."""

    base: "KnowledgeBase"

    def create(self, run_id: str, name: str | None = None) -> None:
        """Make a run a study.

        Args:
            run_id: the run.
            name: how other programs ask and tell.

        Raises:
            KnowledgeBaseError: a study of this name exists.
        """
        values: dict[str, Any] = {"run_id": run_id, "name": name, "memory": {}}
        with self.base.session() as session, session.begin():
            made = self.base.insert_once(Study, values).returning(Study.run_id)
            if session.execute(made).first() is None:
                raise KnowledgeBaseError(
                    f"There is a study {name!r} already: give another --study, or go on with that one."
                )

    def find(self, name: str) -> Run:
        """Return the run of the study called ``name``, or of the run ``name`` itself.

        Raises:
            UnknownRun: there is none.
        """
        with self.base.session() as session:
            study = self._named(session, name)
        return self.base.get_run(name if study is None else study.run_id)

    def get(self, run_id: str) -> Study:
        """Return what a study needs to go on.

        Raises:
            UnknownRun: the run is no study.
        """
        with self.base.session() as session:
            study = session.get(Study, run_id)
        if study is None:
            raise UnknownRun(f"Run {run_id} is no optimisation: 'eurisko runs' lists what it is.")
        return study

    def trials(self, run_id: str) -> Sequence[Trial]:
        """Return the trials of a study by number."""
        query = select(Trial).where(Trial.run_id == run_id).order_by(Trial.number)
        with self.base.session() as session:
            return session.scalars(query).all()

    def suggest(
        self,
        run_id: str,
        rows: Sequence[Mapping[str, Any]],
        optimizer: Mapping[str, Any] | None,
        memory: Mapping[str, Any],
    ) -> None:
        """Store suggestions with the state after them, all or nothing.

        Args:
            run_id: the study.
            rows: fields of :class:`Trial`; ``number`` goes on from the highest one stored.
            optimizer: state of the optimiser after these suggestions.
            memory: what the strategist remembers.

        Raises:
            NumberTaken: another process was faster: read the trials again, and suggest anew.
        """
        with self.base.session() as session, session.begin():
            # The study's row is written first, so that on any database a second process waits here.
            values = {"optimizer": optimizer, "memory": dict(memory)}
            session.execute(update(Study).where(Study.run_id == run_id).values(**values))
            highest = select(func.max(Trial.number)).where(Trial.run_id == run_id)
            expected = (session.scalar(highest) or 0) + 1
            for offset, row in enumerate(rows):
                if row["number"] != expected + offset:
                    raise NumberTaken(
                        f"Trial {row['number']} of {run_id} was suggested by another process "
                        "meanwhile: ask again."
                    )
                session.add(Trial(run_id=run_id, **row))

    def tell(
        self,
        run_id: str,
        number: int,
        value: float | None,
        *,
        noise: float | None = None,
        message: str = "",
        evaluation_s: float = 0.0,
    ) -> None:
        """Store the result of a trial, once; ``value`` None means that the evaluation failed.

        Raises:
            UnknownRun: there is no such trial.
            AlreadyTold: it has another result.
        """
        fields = {
            "status": "failed" if value is None else "done",
            "value": value,
            "noise": noise,
            "message": message,
            "evaluation_s": evaluation_s,
            "updated_at": now(),
        }
        mine = (Trial.run_id == run_id, Trial.number == number)
        with self.base.session() as session, session.begin():
            pending = update(Trial).where(*mine, Trial.status == "pending")
            if session.execute(pending.values(**fields)).rowcount:  # type: ignore[attr-defined]
                return
            trial = session.scalars(select(Trial).where(*mine)).one_or_none()
        if trial is None:
            raise UnknownRun(f"Study {run_id} has no trial {number}.")
        if (trial.status, trial.value) != (fields["status"], value):
            told = "failed" if trial.value is None else f"{trial.value:g}"
            raise AlreadyTold(f"Trial {number} of {run_id} has a result already: {told}.")

    @staticmethod
    def _named(session: Session, name: str) -> Study | None:
        return session.scalars(select(Study).where(Study.name == name)).one_or_none()
