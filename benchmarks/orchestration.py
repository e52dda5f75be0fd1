"""What a candidate costs beside its evaluation: graph, database, proposer bookkeeping.

The sandbox is replaced by one that answers at once with ready-made tours, so that everything else is
measured: proposing (a trivial proposer), selection, checkpoints, rows of candidates and evaluations,
trusted scoring. The knowledge base is filled to the stated number of candidates first.

    python -m benchmarks orchestration
"""

import contextlib
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eurisko.agents.evolution import Evaluator, EvolutionSettings
from eurisko.agents.evolution.proposal import Proposal, Task
from eurisko.agents.evolution.run import walk
from eurisko.agents.evolution.steps import Evolution
from eurisko.agents.running.budget import TimeBudget
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits, Outcome, OutcomeKind

from .report import machine_facts, markdown_table, write_result

GENERATIONS, POPULATION = 5, 20
MEASURED = 1 + 2 * POPULATION + GENERATIONS * 5 * POPULATION


class ReadySandbox:
    """Answers at once: every program builds random tours that depend on its text."""

    def run(
        self, program: Any, inputs: Any, expects: Mapping[str, Any], *_: Any, **__: Any
    ) -> Outcome:
        """Return an outcome of the expected shapes."""
        rng = np.random.default_rng(abs(hash(program.code)))
        ((name, spec),) = expects.items()
        instances, cities = spec.shape
        tours = np.argsort(rng.random((instances, cities - 1)), axis=1) + 1
        tours = np.concatenate([np.zeros((instances, 1), dtype=np.int64), tours], axis=1)
        return Outcome(
            kind=OutcomeKind.OK,
            arrays={name: tours.astype(spec.dtype)},
            error_type=None,
            message="",
            line=None,
            stdout="",
            cpu_s=0.0,
            wall_s=0.0,
            peak_mib=0.0,
            isolation="none",
        )


class WithoutReruns(Evaluator):
    """Champions are not played again: there is no program behind the ready answers."""

    def confirm(self, name: str, code: str, data: Any) -> str:
        """Believe everything."""
        return ""


class CountingProposer:
    """Proposes programs that differ in one number."""

    name = "counting"

    def __init__(self) -> None:
        self.count = 0

    def propose(self, task: Task) -> Proposal:
        """Return the next program."""
        self.count += 1
        return Proposal("A number.", f"def score_next(a, b, c, d):\n    return {self.count}\n")


def fill(base: KnowledgeBase, count: int) -> None:
    """Put ``count`` candidates of an older run into the knowledge base."""
    run = new_run(base)
    for start in range(0, count, 500):
        base.add_candidates(
            [
                {
                    "run_id": run,
                    "key": f"old/{index}",
                    "generation": index // 100,
                    "operator": "i1",
                    "slot": index,
                    "thought": "An older program. " * 5,
                    "code": "def score_next(a, b, c, d):\n    return a\n" * 10,
                    "hash": f"old{index}",
                }
                for index in range(start, min(start + 500, count))
            ]
        )


def new_run(base: KnowledgeBase) -> str:
    """Return the id of a new run."""
    run = base.create_run(
        workflow="evolve",
        problem="tsp_construct",
        problem_version="1",
        interface="batched",
        proposer="counting",
        seed=0,
        config={},
        folder="",
        version="0",
    )
    return run.id


def measure(stored: int) -> tuple[float, float]:
    """Return wall and CPU milliseconds per candidate with ``stored`` candidates in the database."""
    problem = get_problem("tsp_construct")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        base = stack.enter_context(KnowledgeBase(f"sqlite:///{Path(folder) / 'kb.db'}"))
        fill(base, stored)
        settings = EvolutionSettings(
            problem="tsp_construct", generations=GENERATIONS, population=POPULATION
        )
        sandbox: Any = ReadySandbox()
        evolution = Evolution(
            run_id=new_run(base),
            settings=settings,
            problem=problem,
            interface="batched",
            knowledge_base=base,
            proposer=CountingProposer(),
            evaluator=WithoutReruns(base, sandbox, problem, "batched", Limits(), "cpu", 1),
            budget=TimeBudget(),
        )
        wall, cpu = time.perf_counter(), time.process_time()
        walk(base, evolution)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return 1000 * wall / MEASURED, 1000 * cpu / MEASURED


def main() -> None:
    measure(0)  # the first run pays for the imports
    rows = []
    for stored in (100, 5_000, 50_000):
        wall, cpu = measure(stored)
        rows.append([f"{stored:,}", f"{wall:.2f}", f"{cpu:.2f}"])
    head = ["candidates already stored", "wall ms per candidate", "CPU ms per candidate"]
    facts = "\n".join(f"- {fact}" for fact in machine_facts("langgraph", "sqlalchemy"))
    write_result(
        "orchestration",
        "# Orchestration\n\n"
        "What a candidate costs beside its evaluation: graph and checkpoints, database, proposer "
        "bookkeeping, selection, trusted scoring. A sandbox that answers at once stands in for the "
        f"real one; {MEASURED} candidates, population {POPULATION}, {GENERATIONS} generations. "
        "Target: at most 10 ms. Made by `python -m benchmarks orchestration`.\n\n"
        f"{markdown_table(head, rows)}\n\n{facts}\n",
    )
