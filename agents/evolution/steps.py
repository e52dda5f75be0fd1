"""The steps of an evolution run, one method per node of the graph.

One coordinator owns all evolving state. Every step is idempotent: candidates have deterministic keys,
a model's answer is stored before it is used, an evaluation is made once, and what the run learns is a
function of the state before the step.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...evaluators import Problem, program_hash
from ...knowledge_base import Candidate, KnowledgeBase
from ..running.budget import Spent, TimeBudget
from .champion import choose_champion, doubt_about
from .coordinator import Coordinator
from .errors import Interrupted
from .evaluation import Evaluator
from .events import Listener, Progress, silent
from .feedback import feedback_on
from .foresight import (
    behaviour_diversity,
    code_diversity,
    decision_diversity,
    description_diversity,
)
from .proposal import Analyst, Proposer
from .proposing import Order, Proposing, Workshop
from .reflection import Reflection
from .repairing import REPAIR, Repairing
from .scoring import SEED, Scoring
from .settings import EvolutionSettings
from .state import EvolutionState, initial_state
from .steady import Flow, places_of
from .survival import Member, survivors, trade_offs
from .telling import Telling
from .tuning import TUNE, Tally, Tuning


@dataclass
class Evolution:
    """A run under way: its settings, its tools and its steps.

    ``analyst`` repairs programs and draws insights; None where no language model takes part.
    """

    run_id: str
    settings: EvolutionSettings
    problem: Problem
    interface: str
    knowledge_base: KnowledgeBase
    proposer: Proposer
    evaluator: Evaluator
    budget: TimeBudget
    spent: Callable[[], Spent] = Spent
    listener: Listener = silent
    stop: threading.Event = field(default_factory=threading.Event)
    progress: Progress = field(default_factory=Progress)
    concurrency: int = 1
    analyst: Analyst | None = None
    _flow: "Flow | None" = None

    def __post_init__(self) -> None:
        base, problem, interface = self.knowledge_base, self.problem, self.interface
        self.telling = Telling(self.progress, self.listener, self.spent, self.evaluator)
        workshop = Workshop(self.budget, self.concurrency, self.stop, self.telling)
        self.scoring = Scoring(problem, base, self.evaluator, self.telling)
        self.coordinator = Coordinator(
            self.run_id, self.settings, problem.spec.name, base, self.analyst is not None
        )
        self.proposing = Proposing(
            self.run_id, self.settings, problem, interface, self.proposer, workshop
        )
        self.repairing: Repairing | None = None
        self.reflection: Reflection | None = None
        self.tuning = Tuning(
            self.run_id, self.settings, problem, interface, base, self.scoring, self.budget
        )
        if self.analyst is not None:
            if self.settings.repair and not self.coordinator.strategy.elitist:
                self.repairing = Repairing(
                    self.run_id, problem, interface, base, self.analyst, workshop
                )
            self.reflection = Reflection(
                self.coordinator, self.scoring, base, self.analyst, interface
            )

    # The nodes ----------------------------------------------------------------------------------

    def begin(self, state: EvolutionState) -> dict[str, Any]:
        """Fill the pool with seeds and with what earlier runs have learnt."""
        self._check_stop()
        pool, inherited = self.coordinator.begin()
        self.progress.inherited = inherited
        self.telling.emit("begun")
        return {"pool": pool.to_json()}

    def propose(self, state: EvolutionState) -> dict[str, Any]:
        """Make the candidates of this step that do not exist yet."""
        self._check_stop()
        state = _whole(state)
        operator, slots = self._plan(state)
        self.progress.generation, self.progress.operator = state["generation"], operator
        keys = [f"g{state['generation']}/{operator}/{slot}" for slot in slots]
        found = self.knowledge_base.find_candidates(self.run_id, keys)
        population = self.scoring.load(state["population"])
        decision = self.coordinator.decide(state)
        self.coordinator.note_decision(state, decision)
        self.progress.regime = "" if decision is None else decision.regime.value
        settled = {one.key for one in found.values() if one.id in state["settled"]}
        unsettled = [s for s, key in zip(slots, keys, strict=True) if key not in settled]
        shown = self.coordinator.guide(state, unsettled, decision)
        order = Order(
            operator=operator,
            generation=state["generation"],
            slots=[pair for pair in zip(slots, keys, strict=True) if pair[1] not in found],
            population=population,
            guidance={slot: one.guidance for slot, one in shown.items()},
            feedback=self._feedback(state, population),
        )
        rows, stop = self.proposing.make(order)
        if state["generation"] == 0 and state["step"] == 0:
            rows = [self.proposing.seed_row(), *rows]
        batch = [*self.knowledge_base.add_candidates(rows), *found.values()]
        insights = {
            one.id: shown[one.slot].insights
            for one in batch
            if one.slot in shown and one.operator != SEED
        }
        self.coordinator.note_uses(state, insights, decision)
        self.progress.candidates += len(batch)
        self._count_missing(batch)
        return {"batch": sorted(one.id for one in batch), "stop": state["stop"] or stop}

    def evaluate(self, state: EvolutionState) -> dict[str, Any]:
        """Evaluate the batch on the search split; what fails is mended once and joins it."""
        self._check_stop()
        self.scoring.load(state["batch"], emit=True)
        if self.repairing is None:
            return {}
        candidates = self.knowledge_base.candidates(state["batch"])
        mended, stop = self.repairing.mend(candidates, self.scoring.fates(candidates))
        if not mended:
            return {"stop": state["stop"] or stop}
        self.progress.candidates += len(mended)
        self._count_missing(mended)
        ids = [one.id for one in mended]
        self.scoring.load(ids, emit=True)
        return {"batch": sorted({*state["batch"], *ids}), "stop": state["stop"] or stop}

    def flow(self, state: EvolutionState) -> dict[str, Any]:
        """Make and evaluate a generation in steady state (in the place of propose and evaluate)."""
        self._check_stop()
        state = _whole(state)
        if self._flow is None:
            self._flow = Flow(self)
        size = self.coordinator.strategy.batch(self.settings.population)
        generation = state["generation"]
        return self._flow.generation(
            state, places_of(generation, self._operators(generation), size)
        )

    def close(self) -> None:
        """Give up what is under way."""
        if self._flow is not None:
            self._flow.close()

    def after_evaluate(self, state: EvolutionState) -> str:
        """Return ``tune`` at the end of a generation, where constants are tuned; else ``select``."""
        over = state["step"] + 1 >= len(self._operators(state["generation"]))
        return "tune" if self.settings.tunes and over and not state["stop"] else "select"

    def tune(self, state: EvolutionState) -> dict[str, Any]:
        """Tune the constants of the best, and of a few more at the end of the run."""
        self._check_stop()
        state = _whole(state)
        merged = self.scoring.load([*state["population"], *state["batch"]])
        best = survivors(merged, self.settings.tune_top)
        if state["generation"] < self.settings.generations:
            best = best[:1]
        todo = [one for one in best if one.id not in state["tuned"]]
        made, tally, stop = self.tuning.tune(todo, state["generation"])
        if stop:
            return {"stop": stop}
        ids = [one.id for one in made]
        self.scoring.load(ids)
        self.progress.candidates += len(ids)
        self.telling.emit("tuned")
        return {
            "batch": [*state["batch"], *ids],
            "tuned": [*state["tuned"], *(one.id for one in todo), *ids],
            "tuning": Tally(**state["tuning"]).plus(tally).to_json(),
        }

    def select(self, state: EvolutionState) -> dict[str, Any]:
        """Merge the batch into the population, settle credit, and move on to the next step."""
        state = _whole(state)
        before = self.scoring.load(state["population"])
        merged = self.scoring.load([*state["population"], *state["batch"]])
        kept = self.coordinator.strategy.kept(self.settings.population)
        choose = trade_offs if self.settings.objective == "gap+time" else survivors
        population = choose(merged, kept)
        ids = [one.id for one in population]
        update: dict[str, Any] = {"population": ids, "batch": []}
        update["tuned"] = [id_ for id_ in state["tuned"] if id_ in ids]
        update |= self._settle(state, before)
        self.tell_population(population)
        last = state["step"] + 1 >= len(self._operators(state["generation"]))
        if last or state["stop"]:
            entry = [self.progress.best, self.progress.mean] if population else []
            update["history"] = [*state["history"], *([entry] if entry else [])]
            self.progress.history = update["history"]
            update["cut"] = bool(entry and state["stop"])
        if not state["stop"]:
            update |= self._advance(state, population, last)
        self.scoring.forget_all_but(population)
        self.telling.emit("selected")
        return update

    def reflect(self, state: EvolutionState) -> dict[str, Any]:
        """Draw insights from the generation that is over."""
        from ..models import BudgetExhausted

        self._check_stop()
        generation = state["reflect"]
        if self.reflection is None or generation is None:
            return {"reflect": None}
        try:
            pool = self.reflection.reflect(state, generation)
        except BudgetExhausted as error:
            return {"stop": str(error)}
        self.telling.emit("reflected")
        return {"reflect": None, "pool": pool.to_json()}

    def validate(self, state: EvolutionState) -> dict[str, Any]:
        """Choose the final heuristic: the member that is best on the validation split."""
        self._check_stop()
        members = self.scoring.load(state["population"])
        if not members:
            return {"best": None}
        best, doubts = choose_champion(self.scoring, members)
        self.telling.emit("validated")
        return {"best": best, "doubts": doubts}

    def test(self, state: EvolutionState) -> dict[str, Any]:
        """Measure the chosen heuristic and the seed heuristic on the test split."""
        self._check_stop()
        if state["best"] is not None:
            best = self.knowledge_base.candidates([state["best"]])[0]
            seed = self.problem.spec.interfaces[self.interface].seed
            programs = {best.hash: best.code, program_hash(seed): seed}
            for name in ("validation", "test"):
                for dataset in self.problem.spec.splits[name]:
                    self.evaluator.run(programs, self.problem.dataset(dataset))
            doubt = doubt_about(self.scoring, best.hash, best.code, ("test",))
            if doubt:
                self.telling.emit("finished")
                return {"doubts": [*state["doubts"], doubt]}
        self.telling.emit("finished")
        return {}

    def next_step(self, state: EvolutionState) -> str:
        """Return ``reflect`` after a generation, then ``propose`` while any are left to do."""
        if state["stop"]:
            return "validate"
        if state.get("reflect") is not None:
            return "reflect"
        over = state["generation"] > self.settings.generations
        more = "flow" if self.settings.schedule == "steady" else "propose"
        return "validate" if over else more

    def recall(self, state: Mapping[str, Any]) -> None:
        """Show where a resumed run stands before its next step."""
        self.progress.generation = state["generation"]
        self.progress.history = list(state["history"])
        if state["history"]:
            self.progress.best, self.progress.mean = state["history"][-1]
        self.progress.candidates = self.knowledge_base.count_candidates(self.run_id)

    # Their parts --------------------------------------------------------------------------------

    def _operators(self, generation: int) -> Sequence[str]:
        strategy = self.coordinator.strategy
        return strategy.operators(generation, self.settings.operators, self.settings.population)

    def _plan(self, state: EvolutionState) -> tuple[str, range]:
        """Return the operator of this step and its slots; the second i1 continues the first."""
        operators, step = self._operators(state["generation"]), state["step"]
        operator = operators[step]
        size = self.coordinator.strategy.batch(self.settings.population)
        first = size * operators[:step].count(operator)
        return operator, range(first, first + size)

    def _feedback(self, state: EvolutionState, population: Sequence[Member]) -> Any:
        if not self.coordinator.strategy.elitist or not state["previous"]:
            return None
        made = self.knowledge_base.candidates(state["previous"])
        last = [one for one in made if one.operator != TUNE][-1]
        best = population[0] if population else None
        return feedback_on(last, self.scoring.fates([last])[last.id], best)

    def _settle(self, state: EvolutionState, before: Sequence[Member]) -> dict[str, Any]:
        """Return what the pool becomes; candidates whose credit was given already are left out."""
        if not self.coordinator.hindsight:
            return {}
        new = [id_ for id_ in state["batch"] if id_ not in state["settled"]]
        candidates = [
            one
            for one in self.knowledge_base.candidates(new)
            if one.operator not in (SEED, REPAIR, TUNE)
        ]
        pool = self.coordinator.settle(
            state,
            candidates,
            self.scoring.fates(candidates),
            [one.objective for one in before],
            self.coordinator.decide(state),
        )
        settled = [*state["settled"], *(one.id for one in candidates)] if state["stop"] else []
        return {"pool": pool.to_json(), "settled": settled}

    def _advance(
        self, state: EvolutionState, population: Sequence[Member], last: bool
    ) -> dict[str, Any]:
        """Return where the run goes on, and at the end of a generation what the navigator saw."""
        elitist = self.coordinator.strategy.elitist
        update: dict[str, Any] = {
            "clock": state["clock"] + self._steps_of(state),
            "settled": [],
            "previous": state["batch"] if elitist else [],
        }
        if not last:
            return update | {"step": state["step"] + 1}
        update |= {"generation": state["generation"] + 1, "step": 0}
        if self.coordinator.strategy.foresight != "off":
            objectives = [one.objective for one in population]
            diversity = self._diversity(population)
            update["navigator"] = self.coordinator.observe(state, objectives, diversity)
        if self.coordinator.hindsight:
            update["reflect"] = state["generation"]
        return update

    def _steps_of(self, state: EvolutionState) -> int:
        """Return how many steps are over: in steady state those of the whole generation."""
        steady = self.settings.schedule == "steady"
        return len(self._operators(state["generation"])) if steady else 1

    def _diversity(self, population: Sequence[Member]) -> float:
        if self.settings.diversity == "code":
            return code_diversity([one.code for one in population])
        if self.settings.diversity == "behaviour":
            return behaviour_diversity(self.scoring.vectors(population))
        if self.settings.diversity == "decisions":
            return decision_diversity(self.scoring.sketches(population))
        return description_diversity([one.thought for one in population])

    def tell_population(self, population: Sequence[Member]) -> None:
        """Update the progress with best and mean."""
        if population:
            self.progress.best = population[0].objective
            self.progress.mean = sum(one.objective for one in population) / len(population)

    def _count_missing(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            if candidate.proposal_error is not None:
                self.telling.failed("no_program")
        self.telling.emit("proposed")

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise Interrupted("The run was asked to stop.")


def _whole(state: EvolutionState) -> EvolutionState:
    """Return the state with what a checkpoint of an older Eurisko does not have."""
    whole: Any = {**initial_state(), **state}
    checked: EvolutionState = whole
    return checked


__all__ = ["SEED", "Evolution"]
