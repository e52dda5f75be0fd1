"""Evaluate programs: from the knowledge base where it knows the answer, else in the sandbox."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...evaluators import Dataset, Evaluation, Problem, confirm, evaluate
from ...knowledge_base import EvaluationKey, KnowledgeBase
from ...sandbox import Limits, OutcomeKind, Sandbox
from ..batch.executors import Desk
from ..batch.tasks import Task
from ..identity import allowed, evaluation_key
from ..parallel import as_completed
from .errors import EvolutionError, Interrupted

EVALUATION_SEED = 0
"""One seed for the candidate's random generators in every run, so that results can be shared."""


@dataclass
class Evaluator:
    """Evaluates programs of one problem and interface; its only state are counters.

    ``per_instance`` says that the problem's own time limit holds in the place of that of ``limits``.
    With a ``desk`` programs are evaluated where its executor works, on the problem's own data sets
    (``reference`` says how to find it there); champions are played again in ``sandbox`` all the same.
    """

    knowledge_base: KnowledgeBase
    sandbox: Sandbox
    problem: Problem
    interface: str
    limits: Limits
    device: str = "cpu"
    workers: int = 1
    stop: threading.Event | None = None
    evaluations: int = 0
    reused: int = 0
    per_instance: bool = False
    desk: Desk | None = None
    reference: str = ""
    _counting: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def limits_on(self, data: Dataset) -> Limits:
        """Return what a program may use on ``data``."""
        return allowed(self.problem, data, self.limits, self.per_instance)

    def key(self, program_hash: str, data: Dataset) -> EvaluationKey:
        """Return what identifies the evaluation of a program on ``data``."""
        return evaluation_key(
            self.problem,
            self.interface,
            program_hash,
            data,
            self.limits_on(data),
            seed=EVALUATION_SEED,
            device=self.device,
        )

    def run(
        self,
        programs: Mapping[str, str],
        data: Dataset,
        on_result: Callable[[str, Evaluation], None] | None = None,
    ) -> dict[str, Evaluation]:
        """Evaluate ``programs`` (hash to source) on ``data``; each result is stored when it is known.

        Raises:
            EvolutionError: the sandbox itself failed twice, which is never the program's fault.
            Interrupted: ``stop`` was set.
        """
        keys = {name: self.key(name, data) for name in programs}
        known = self.knowledge_base.find_evaluations(list(keys.values()))
        results = {name: known[key.identity] for name, key in keys.items() if key.identity in known}
        with self._counting:
            self.reused += len(results)
        for name, result in results.items():
            if on_result is not None:
                on_result(name, result)
        missing = [name for name in programs if name not in results]

        def one(name: str) -> Evaluation:
            return self._evaluate(programs[name], data)

        for index, answer in as_completed(one, missing, self.workers, self.stop):
            if isinstance(answer, Exception):
                raise answer
            result = answer
            if result.kind is OutcomeKind.SANDBOX_FAILURE:
                raise EvolutionError(
                    f"The sandbox failed twice on data set {data.name}: {result.message} "
                    "Nothing is lost; see 'eurisko doctor', then resume the run."
                )
            name = missing[index]
            self.knowledge_base.add_evaluation(keys[name], result)
            with self._counting:
                self.evaluations += 1
            results[name] = result
            if on_result is not None:
                on_result(name, result)
        if len(results) < len(programs):
            raise Interrupted("The run was asked to stop.")
        return results

    def decisions(self, name: str, code: str, data: Dataset) -> NDArray[np.uint16]:
        """Return the sketch of what a program decides on ``data``.

        What an older version evaluated has none: such a program is run again.

        Raises:
            EvolutionError: the problem does not say what was decided.
        """
        known = self.run({name: code}, data)[name]
        if known.decisions is None:
            known = self._evaluate(code, data)
            self.knowledge_base.add_decisions(self.key(name, data), known)
        if known.decisions is None:
            raise EvolutionError(
                f"Problem {self.problem.spec.name} does not say what was decided (the traits of its "
                "Scores), so programs cannot be compared by it: choose --diversity behaviour."
            )
        return known.decisions

    def _evaluate(self, code: str, data: Dataset) -> Evaluation:
        if self.desk is not None:
            return self.desk.do(self._task(code, data))
        return evaluate(
            self.sandbox,
            self.problem,
            self.interface,
            code,
            data,
            self.limits_on(data),
            seed=EVALUATION_SEED,
            device=self.device,
        )

    def _task(self, code: str, data: Dataset) -> Task:
        return Task(
            item=0,
            problem=self.reference or self.problem.spec.name,
            interface=self.interface,
            dataset=data.name,
            from_file=False,
            code=code,
            seed=EVALUATION_SEED,
            device=self.device,
            cpu_s=None if self.per_instance else self.limits.cpu_s,
            memory_mib=self.limits.memory_mib,
        )

    def confirm(self, name: str, code: str, data: Dataset) -> str:
        """Re-run a champion in lockstep; return why it is not to be believed, or nothing.

        Sessions run on the CPU only: what was evaluated elsewhere is not re-run.
        """
        if self.device != "cpu":
            return ""
        claimed = self.run({name: code}, data)[name]
        return confirm(
            self.sandbox,
            self.problem,
            self.interface,
            code,
            data,
            claimed,
            self.limits_on(data),
            seed=EVALUATION_SEED,
        )
