"""The one owner of what a run learns: it asks the navigator, serves the pool and settles credit.

Workers never see any of it: a job gets its guidance as a value, and its fate comes back through the
knowledge base. All methods are functions of the graph's state, so a step that is done twice, because
the process died in between, comes to the same result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...knowledge_base import Candidate, CreditNote, KnowledgeBase
from ...knowledge_base import Insight as Row
from ...sandbox import OutcomeKind
from ..running.streams import stream
from .beginnings import Beginning, beginnings, is_replay, recorded
from .foresight import Decision, NavigatorState, decide, decide_at_random, observe
from .hindsight import (
    SEED_INSIGHTS,
    Credit,
    HindsightConstants,
    Insight,
    Kind,
    Occasion,
    Pool,
    Scope,
    admit,
    credit_for_failure,
    credit_for_objective,
    give_credit,
    note_use,
    retrieve,
)
from .proposal import Advice, Guidance
from .scoring import Fate
from .settings import EvolutionSettings
from .state import EvolutionState
from .strategies import STRATEGIES, Strategy

INVALID = frozenset({OutcomeKind.BAD_RESULT, OutcomeKind.INFEASIBLE})
"""The program ran, and its result is of no use; any other failure is the program's own."""


@dataclass(frozen=True)
class Shown:
    """The guidance of one job, and the ids of the insights in it."""

    guidance: Guidance | None
    insights: tuple[int, ...] = ()


@dataclass
class Coordinator:
    """Owns navigator and pool.

    Args:
        run_id: the run.
        settings: its strategy and constants.
        problem: the problem's name, by which insights are kept.
        knowledge_base: where decisions, insights and their uses are stored.
        reads_text: whether the proposer reads insights; if not, none are kept or credited.

    """

    run_id: str
    settings: EvolutionSettings
    problem: str
    knowledge_base: KnowledgeBase
    reads_text: bool
    _facts: dict[int, Insight] = field(default_factory=dict)

    @property
    def strategy(self) -> Strategy:
        """The run's strategy."""
        return STRATEGIES[self.settings.strategy]

    @property
    def hindsight(self) -> bool:
        """Whether insights are in use."""
        return self.strategy.hindsight and self.reads_text

    @property
    def constants(self) -> HindsightConstants:
        """The pool's constants."""
        return self.settings.hindsight

    # Foresight ----------------------------------------------------------------------------------

    def decide(self, state: EvolutionState) -> Decision | None:
        """Return what the generation under way is to do; None without foresight."""
        if self.strategy.foresight == "off":
            return None
        generation = state["generation"]
        seen = NavigatorState.from_json(state["navigator"])
        rule = decide if self.strategy.foresight == "rules" else decide_at_random
        rng = stream(self.settings.seed, "navigator", generation)
        return rule(seen, rng, self.settings.navigator)

    def note_decision(self, state: EvolutionState, decision: Decision | None) -> None:
        """Store the decision, once for each generation."""
        if decision is not None and state["step"] == 0:
            plain = decision.to_json()
            self.knowledge_base.add_decision(self.run_id, state["generation"], plain)

    def observe(
        self, state: EvolutionState, objectives: Sequence[float], diversity: float
    ) -> dict[str, Any]:
        """Return the navigator's state after a generation with these survivors."""
        seen = NavigatorState.from_json(state["navigator"])
        if not objectives:
            return seen.to_json()
        mean = sum(objectives) / len(objectives)
        after = observe(seen, min(objectives), mean, diversity, self.settings.navigator)
        return after.to_json()

    # Hindsight ----------------------------------------------------------------------------------

    def begin(self) -> tuple[Pool, int]:
        """Return the pool that a run starts with, and how much of it earlier runs have learnt.

        A replay starts as the recorded run did, whatever this knowledge base has learnt since.
        """
        if not self.hindsight:
            return Pool(), 0
        if not beginnings(self.knowledge_base, self.run_id):
            self._choose()
        pool, inherited = Pool(), 0
        events = [
            one
            for one in self.knowledge_base.insights.events(self.run_id)
            if one.verdict in ("seed", "inherited")
        ]
        rows = self.knowledge_base.insights.get(one.insight_id or 0 for one in events)
        for event in events:
            insight = replace(
                self.insight(rows[event.insight_id or 0]), effectiveness=event.effectiveness
            )
            pool = Pool((*pool.members, insight))
            inherited += event.verdict == "inherited"
        return pool, inherited

    def _choose(self) -> None:
        """Store with which insights the run begins."""
        insights, room = self.knowledge_base.insights, self.constants.capacity
        given = recorded(self.settings.model)
        if given is not None:
            rows = insights.add([_given_row(one) for one in given])
            chosen = [(row, one.effectiveness) for row, one in zip(rows, given, strict=True)]
        else:
            texts = SEED_INSIGHTS if self.constants.seeds else ()
            seeds = insights.add([_seed_row(text) for text in texts])
            rows = [row for row in seeds if not row.retired]
            if self.transfer:
                limit = max(0, min(self.constants.inherited, room - len(rows)))
                rows += insights.to_inherit(self.problem, limit)
            chosen = list(zip(rows, self._starts(rows), strict=True))
        pool = Pool()
        events: list[dict[str, Any]] = []
        for row, effectiveness in chosen[:room]:
            admission = admit(pool, self.insight(row), 0, self.constants)
            if admission.verdict != "admitted" and given is None:
                continue
            pool = admission.pool
            verdict = "seed" if row.origin == "seed" else "inherited"
            more = {"insight_id": row.id, "effectiveness": effectiveness}
            events.append(self.event(f"start/{len(events)}", 0, 0, verdict, row.text, **more))
        insights.note_events(events)

    @property
    def transfer(self) -> bool:
        """Whether the run begins with what this knowledge base has learnt."""
        return self.settings.transfer and not is_replay(self.settings.model)

    def _starts(self, rows: Sequence[Row]) -> list[float]:
        """Return with which effectiveness stored insights begin: relative to the mean of those used.

        How much credit a run gives depends on how hard its population is to improve, so that most
        averages end far below zero; between runs only their differences mean something.
        """
        used = [row.effectiveness for row in rows if row.uses]
        if not self.transfer or not used:
            return [0.0] * len(rows)
        mean = sum(used) / len(used)
        return [max(-1.0, min(1.0, r.effectiveness - mean)) if r.uses else 0.0 for r in rows]

    def insight(self, row: Row) -> Insight:
        """Return a stored insight as it enters a pool, without uses and credit."""
        insight = Insight(
            id=row.id,
            text=row.text,
            kind=Kind(row.kind),
            scope=Scope(row.scope),
            problem=row.problem,
            pinned=row.pinned,
        )
        self._facts[row.id] = insight
        return insight

    def pool(self, state: EvolutionState) -> Pool:
        """Return the pool of the state, with the texts of the knowledge base."""
        missing = [one["id"] for one in state["pool"] if one["id"] not in self._facts]
        for row in self.knowledge_base.insights.get(missing).values():
            self.insight(row)
        return Pool.from_json(state["pool"], self._facts)

    def guide(
        self, state: EvolutionState, slots: Sequence[int], decision: Decision | None
    ) -> dict[int, Shown]:
        """Return the guidance of each job of a step; the pool serves them in the order of slots."""
        regime = "" if decision is None else decision.regime.value
        directive = "" if decision is None else decision.directive
        pool = self.pool(state) if self.hindsight else Pool()
        served: dict[int, Shown] = {}
        for slot in slots:
            pool, shown = retrieve(
                pool, state["clock"] + 1, self.constants, Occasion(self.problem, regime)
            )
            advice = tuple(Advice(one.text, one.kind.value) for one in shown)
            guidance = Guidance(regime, directive, advice) if regime or advice else None
            served[slot] = Shown(guidance, tuple(one.id for one in shown))
        return served

    def note_uses(
        self, state: EvolutionState, shown: Mapping[int, Sequence[int]], decision: Decision | None
    ) -> None:
        """Store which insights the prompts of candidates showed, by candidate id."""
        rows = [
            {
                "run_id": self.run_id,
                "candidate_id": candidate,
                "position": position,
                "insight_id": insight,
                "step": state["clock"] + 1,
                "regime": "" if decision is None else decision.regime.value,
                "tier": "",
            }
            for candidate, insights in shown.items()
            for position, insight in enumerate(insights)
        ]
        if rows:
            self.knowledge_base.insights.note_uses(rows)

    def settle(
        self,
        state: EvolutionState,
        candidates: Sequence[Candidate],
        fates: Mapping[int, Fate],
        population: Sequence[float],
        decision: Decision | None,
    ) -> Pool:
        """Return the pool after a step: uses counted, credit given, in the order of slots.

        Args:
            state: before the step.
            candidates: what the step made; those without insights in their prompts are left alone.
            fates: what became of them.
            population: objectives of the members that they were bred from.
            decision: what the generation was told to do.

        """
        pool, step = self.pool(state), state["clock"] + 1
        regime = "" if decision is None else decision.regime.value
        insights = self.knowledge_base.insights
        shown = insights.shown_to([one.id for one in candidates])
        notes = []
        for candidate in sorted(candidates, key=lambda one: (one.slot, one.id)):
            ids = shown.get(candidate.id, [])
            credit = self._credit(fates[candidate.id], population)
            pool = note_use(pool, ids, step)
            pool = give_credit(pool, ids, credit, step, self.constants, regime)
            notes += self._notes(pool, candidate.id, ids, credit)
        if notes:
            replayed = is_replay(self.settings.model)
            insights.give_credit(notes, 0.0 if replayed else self.constants.rate)
        return pool

    def _credit(self, fate: Fate, population: Sequence[float]) -> Credit:
        if fate.objective is not None:
            return credit_for_objective(fate.objective, population, self.constants)
        invalid = fate.failure is None or fate.failure.kind in INVALID
        return credit_for_failure(invalid=invalid, constants=self.constants)

    @staticmethod
    def _notes(pool: Pool, candidate: int, ids: Sequence[int], credit: Credit) -> list[CreditNote]:
        if credit.tier == "uncounted":
            return []
        members = [member for id_ in ids if (member := pool.find(id_)) is not None]
        return [
            CreditNote(candidate, one.id, credit.value, credit.tier, one.effectiveness)
            for one in members
        ]

    def event(
        self, key: str, generation: int, step: int, verdict: str, text: str, **more: Any
    ) -> dict[str, Any]:
        """Return the row of a verdict on an insight."""
        return {
            "run_id": self.run_id,
            "key": key,
            "generation": generation,
            "step": step,
            "verdict": verdict,
            "text": text,
            **more,
        }


def _seed_row(text: str) -> dict[str, Any]:
    return {"text": text, "kind": "do", "scope": "general", "problem": "", "origin": "seed"}


def _given_row(one: Beginning) -> dict[str, Any]:
    names = ("text", "kind", "scope", "problem", "pinned", "effectiveness")
    origin = "seed" if one.seed else "imported"
    return {**{name: getattr(one, name) for name in names}, "origin": origin}
