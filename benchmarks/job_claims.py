"""Items of a batch job claimed and finished per second, by one coordinator and by several at once.

Evaluations cost nothing here: what is measured is the knowledge base under coordinators that do
nothing but claim and store. Every claim is counted; one item claimed twice ends the benchmark.

    python -m benchmarks job_claims --url postgresql://user@host/name   (an empty knowledge base)
"""

import argparse
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import numpy as np

from eurisko.evaluators import Evaluation
from eurisko.knowledge_base import EvaluationKey, Finished, JobItem, KnowledgeBase
from eurisko.sandbox import OutcomeKind

from .report import machine_facts, markdown_table, write_result

COUNTS = (1, 2, 4)
BATCH = 16
INSTANCES = 64


@dataclass(frozen=True)
class Outcome:
    """What came of one measurement."""

    coordinators: int
    items: int
    seconds: float
    claimed: Counter[int]
    """How often each item was claimed."""
    waits_ms: list[float]
    """Of each claim."""


def key_of(number: int, problem: str) -> EvaluationKey:
    """Return the key of an item's evaluation."""
    return EvaluationKey(
        program_hash=f"p{number}",
        problem=problem,
        problem_version="1",
        interface="batched",
        dataset="none",
        dataset_digest="none",
        seed=0,
        device="cpu",
        limits="",
    )


def make_job(base: KnowledgeBase, items: int) -> str:
    """Store a job whose items nobody can evaluate; return its id."""
    name = f"claims-{time.monotonic_ns()}"
    rows = [
        {
            "program": 0,
            "problem": name,
            "interface": "batched",
            "dataset": "none",
            "path": None,
            "instances": INSTANCES,
            "seed": 0,
            "device": "cpu",
            "identity": key_of(number, name).identity,
        }
        for number in range(items)
    ]
    program = {"hash": "h", "label": "none", "code": ""}
    return base.jobs.create(name, {}, [program], rows, "0").id


def coordinate(url: str, job: str, batch: int, ready: Barrier, answers: Any) -> None:
    """Claim and finish until nothing is left; put what was claimed and how long it took."""
    claimed: list[int] = []
    waits: list[float] = []
    with KnowledgeBase(url) as base:
        worker = base.jobs.join(job, multiprocessing.current_process().name)
        ready.wait(120)
        while True:
            started = time.perf_counter()
            items = base.jobs.claim(job, worker, batch, "cpu")
            if not items:
                break
            waits.append(1000 * (time.perf_counter() - started))
            claimed += [item.number for item in items]
            base.jobs.finish(worker, [finished(item) for item in items])
        base.jobs.leave(worker)
    answers.put((claimed, waits))


def finished(item: JobItem) -> Finished:
    """Return a made-up result of an item, as large as a real one."""
    values = np.full(INSTANCES, float(item.number))
    result = Evaluation(
        kind=OutcomeKind.OK,
        error_type=None,
        message="",
        line=None,
        objective=float(item.number),
        gaps=values,
        raw=values,
        cpu_s=0.0,
        wall_s=0.0,
        peak_mib=0.0,
        isolation="none",
        dataset="none",
        dataset_digest="none",
    )
    return Finished(item.id, key_of(item.number, item.problem), result)


def measure(url: str, coordinators: int, items: int, batch: int = BATCH) -> Outcome:
    """Have so many processes share a new job; the clock runs from their common start to the end."""
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(coordinators + 1), context.Queue()
    with KnowledgeBase(url) as base:
        job = make_job(base, items)
        arguments = (url, job, batch, ready, answers)
        processes = [
            context.Process(target=coordinate, args=arguments) for _ in range(coordinators)
        ]
        for process in processes:
            process.start()
        ready.wait(120)
        started = time.perf_counter()
        found = [answers.get(timeout=240) for _ in processes]
        seconds = time.perf_counter() - started
        for process in processes:
            process.join()
        check(base, job, items)
    claimed = Counter(number for numbers, _ in found for number in numbers)
    return Outcome(coordinators, items, seconds, claimed, [one for _, w in found for one in w])


def check(base: KnowledgeBase, job: str, items: int) -> None:
    """Make sure that each item is done and has its own result.

    Raises:
        RuntimeError: one is not, or has another one's.
    """
    rows = [(item.number, item.status, e and e.objective) for item, e in base.jobs.rows(job)]
    if rows != [(number, "done", float(number)) for number in range(items)]:
        raise RuntimeError("items are missing or have other items' results")


def row(name: str, found: Outcome) -> list[str]:
    """Return a row of the table."""
    twice = sum(1 for count in found.claimed.values() if count > 1)
    if twice or len(found.claimed) != found.items:
        raise RuntimeError(f"{twice} items were claimed twice, {len(found.claimed)} at all")
    middle, late = np.percentile(found.waits_ms, [50, 95])
    rate = found.items / found.seconds
    figures = [str(found.coordinators), f"{rate:,.0f}", f"{middle:.1f}", f"{late:.1f}", str(twice)]
    return [name, *figures]


def main(arguments: Sequence[str] = ()) -> None:
    """Measure SQLite, and the server that is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks job_claims", description=__doc__)
    parser.add_argument("--url", help="a PostgreSQL knowledge base; default: SQLite only")
    parser.add_argument("--items", type=int, default=4000)
    given = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        urls = {"SQLite": f"sqlite:///{Path(folder) / 'kb.db'}"}
        if given.url:
            urls["PostgreSQL"] = given.url
        for name, url in urls.items():
            for count in COUNTS:
                rows.append(row(name, measure(url, count, given.items)))
    head = ("database", "coordinators", "items/s", "claim ms p50", "claim ms p95", "claimed twice")
    text = (
        f"# Claims of a batch job\n\nProcesses that claim {BATCH} items at a time and store a made-up "
        f"result of {INSTANCES} instances for each; {given.items:,} items for each row. Every claim is "
        "counted. Made by `python -m benchmarks job_claims --url URL`.\n\n"
        f"{markdown_table(head, rows)}\n\n"
    )
    facts = "\n".join(f"- {fact}" for fact in machine_facts("sqlalchemy", "psycopg"))
    write_result("job_claims", f"{text}{facts}\n")
