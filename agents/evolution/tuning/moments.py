"""The moments at which constants are tuned: a new best after a generation, and the end of a run.

What a moment asks is a function of the candidate, the settings and a random stream named after it;
its evaluations are stored like any other. Done again after a crash it comes to the same result, and
what was evaluated is not evaluated twice. Nothing is kept of a moment that the time budget cut short.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ....evaluators import Problem, program_hash
from ....knowledge_base import Candidate, KnowledgeBase
from ...running.budget import TimeBudget
from ...running.streams import stream_seed
from ..scoring import Scoring
from ..settings import EvolutionSettings
from ..survival import OBJECTIVE_DECIMALS, Member
from .bayes import BayesianSearch
from .search import ConstantSearch, Values
from .subject import Subject, Variant, subject_of

TUNE = "tune"
"""The operator of tuned candidates; their only parent is the one whose constants moved."""


@dataclass(frozen=True)
class Tally:
    """How much was tuned in a run, and what for.

    Args:
        moments: candidates whose constants were searched.
        evaluations: programs that this took on the search split, those known before included.
        failed: how many of them failed.
        improved: how many of the candidates got better.

    """

    moments: int = 0
    evaluations: int = 0
    failed: int = 0
    improved: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Return the sum of two tallies."""
        return Tally(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )

    def to_json(self) -> dict[str, int]:
        """Return plain data."""
        return asdict(self)


@dataclass(frozen=True)
class _Found:
    """The best of a search so far, and what the search took."""

    objective: float
    variant: Variant | None = None
    values: Values = ()
    tally: Tally = Tally()


@dataclass(frozen=True)
class Tuning:
    """Tunes candidates of a run; what gets better becomes a candidate of its own."""

    run_id: str
    settings: EvolutionSettings
    problem: Problem
    interface: str
    knowledge_base: KnowledgeBase
    scoring: Scoring
    budget: TimeBudget

    def tune(
        self, members: Sequence[Member], generation: int
    ) -> tuple[list[Candidate], Tally, str]:
        """Return the tuned candidates of ``members``, what it took, and the reason to stop.

        Raises:
            Interrupted: the run was asked to stop.
        """
        rows, tally = [], Tally()
        for slot, member in enumerate(members):
            subject = subject_of(member, self.problem.grammar, self.interface)
            if subject is None:
                continue
            key = f"g{generation}/{TUNE}/{slot}"
            found = self._search(subject, key)
            if found is None:
                return [], Tally(), self.budget.exhausted()
            tally = tally.plus(found.tally)
            if found.variant is not None:
                rows.append(self._row(subject, found.variant, found.values, key, generation, slot))
        return self.knowledge_base.add_candidates(rows), tally, ""

    def _search(self, subject: Subject, key: str) -> _Found | None:
        """Search the constants of one candidate; None when the time is up."""
        start = subject.member.objective
        seed = stream_seed(self.settings.seed, TUNE, key)
        method = BayesianSearch if self.settings.tuner == "bayes" else ConstantSearch
        search = method(subject.axes, start, seed)
        found, left = _Found(start, tally=Tally(moments=1)), self.settings.tune_evaluations
        while left > 0 and not search.over:
            if self.budget.exhausted():
                return None
            asked = search.ask()
            points = asked[:left]
            variants = [subject.write(values) for values in points]
            objectives = self._objectives(variants)
            found = _better(found, points, variants, objectives)
            left -= len(points)
            if len(points) == len(asked):
                search.tell(objectives)
        return replace(found, tally=replace(found.tally, improved=int(found.variant is not None)))

    def _objectives(self, variants: Sequence[Variant]) -> list[float]:
        """Return the objectives on the search split; infinite where a program failed."""
        names = [program_hash(one.code) for one in variants]
        programs = {name: one.code for name, one in zip(names, variants, strict=True)}
        results = self.scoring.on_split(
            programs, "search", lambda name, result: self.scoring.telling.emit("evaluated")
        )
        return [results.get(name, math.inf) for name in names]

    def _row(
        self,
        subject: Subject,
        variant: Variant,
        values: Values,
        key: str,
        generation: int,
        slot: int,
    ) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "key": key,
            "generation": generation,
            "operator": TUNE,
            "slot": slot,
            "parents": [subject.member.id],
            "thought": subject.thought(variant, values),
            "code": variant.code,
            "hash": program_hash(variant.code),
            "genome": variant.genome,
        }


def _better(
    found: _Found,
    points: Sequence[Values],
    variants: Sequence[Variant],
    objectives: Sequence[float],
) -> _Found:
    """Return the best after another generation; the earliest where several are equally good."""
    failed = sum(math.isinf(one) for one in objectives)
    tally = found.tally.plus(Tally(evaluations=len(points), failed=failed))
    found = replace(found, tally=tally)
    for values, variant, objective in zip(points, variants, objectives, strict=True):
        if round(objective, OBJECTIVE_DECIMALS) < round(found.objective, OBJECTIVE_DECIMALS):
            found = replace(found, objective=objective, variant=variant, values=values)
    return found


__all__ = ["TUNE", "Tally", "Tuning"]
