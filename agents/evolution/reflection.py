"""At the end of a generation: what can be learnt from it (HiFo-Prompt, section 3.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...knowledge_base import Candidate, KnowledgeBase
from ...prompts import Statement
from ..running.streams import stream
from .coordinator import Coordinator
from .errors import UnusableReply
from .hindsight import Insight, Kind, Material, Pool, Scope, Trial, admit, material
from .proposal import Analyst, InsightTask
from .scoring import Fate, Scoring, failure_text
from .state import EvolutionState


@dataclass(frozen=True)
class Reflection:
    """Asks for insights once a generation is over, and lets them through the gate."""

    coordinator: Coordinator
    scoring: Scoring
    knowledge_base: KnowledgeBase
    analyst: Analyst
    interface: str

    def reflect(self, state: EvolutionState, generation: int) -> Pool:
        """Return the pool after the insights of ``generation``.

        Raises:
            BudgetExhausted, ModelError: from the gateway; nothing is changed then.
        """
        pool, key = self.coordinator.pool(state), f"g{generation}/insights"
        shown = self._material(state["population"], generation)
        if shown is None or not self._due(generation):
            return pool
        task = InsightTask(self.scoring.problem.spec, self.interface, key, shown)
        try:
            statements = self.analyst.insights(task)
        except UnusableReply as error:
            step = state["clock"]
            event = self.coordinator.event(key, generation, step, "unreadable", str(error))
            self.knowledge_base.insights.note_events([event])
            return pool
        return self._admit(pool, statements, key, generation, state["clock"])

    def _due(self, generation: int) -> bool:
        rng = stream(self.coordinator.settings.seed, "extraction", generation)
        return rng.random() < self.coordinator.constants.extraction_probability

    def _admit(
        self, pool: Pool, statements: Sequence[Statement], key: str, generation: int, step: int
    ) -> Pool:
        events = []
        for number, statement in enumerate(statements):
            pool, verdict, more = self._one(pool, statement, step)
            name = f"{key}/{number}"
            text = statement.text
            events.append(self.coordinator.event(name, generation, step, verdict, text, **more))
        self.knowledge_base.insights.note_events(events)
        return pool

    def _one(self, pool: Pool, statement: Statement, step: int) -> tuple[Pool, str, dict[str, Any]]:
        """Return the pool, the verdict and its numbers; only what is admitted becomes a row."""
        constants, insights = self.coordinator.constants, self.knowledge_base.insights
        stated = Insight(
            id=0,
            text=statement.text,
            kind=Kind(statement.kind),
            scope=Scope(statement.scope),
            problem=self.coordinator.problem,
        )
        trial = admit(pool, stated, step, constants)
        if trial.verdict != "admitted":
            more = {"insight_id": trial.like, "similarity": trial.similarity}
            return trial.pool, trial.verdict, more
        (row,) = insights.add([self._row(statement)])
        if row.retired:
            return pool, "retired", {"insight_id": row.id}
        admission = admit(pool, self.coordinator.insight(row), step, constants)
        more = {
            "insight_id": row.id,
            "evicted_id": admission.evicted,
            "similarity": admission.similarity,
        }
        return admission.pool, admission.verdict, more

    def _row(self, statement: Statement) -> dict[str, Any]:
        return {
            "text": statement.text,
            "kind": statement.kind,
            "scope": statement.scope,
            "problem": self.coordinator.problem,
            "origin": "extracted",
            "run_id": self.coordinator.run_id,
        }

    def _material(self, population: Sequence[int], generation: int) -> Material | None:
        base = self.knowledge_base
        members = base.candidates(population)
        children = [
            one
            for one in base.run_candidates(self.coordinator.run_id, generation)
            if one.parents or one.operator == "i1"
        ]
        parents = base.candidates({id_ for one in (*members, *children) for id_ in _first(one)})
        everyone = {one.id: one for one in (*members, *children, *parents)}
        fates = self.scoring.fates(everyone.values())
        trials = {id_: _trial(one, fates[id_]) for id_, one in everyone.items()}

        def whole(candidates: Iterable[Candidate]) -> list[Trial]:
            return [
                replace(trials[one.id], parents=tuple(trials[id_] for id_ in _first(one)))
                for one in candidates
            ]

        return material(whole(members), whole(children), self.coordinator.constants)


def _first(candidate: Candidate) -> list[int]:
    return [parent.parent_id for parent in candidate.parents[:1]]


def _trial(candidate: Candidate, fate: Fate) -> Trial:
    failure = "" if fate.failure is None else failure_text(fate.failure)
    return Trial(candidate.id, candidate.thought, candidate.code, fate.objective, (), failure)
