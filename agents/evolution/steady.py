"""Steady state: each result enters the population at once, and a slow candidate holds up nobody.

A generation is a count: the same candidates are asked for as in a generational run, in the same order
and under the same keys, but each is bred from the population of its moment, as soon as a worker is
free. What is still being evaluated when the last one of a generation has been asked for enters in the
next. The navigator looks, insights are credited (against the population with which the generation
began) and drawn, and constants are tuned, once a generation.

With more than one worker the order of results depends on the clock, so runs cannot be repeated to the
bit; with one worker and without a model they can.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...knowledge_base import Candidate
from ..parallel import Lane
from .errors import Interrupted
from .proposing import Order
from .scoring import SEED, Measured
from .state import EvolutionState
from .survival import Member, survivors, trade_offs

if TYPE_CHECKING:
    from .steps import Evolution

POLL_S = 0.05


@dataclass(frozen=True)
class Place:
    """One candidate of a generation that is to be asked for, in the operator step ``step``."""

    step: int
    operator: str
    slot: int
    key: str


@dataclass(frozen=True)
class _Ask:
    """A question to the proposer (with ``order``), or for the repair of ``broken``."""

    place: Place | None = None
    order: Order | None = None
    broken: Candidate | None = None


Asked = tuple[list[Any], str]  # rows of candidates or mended candidates, and the reason to stop


@dataclass
class Flow:
    """The pipeline of a run: questions and evaluations side by side.

    Args:
        evolution: the run; one thread, that of the graph, owns all its state.
    """

    evolution: "Evolution"
    _evaluating: Lane[Candidate, Measured] = field(init=False)
    _asking: Lane[_Ask, Asked] = field(init=False)
    _running: dict[int, Candidate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        run = self.evolution
        self._evaluating = Lane(run.scoring.measure, run.evaluator.workers)
        # A proposer without a model answers in milliseconds, in the thread that owns the population.
        self._asking = Lane(self._ask, run.concurrency if run.settings.uses_model else 1)

    def close(self) -> None:
        """Drop what waits; what is under way ends by itself."""
        self._evaluating.close()
        self._asking.close()

    def generation(self, state: EvolutionState, places: Sequence[Place]) -> dict[str, Any]:
        """Ask for the candidates of a generation, and take in results meanwhile."""
        return _Generation(self, state, places).go()

    # The lanes ----------------------------------------------------------------------------------

    def evaluate(self, candidate: Candidate) -> None:
        """Have a candidate evaluated, unless it is being evaluated already."""
        if candidate.id not in self._running:
            self._running[candidate.id] = candidate
            self._evaluating.submit(candidate)

    def evaluated(self, timeout_s: float) -> list[tuple[Candidate, Measured]]:
        """Return the candidates whose evaluation has ended."""
        ended = []
        for candidate, result in self._evaluating.completed(timeout_s):
            del self._running[candidate.id]
            if isinstance(result, Exception):
                raise result
            ended.append((candidate, result))
        return ended

    def ask(self, question: _Ask) -> None:
        """Ask; without a model the answer is there at once."""
        self._asking.submit(question)

    def answered(self, timeout_s: float) -> list[tuple[_Ask, Asked]]:
        """Return the questions that were answered."""
        ended = []
        for question, result in self._asking.completed(timeout_s):
            if isinstance(result, Exception):
                raise result
            ended.append((question, result))
        return ended

    @property
    def running(self) -> list[int]:
        """Ids of the candidates that are being evaluated."""
        return sorted(self._running)

    @property
    def asked(self) -> int:
        """How many questions are open."""
        return self._asking.under_way

    @property
    def room(self) -> bool:
        """Whether one more question would find a worker before long."""
        workers = self._evaluating.workers
        # One that waits hides the time of proposing; with one worker it would make the order of
        # results and questions a matter of the clock.
        usual = 1 if workers > 1 else 0
        ahead = self._asking.workers if self.evolution.settings.uses_model else usual
        busy = len(self._running) + self.asked
        return self.asked < self._asking.workers and busy < workers + ahead

    def _ask(self, question: _Ask) -> Asked:
        run = self.evolution
        if question.order is not None:
            return run.proposing.make(question.order)
        assert question.broken is not None and run.repairing is not None
        broken = question.broken
        return run.repairing.mend([broken], run.scoring.fates([broken]))


@dataclass
class _Generation:
    """One generation of a flow under way."""

    flow: Flow
    state: EvolutionState
    places: Sequence[Place]
    batch: list[int] = field(default_factory=list)
    population: list[Member] = field(default_factory=list)
    stop: str = ""

    def go(self) -> dict[str, Any]:
        run, state = self.flow.evolution, self.state
        self.stop = state["stop"]
        self.population = run.scoring.load(state["population"])
        self.decision = run.coordinator.decide(state)
        run.coordinator.note_decision(state, self.decision)
        run.progress.regime = "" if self.decision is None else self.decision.regime.value
        run.progress.generation = state["generation"]
        self._shown = self._guidance()
        todo = self._take_up()
        last = state["generation"] == run.settings.generations
        while True:
            if run.stop.is_set():
                raise Interrupted("The run was asked to stop.")
            self.stop = self.stop or run.budget.exhausted()
            while todo and not self.stop and self.flow.room:
                self._ask(todo.pop(0))
                self._answers(None if run.settings.uses_model else 60.0)
            over = (not todo or bool(self.stop)) and not self.flow.asked
            drained = not self.flow.running
            if over and (drained or not (last or self.stop or not self.population)):
                break
            self._answers(0.0)
            for candidate, measured in self.flow.evaluated(POLL_S if self.flow.running else 0.0):
                self._enter(candidate, measured)
            if not self.flow.running and self.flow.asked:
                self._answers(POLL_S)
        return {
            "batch": sorted(self.batch),
            "step": max((one.step for one in self.places), default=0),
            "under_way": self.flow.running,
            "stop": self.stop,
        }

    def _guidance(self) -> dict[str, Any]:
        """Return what each candidate's prompt is to show, by key."""
        run, shown = self.flow.evolution, {}
        for step in dict.fromkeys(one.step for one in self.places):
            mine = [one for one in self.places if one.step == step]
            moment: Any = {**self.state, "clock": self.state["clock"] + step}
            served = run.coordinator.guide(moment, [one.slot for one in mine], self.decision)
            shown.update({one.key: served[one.slot] for one in mine})
        return shown

    def _take_up(self) -> list[Place]:
        """Evaluate what exists and has not entered; return what is still to be asked for."""
        run = self.flow.evolution
        base = run.knowledge_base
        found = base.find_candidates(run.run_id, [one.key for one in self.places])
        made = [*base.candidates(self.state.get("under_way", [])), *found.values()]
        if self.state["generation"] == 0:
            made = [*base.add_candidates([run.proposing.seed_row()]), *made]
        for candidate in {one.id: one for one in made}.values():
            self._begin(candidate)
        return [one for one in self.places if one.key not in found]

    def _begin(self, candidate: Candidate) -> None:
        run = self.flow.evolution
        if candidate.proposal_error is None:
            self.flow.evaluate(candidate)
        else:
            self.batch.append(candidate.id)
            run.telling.failed("no_program")

    def _ask(self, place: Place) -> None:
        run = self.flow.evolution
        run.progress.operator = place.operator
        order = Order(
            operator=place.operator,
            generation=self.state["generation"],
            slots=[(place.slot, place.key)],
            population=list(self.population),
            guidance={place.slot: self._shown[place.key].guidance},
        )
        self.flow.ask(_Ask(place=place, order=order))

    def _answers(self, timeout_s: float | None) -> None:
        """Take in answers; None: do not even look."""
        if timeout_s is None or not self.flow.asked:
            return
        run = self.flow.evolution
        for question, (made, stop) in self.flow.answered(timeout_s):
            self.stop = self.stop or stop
            if question.place is None:
                candidates = made
            else:
                candidates = run.knowledge_base.add_candidates(made)
                self._note_uses(question.place, candidates)
            run.progress.candidates += len(candidates)
            for candidate in candidates:
                self._begin(candidate)
            run.telling.emit("proposed")

    def _note_uses(self, place: Place, candidates: Sequence[Candidate]) -> None:
        run = self.flow.evolution
        moment: Any = {**self.state, "clock": self.state["clock"] + place.step}
        insights = {one.id: self._shown[place.key].insights for one in candidates}
        run.coordinator.note_uses(moment, insights, self.decision)

    def _enter(self, candidate: Candidate, measured: Measured) -> None:
        """Let a result into the population, or have a failure mended."""
        run = self.flow.evolution
        run.scoring.enter(candidate, measured)
        self.batch.append(candidate.id)
        if measured.objective is not None:
            newcomer = run.scoring.members[candidate.id]
            choose = trade_offs if run.settings.objective == "gap+time" else survivors
            kept = run.coordinator.strategy.kept(run.settings.population)
            self.population = choose([*self.population, newcomer], kept)
            run.tell_population(self.population)
        elif run.repairing is not None and not self.stop and candidate.operator != SEED:
            self.flow.ask(_Ask(broken=candidate))


def places_of(generation: int, operators: Sequence[str], size: int) -> list[Place]:
    """Return the candidates of a generation in their order, under the keys of a generational run."""
    places = []
    for step, operator in enumerate(operators):
        first = size * list(operators[:step]).count(operator)
        for slot in range(first, first + size):
            places.append(Place(step, operator, slot, f"g{generation}/{operator}/{slot}"))
    return places


__all__ = ["Flow", "Place", "places_of"]
