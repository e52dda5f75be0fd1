"""A candidate that failed gets one repair: the model is told the exact outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...evaluators import Evaluation, Problem, program_hash
from ...knowledge_base import Candidate, KnowledgeBase
from .errors import UnusableReply
from .proposal import Analyst, RepairTask
from .proposing import Workshop
from .scoring import SEED, Fate, describe_failure

REPAIR = "repair"
"""The operator of mended candidates; their only parent is the one that failed."""


@dataclass(frozen=True)
class Repairing:
    """Makes mended candidates as rows of the knowledge base."""

    run_id: str
    problem: Problem
    interface: str
    knowledge_base: KnowledgeBase
    analyst: Analyst
    workshop: Workshop

    def mend(
        self, candidates: Sequence[Candidate], fates: Mapping[int, Fate]
    ) -> tuple[list[Candidate], str]:
        """Return the mended versions of those candidates that failed, and the reason to stop."""
        broken = [
            (one, failure)
            for one in candidates
            if (failure := fates[one.id].failure) is not None and one.operator not in (SEED, REPAIR)
        ]
        keys = [f"{one.key}/{REPAIR}" for one, _ in broken]
        found = self.knowledge_base.find_candidates(self.run_id, keys)
        todo = [pair for pair, key in zip(broken, keys, strict=True) if key not in found]
        if not todo:
            return list(found.values()), ""
        rows, stop = self.workshop.ask(self._one, todo)
        return [*found.values(), *self.knowledge_base.add_candidates(rows)], stop

    def _one(self, pair: tuple[Candidate, Evaluation]) -> dict[str, Any]:
        candidate, result = pair
        key = f"{candidate.key}/{REPAIR}"
        row: dict[str, Any] = {
            "run_id": self.run_id,
            "key": key,
            "generation": candidate.generation,
            "operator": REPAIR,
            "slot": candidate.slot,
            "parents": [candidate.id],
        }
        task = RepairTask(
            problem=self.problem.spec,
            interface=self.interface,
            key=key,
            thought=candidate.thought,
            code=candidate.code,
            failure=describe_failure(result, candidate.code),
        )
        try:
            proposal = self.analyst.repair(task)
        except UnusableReply as error:
            return row | {"proposal_error": str(error)}
        return row | {
            "thought": proposal.thought,
            "code": proposal.code,
            "hash": program_hash(proposal.code),
        }
