"""Make the candidates of a step: choose parents, ask the proposer, keep what it says."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...evaluators import Problem, program_hash
from ..parallel import as_completed
from ..running.budget import TimeBudget
from ..running.streams import stream, stream_seed
from .errors import Interrupted, UnusableReply
from .proposal import PARENTS, Feedback, Guidance, Parent, Proposal, Proposer, Task
from .scoring import SEED
from .selection import select_parents
from .settings import EvolutionSettings
from .survival import Member
from .telling import Telling

Job = TypeVar("Job")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Order:
    """What a step asks for.

    Args:
        operator: the operator of the step.
        generation: the generation.
        slots: slot and key of each candidate to make.
        population: the members, best first.
        guidance: what the search has to say, by slot.
        feedback: the last attempt, for refine.

    """

    operator: str
    generation: int
    slots: Sequence[tuple[int, str]]
    population: Sequence[Member]
    guidance: Mapping[int, Guidance | None]
    feedback: Feedback | None = None


@dataclass(frozen=True)
class Workshop:
    """Where questions to a proposer are asked, several at once, within the budget."""

    budget: TimeBudget
    concurrency: int
    stop: threading.Event
    telling: Telling

    def ask(self, one: Callable[[Job], Made], jobs: Sequence[Job]) -> tuple[list[Made], str]:
        """Return what was made, in the order of ``jobs``, and the reason to stop if there is one.

        Raises:
            Interrupted: the run was asked to stop.
            ModelError: the model cannot be reached; what others got is in the store of calls.
        """
        from ..models import BudgetExhausted

        stop = self.budget.exhausted()
        if stop:
            return [], stop
        made: dict[int, Made] = {}
        for index, result in as_completed(one, jobs, self.concurrency, self.stop):
            if isinstance(result, BudgetExhausted):
                stop = stop or str(result)
            elif isinstance(result, Exception):
                raise result
            else:
                made[index] = result
                self.telling.emit("proposed")
        if len(made) < len(jobs) and not stop:
            raise Interrupted("The run was asked to stop.")
        return [made[index] for index in sorted(made)], stop


@dataclass(frozen=True)
class Proposing:
    """Makes candidates as rows for the knowledge base."""

    run_id: str
    settings: EvolutionSettings
    problem: Problem
    interface: str
    proposer: Proposer
    workshop: Workshop

    def make(self, order: Order) -> tuple[list[dict[str, Any]], str]:
        """Return new rows for the slots of ``order``, and the reason to stop if there is one."""
        hashes = {one.hash for one in order.population}
        return self.workshop.ask(lambda pair: self._one(order, pair, hashes), order.slots)

    def seed_row(self) -> dict[str, Any]:
        """Return the row of the problem's own heuristic."""
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

    def _one(self, order: Order, pair: tuple[int, str], hashes: set[str]) -> dict[str, Any]:
        slot, key = pair
        operator = order.operator
        by_id = {one.id: one for one in order.population}
        rng = stream(self.settings.seed, "parents", order.generation, operator, slot)
        chosen = select_parents(list(by_id), PARENTS[operator], rng)
        if not chosen:
            operator = "i1"  # nothing works yet, so there is nothing to vary
        views = (chosen * PARENTS[operator])[: PARENTS[operator]]  # a lone member counts twice
        row: dict[str, Any] = {
            "run_id": self.run_id,
            "key": key,
            "generation": order.generation,
            "operator": operator,
            "slot": slot,
            "parents": chosen,
        }
        parents = tuple(_parent(by_id[id_]) for id_ in views)
        try:
            proposal = self._ask(order, operator, pair, parents, hashes)
        except UnusableReply as error:
            return row | {"proposal_error": str(error)}
        return row | {
            "thought": proposal.thought,
            "code": proposal.code,
            "hash": program_hash(proposal.code),
            "genome": proposal.genome,
        }

    def _ask(
        self,
        order: Order,
        operator: str,
        pair: tuple[int, str],
        parents: tuple[Parent, ...],
        hashes: set[str],
    ) -> Proposal:
        """Ask for a program; once more when it is one of the population (as EoH does)."""
        slot, key = pair
        for attempt in range(2):
            task = Task(
                problem=self.problem.spec,
                interface=self.interface,
                operator=operator,
                parents=parents,
                key=f"{key}/{attempt}",
                seed=stream_seed(self.settings.seed, "proposal", key, attempt),
                guidance=order.guidance.get(slot),
                feedback=order.feedback if operator == "refine" else None,
            )
            proposal = self.proposer.propose(task)
            if program_hash(proposal.code) not in hashes:
                break
        return proposal


def _parent(member: Member) -> Parent:
    return Parent(member.thought, member.code, member.objective, member.genome)
