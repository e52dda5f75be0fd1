"""How long workers idle when one candidate in eight is twenty times slower: batches, steady state.

Evaluations are stand-ins that sleep for a fixed time which depends on the program alone, so that
neither the machine's load nor its number of processors matters; everything else is the real run.

    python -m benchmarks steady_state
"""

import contextlib
import hashlib
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from eurisko.agents.evolution import EvolutionSettings
from eurisko.agents.evolution.run import walk
from eurisko.agents.evolution.steps import Evolution
from eurisko.agents.running.budget import TimeBudget
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits

from .orchestration import CountingProposer, ReadySandbox, WithoutReruns, new_run
from .report import machine_facts, markdown_table, write_result

QUICK_S, SLOWER, ONE_IN = 0.05, 20, 8
GENERATIONS, POPULATION = 3, 8
WORKERS = (2, 4, 8)


class Sleeping(ReadySandbox):
    """Takes its time; counts how long its workers were busy."""

    def __init__(self) -> None:
        self.busy_s, self.last = 0.0, 0.0
        self._lock = threading.Lock()

    def run(self, program: Any, inputs: Any, expects: Mapping[str, Any], *a: Any, **k: Any) -> Any:
        """Sleep, then answer."""
        outcome = super().run(program, inputs, expects, *a, **k)
        slow = hashlib.sha256(program.code.encode()).digest()[0] % ONE_IN == 0
        seconds = QUICK_S * (SLOWER if slow else 1)
        time.sleep(seconds)
        with self._lock:
            self.busy_s += seconds
            self.last = time.monotonic()
        return outcome


def measure(
    schedule: Literal["generational", "steady"], workers: int
) -> tuple[float, float, float]:
    """Return seconds of the search, and of it the share that workers idled, and the busy seconds."""
    problem, sandbox = get_problem("tsp_construct"), Sleeping()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        base = stack.enter_context(KnowledgeBase(f"sqlite:///{Path(folder) / 'kb.db'}"))
        settings = EvolutionSettings(
            problem="tsp_construct",
            generations=GENERATIONS,
            population=POPULATION,
            schedule=schedule,
            tune=False,
        )
        ends: list[float] = []

        def listener(kind: str, _: Any) -> None:
            if kind == "selected":  # the last one ends the search; choosing the champion follows
                ends[:] = [time.monotonic(), sandbox.busy_s]

        evolution = Evolution(
            run_id=new_run(base),
            settings=settings,
            problem=problem,
            interface="batched",
            knowledge_base=base,
            proposer=CountingProposer(),
            evaluator=WithoutReruns(base, sandbox, problem, "batched", Limits(), "cpu", workers),  # type: ignore[arg-type]
            budget=TimeBudget(),
            listener=listener,
        )
        started = time.monotonic()
        walk(base, evolution)
        evolution.close()
        seconds, busy = ends[0] - started, ends[1]
        return seconds, 1 - busy / (seconds * workers), busy


def main() -> None:
    """Measure both schedules and write ``results/steady_state.md``."""
    rows = []
    for workers in WORKERS:
        for schedule in ("generational", "steady"):
            seconds, idle, busy = measure(schedule, workers)  # type: ignore[arg-type]
            rows.append(
                [
                    f"{workers} workers, {schedule}",
                    f"{seconds:.1f}",
                    f"{busy:.1f}",
                    f"{100 * idle:.0f} %",
                ]
            )
    count = 1 + 2 * POPULATION + 5 * GENERATIONS * POPULATION
    facts = "\n".join(f"- {fact}" for fact in machine_facts("langgraph", "sqlalchemy"))
    head = ["schedule", "seconds", "busy worker-seconds", "workers idle"]
    write_result(
        "steady_state",
        "# Steady state against batches\n\n"
        f"{count} candidates, population {POPULATION}; an evaluation takes {QUICK_S * 1000:g} ms, one "
        f"in {ONE_IN} {SLOWER} times as long (stand-ins that sleep). From the first proposal to the "
        "end of the last generation. Made by `python -m benchmarks steady_state`.\n\n"
        f"{markdown_table(head, rows)}\n\n{facts}\n",
    )
