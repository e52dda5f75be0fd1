"""Turn candidates into members: evaluate them on the search split, and remember how others failed."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...evaluators import Evaluation, Problem
from ...knowledge_base import Candidate, KnowledgeBase
from ...sandbox import OutcomeKind
from .evaluation import Evaluator
from .proposal import Failure
from .survival import Member
from .telling import Telling

SEED = "seed"
"""The operator of the problem's own heuristic, the first member of every population."""


@dataclass(frozen=True)
class Fate:
    """What became of a candidate on the search split: an objective, a failure, or neither.

    Neither means that there was no program to run.
    """

    objective: float | None = None
    failure: Evaluation | None = None


@dataclass(frozen=True)
class Measured:
    """What a candidate did on the search split: its mean objective, CPU seconds, how it failed."""

    objective: float | None
    seconds: float
    failure: str


@dataclass
class Scoring:
    """Evaluates candidates; remembers the members and failures of the current step."""

    problem: Problem
    knowledge_base: KnowledgeBase
    evaluator: Evaluator
    telling: Telling
    members: dict[int, Member] = field(default_factory=dict)

    def load(self, ids: Sequence[int], emit: bool = False) -> list[Member]:
        """Return the members among the candidates ``ids``, evaluating those that were not yet."""
        unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.members]
        if unknown:
            self._evaluate(self.knowledge_base.candidates(unknown), emit)
        return [self.members[id_] for id_ in dict.fromkeys(ids) if id_ in self.members]

    def measure(self, candidate: Candidate) -> Measured:
        """Return what a candidate did on the search split; several threads may ask at once."""
        seconds, failure = 0.0, ""

        def on_result(_: str, result: Evaluation) -> None:
            nonlocal seconds, failure
            seconds += result.cpu_s
            failure = failure or ("" if result.kind is OutcomeKind.OK else result.kind.value)

        found = self.on_split({candidate.hash: candidate.code}, "search", on_result)
        return Measured(found.get(candidate.hash), seconds, failure)

    def enter(self, candidate: Candidate, measured: Measured) -> None:
        """Make a member of a candidate that was measured, or count its failure, and tell of it."""
        if measured.objective is not None:
            self._admit(candidate, measured.objective, measured.seconds / self.instances)
        elif measured.failure:
            self.telling.failed(measured.failure)
        self.telling.emit("evaluated")

    def forget_all_but(self, members: Iterable[Member]) -> None:
        """Keep only these members: memory stays flat over long runs."""
        self.members = {one.id: one for one in members}

    def _evaluate(self, candidates: Sequence[Candidate], emit: bool) -> None:
        """Admit those candidates as members that run without error on the whole search split."""
        of_hash: dict[str, list[Candidate]] = {}
        for one in candidates:
            if one.proposal_error is None:
                of_hash.setdefault(one.hash, []).append(one)

        seconds = dict.fromkeys(of_hash, 0.0)

        def on_result(name: str, result: Evaluation) -> None:
            seconds[name] += result.cpu_s
            if emit and result.kind is not OutcomeKind.OK:
                for _ in of_hash[name]:
                    self.telling.failed(result.kind.value)
            if emit:
                self.telling.emit("evaluated")

        programs = {name: same[0].code for name, same in of_hash.items()}
        for name, objective in self.on_split(programs, "search", on_result).items():
            for one in of_hash[name]:
                self._admit(one, objective, seconds[name] / self.instances)

    @cached_property
    def instances(self) -> int:
        """How many instances the search split has."""
        return sum(
            self.problem.dataset(one).instances for one in self.problem.spec.splits["search"]
        )

    def _admit(self, candidate: Candidate, objective: float, seconds: float) -> None:
        if candidate.operator == SEED:
            self.telling.progress.baseline = objective
        self.members[candidate.id] = Member(
            id=candidate.id,
            hash=candidate.hash,
            objective=objective,
            thought=candidate.thought,
            code=candidate.code,
            genome=candidate.genome,
            seconds=math.inf if math.isnan(seconds) else seconds,
        )

    def on_split(
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

    # What is known already ----------------------------------------------------------------------

    def fates(self, candidates: Iterable[Candidate]) -> dict[int, Fate]:
        """Return what became of candidates, by id, from the knowledge base alone."""
        rows = list(candidates)
        known = self._known({one.hash for one in rows if one.proposal_error is None})
        return {
            one.id: Fate() if one.proposal_error is not None else _fate(known[one.hash])
            for one in rows
        }

    def vectors(self, members: Iterable[Member]) -> list[NDArray[np.float64]]:
        """Return the members' scores per instance on the search split: gaps, or raw measures."""
        rows = list(members)
        known = self._known({one.hash for one in rows})
        vectors = []
        for one in rows:
            parts = [
                part
                for result in known[one.hash]
                if (part := result.raw if result.gaps is None else result.gaps) is not None
            ]
            vectors.append(np.concatenate(parts) if parts else np.array([one.objective]))
        return vectors

    def sketches(self, members: Iterable[Member]) -> list[NDArray[np.uint16]]:
        """Return what the members decided on the search split, as sketches."""
        datasets = [self.problem.dataset(name) for name in self.problem.spec.splits["search"]]
        return [
            np.concatenate([self.evaluator.decisions(one.hash, one.code, d) for d in datasets])
            for one in members
        ]

    def _known(self, hashes: Iterable[str]) -> dict[str, list[Evaluation]]:
        """Return the evaluations of programs on the search split, in the order of its data sets."""
        names = list(hashes)
        found: dict[str, list[Evaluation]] = {name: [] for name in names}
        for dataset in self.problem.spec.splits["search"]:
            data = self.problem.dataset(dataset)
            keys = {name: self.evaluator.key(name, data) for name in names}
            known = self.knowledge_base.find_evaluations(list(keys.values()))
            for name, key in keys.items():
                if key.identity in known:
                    found[name].append(known[key.identity])
        return found


def describe_failure(result: Evaluation, code: str) -> Failure:
    """Return how a program failed, with the text of the line."""
    lines = code.splitlines()
    inside = result.line is not None and 1 <= result.line <= len(lines)
    return Failure(
        kind=result.kind.value,
        error_type=result.error_type,
        message=result.message,
        line=result.line if inside else None,
        source=lines[result.line - 1] if inside and result.line is not None else "",
    )


def failure_text(result: Evaluation, longest: int = 200) -> str:
    """Return a failure as a short line."""
    parts = [result.kind.value, result.error_type or "", result.message]
    text = ": ".join(" ".join(part.split()) for part in parts if part)
    return text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0] + " …"


def _fate(results: Sequence[Evaluation]) -> Fate:
    for result in results:
        if result.kind is not OutcomeKind.OK or result.objective is None:
            return Fate(failure=result)
    values = [one.objective for one in results if one.objective is not None]
    return Fate(objective=sum(values) / len(values)) if values else Fate()
