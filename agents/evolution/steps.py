"""The steps of an evolution run, one method per node of the graph.

One coordinator owns all evolving state. Every step is idempotent: candidates have deterministic keys,
a model's answer is stored before it is used, and an evaluation is made once.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...evaluators import Evaluation, Problem, program_hash
from ...knowledge_base import Candidate, KnowledgeBase
from ...sandbox import OutcomeKind
from ..parallel import as_completed
from .budget import Spent, TimeBudget
from .errors import Interrupted, UnusableReply
from .evaluation import Evaluator
from .events import Listener, Progress, silent
from .proposal import PARENTS, Parent, Proposal, Proposer, Task
from .selection import select_parents
from .settings import EvolutionSettings
from .state import EvolutionState
from .streams import stream, stream_seed
from .survival import Member, survivors

SEED = "seed"
"""The operator of the problem's own heuristic, the first member of every population."""


@dataclass
class Evolution:
    """A run under way: its settings, its tools and its steps."""

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
    _members: dict[int, Member] = field(default_factory=dict)

    # The nodes ----------------------------------------------------------------------------------

    def propose(self, state: EvolutionState) -> dict[str, Any]:
        """Make the candidates of this step that do not exist yet."""
        self._check_stop()
        operator, slots = self._plan(state)
        self.progress.generation, self.progress.operator = state["generation"], operator
        keys = [f"g{state['generation']}/{operator}/{slot}" for slot in slots]
        found = self.knowledge_base.find_candidates(self.run_id, keys)
        population = self._load(state["population"])
        todo = [pair for pair in zip(slots, keys, strict=True) if pair[1] not in found]
        rows, stop = self._propose_missing(operator, todo, population, state["generation"])
        if state["generation"] == 0 and state["step"] == 0:
            rows = [self._seed_row(), *rows]
        stored = self.knowledge_base.add_candidates(rows)
        batch = [*stored, *found.values()]
        self.progress.candidates += len(batch)
        for candidate in batch:
            if candidate.proposal_error is not None:
                self._count_failure("no_program")
        self._emit("proposed")
        return {"batch": sorted(one.id for one in batch), "stop": state["stop"] or stop}

    def evaluate(self, state: EvolutionState) -> dict[str, Any]:
        """Evaluate the batch on the search split."""
        self._check_stop()
        self._load(state["batch"], emit=True)
        return {}

    def select(self, state: EvolutionState) -> dict[str, Any]:
        """Merge the batch into the population and move on to the next step."""
        merged = self._load([*state["population"], *state["batch"]])
        population = survivors(merged, self.settings.population)
        update: dict[str, Any] = {"population": [one.id for one in population], "batch": []}
        if population:
            self.progress.best = population[0].objective
            self.progress.mean = sum(one.objective for one in population) / len(population)
        last = state["step"] + 1 >= len(self._operators(state["generation"]))
        if last or state["stop"]:
            entry = [self.progress.best, self.progress.mean] if population else []
            update["history"] = [*state["history"], *([entry] if entry else [])]
            self.progress.history = update["history"]
        if not state["stop"]:
            update |= (
                {"generation": state["generation"] + 1, "step": 0}
                if last
                else {"step": state["step"] + 1}
            )
        # Only members of the population are needed again: memory stays flat over long runs.
        self._members = {one.id: one for one in population}
        self._emit("selected")
        return update

    def validate(self, state: EvolutionState) -> dict[str, Any]:
        """Choose the final heuristic: the member that is best on the validation split."""
        self._check_stop()
        members = self._load(state["population"])
        if not members:
            return {"best": None}
        results = self._on_split({one.hash: one.code for one in members}, "validation")
        ranked = sorted(
            members, key=lambda one: (results.get(one.hash, math.inf), one.objective, one.id)
        )
        doubts: list[str] = []
        for one in ranked:
            splits = ("search", "validation") if one.hash in results else ("search",)
            doubt = self._doubt(one.hash, one.code, splits)
            if not doubt:
                break
            doubts.append(f"{one.hash[:12]}: {doubt}")
            self._count_failure("unconfirmed")
        self._emit("validated")
        return {"best": None if doubt else one.id, "doubts": doubts}

    def _doubt(self, name: str, code: str, splits: Sequence[str]) -> str:
        """Return why a program is not to be believed: in lockstep it decides otherwise."""
        for split in splits:
            for dataset in self.problem.spec.splits[split]:
                data = self.problem.dataset(dataset)
                doubt = self.evaluator.confirm(name, code, data)
                if doubt:
                    return doubt
        return ""

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
            doubt = self._doubt(best.hash, best.code, ("test",))
            if doubt:
                self._emit("finished")
                return {"doubts": [*state["doubts"], f"{best.hash[:12]}: {doubt}"]}
        self._emit("finished")
        return {}

    def next_step(self, state: EvolutionState) -> str:
        """Return ``propose`` while generations are left and nothing stopped the run."""
        over = state["generation"] > self.settings.generations
        return "validate" if state["stop"] or over else "propose"

    def recall(self, state: Mapping[str, Any]) -> None:
        """Show where a resumed run stands before its next step."""
        self.progress.generation = state["generation"]
        self.progress.history = list(state["history"])
        if state["history"]:
            self.progress.best, self.progress.mean = state["history"][-1]
        self.progress.candidates = self.knowledge_base.count_candidates(self.run_id)

    # Proposing ----------------------------------------------------------------------------------

    def _operators(self, generation: int) -> Sequence[str]:
        return ("i1", "i1") if generation == 0 else self.settings.operators

    def _plan(self, state: EvolutionState) -> tuple[str, range]:
        """Return the operator of this step and its slots; the second i1 continues the first."""
        operators, step = self._operators(state["generation"]), state["step"]
        operator, size = operators[step], self.settings.population
        first = size * operators[:step].count(operator)
        return operator, range(first, first + size)

    def _propose_missing(
        self,
        operator: str,
        todo: Sequence[tuple[int, str]],
        population: Sequence[Member],
        generation: int,
    ) -> tuple[list[dict[str, Any]], str]:
        """Return new rows for the candidates of ``todo``, and the reason to stop if there is one."""
        from ..models import BudgetExhausted

        hashes = {one.hash for one in population}
        rows: list[dict[str, Any] | None] = [None] * len(todo)
        stop = self.budget.exhausted()
        if stop:
            return [], stop

        def one(pair: tuple[int, str]) -> dict[str, Any]:
            return self._propose_one(operator, pair, population, hashes, generation)

        for index, result in as_completed(one, todo, self.concurrency, self.stop):
            if isinstance(result, BudgetExhausted):
                stop = stop or str(result)
            elif isinstance(result, Exception):
                # What the other slots got is in the store of model calls: a resumed run finds it.
                raise result
            else:
                rows[index] = result
                self._emit("proposed")
        if None in rows and not stop:
            raise Interrupted("The run was asked to stop.")
        return [row for row in rows if row is not None], stop

    def _propose_one(
        self,
        operator: str,
        pair: tuple[int, str],
        population: Sequence[Member],
        hashes: set[str],
        generation: int,
    ) -> dict[str, Any]:
        slot, key = pair
        by_id = {one.id: one for one in population}
        rng = stream(self.settings.seed, "parents", generation, operator, slot)
        chosen = select_parents(list(by_id), PARENTS[operator], rng)
        if not chosen:
            operator = "i1"  # nothing works yet, so there is nothing to vary
        views = (chosen * PARENTS[operator])[: PARENTS[operator]]  # a lone member counts twice
        row: dict[str, Any] = {
            "run_id": self.run_id,
            "key": key,
            "generation": generation,
            "operator": operator,
            "slot": slot,
            "parents": chosen,
        }
        try:
            proposal = self._ask(operator, key, [by_id[id_] for id_ in views], hashes)
        except UnusableReply as error:
            return row | {"proposal_error": str(error)}
        return row | {
            "thought": proposal.thought,
            "code": proposal.code,
            "hash": program_hash(proposal.code),
            "genome": proposal.genome,
        }

    def _ask(
        self, operator: str, key: str, parents: Sequence[Member], hashes: set[str]
    ) -> Proposal:
        """Ask for a program; once more when it is one of the population (as EoH does)."""
        views = tuple(Parent(one.thought, one.code, one.objective, one.genome) for one in parents)
        for attempt in range(2):
            task = Task(
                problem=self.problem.spec,
                interface=self.interface,
                operator=operator,
                parents=views,
                key=f"{key}/{attempt}",
                seed=stream_seed(self.settings.seed, "proposal", key, attempt),
            )
            proposal = self.proposer.propose(task)
            if program_hash(proposal.code) not in hashes:
                break
        return proposal

    def _seed_row(self) -> dict[str, Any]:
        interface = self.problem.spec.interfaces[self.interface]
        grammar = self.problem.grammar
        return {
            "run_id": self.run_id,
            "key": f"g0/{SEED}/0",
            "generation": 0,
            "operator": SEED,
            "slot": 0,
            "thought": interface.seed_thought,
            "code": interface.seed,
            "hash": program_hash(interface.seed),
            "genome": None if grammar is None else grammar.seed,
        }

    # Evaluating ---------------------------------------------------------------------------------

    def _load(self, ids: Sequence[int], emit: bool = False) -> list[Member]:
        """Return the members among the candidates ``ids``, evaluating those that were not yet."""
        unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in self._members]
        if unknown:
            self._evaluate(self.knowledge_base.candidates(unknown), emit)
        return [self._members[id_] for id_ in dict.fromkeys(ids) if id_ in self._members]

    def _evaluate(self, candidates: Sequence[Candidate], emit: bool) -> None:
        """Admit those candidates as members that run without error on the whole search split."""
        of_hash: dict[str, list[Candidate]] = {}
        for one in candidates:
            if one.proposal_error is None:
                of_hash.setdefault(one.hash, []).append(one)

        def on_result(name: str, result: Evaluation) -> None:
            if emit and result.kind is not OutcomeKind.OK:
                for _ in of_hash[name]:
                    self._count_failure(result.kind.value)
            if emit:
                self._emit("evaluated")

        programs = {name: same[0].code for name, same in of_hash.items()}
        objectives = self._on_split(programs, "search", on_result)
        for name, objective in objectives.items():
            for one in of_hash[name]:
                self._admit(one, objective)

    def _admit(self, candidate: Candidate, objective: float) -> None:
        if candidate.operator == SEED:
            self.progress.baseline = objective
        self._members[candidate.id] = Member(
            id=candidate.id,
            hash=candidate.hash,
            objective=objective,
            thought=candidate.thought,
            code=candidate.code,
            genome=candidate.genome,
        )

    def _on_split(
        self,
        programs: Mapping[str, str],
        split: str,
        on_result: Callable[[str, Evaluation], None] | None = None,
    ) -> dict[str, float]:
        """Return the mean objective over the data sets of a split, of programs that fail on none."""
        objectives: dict[str, list[float]] = {name: [] for name in programs}
        for dataset in self.problem.spec.splits[split]:
            left = {name: programs[name] for name in objectives}
            results = self.evaluator.run(left, self.problem.dataset(dataset), on_result)
            for name, result in results.items():
                if result.kind is OutcomeKind.OK and result.objective is not None:
                    objectives[name].append(result.objective)
                else:
                    del objectives[name]
        return {name: sum(values) / len(values) for name, values in objectives.items()}

    # Telling ------------------------------------------------------------------------------------

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise Interrupted("The run was asked to stop.")

    def _count_failure(self, kind: str) -> None:
        self.progress.failures[kind] = self.progress.failures.get(kind, 0) + 1

    def _emit(self, kind: Any) -> None:
        spent = self.spent()
        self.progress.calls, self.progress.tokens = spent.calls, spent.tokens
        self.progress.usd = spent.usd
        self.progress.evaluations = self.evaluator.evaluations
        self.progress.reused = self.evaluator.reused
        self.listener(kind, self.progress)


__all__ = ["SEED", "Evolution"]
