"""The questions that the commands ask, timed."""

import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import select

from eurisko.agents.evolution import summarise
from eurisko.agents.evolution.pareto import front_of_run
from eurisko.evaluators import Evaluation as Result
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import EvaluationKey, Finished, KnowledgeBase
from eurisko.knowledge_base.models import Evaluation
from eurisko.sandbox import OutcomeKind

from .load import INSTANCES, PER_RUN, WORDS, Filled, program_name

STORED = 2_000
TOGETHER = 64
Question = tuple[str, Callable[[], object]]


@dataclass(frozen=True)
class _Named:
    """Stands for a key of which only the name is known."""

    identity: str


def questions(base: KnowledgeBase, filled: Filled) -> list[Question]:
    """Return what is asked, by command."""
    rng = random.Random(1)
    problem = get_problem("tsp_construct")
    data = problem.dataset(problem.spec.splits["search"][0])

    def run_id() -> str:
        return f"tsp_construct-{rng.randrange(filled.runs):06x}"

    def shown(ended: bool) -> None:
        number = rng.randrange(filled.runs // 10) * 10 + (rng.randrange(9) if ended else 9)
        summarise(base, base.get_run(f"tsp_construct-{number:06x}"), problem)

    def candidate() -> int:
        return rng.randrange(filled.candidates) + 1

    def listed() -> None:
        for one in base.runs(20):
            front_of_run(base, one, problem)

    with base.session() as session:
        ids = [rng.randrange(filled.evaluations) + 1 for _ in range(4000)]
        names = list(session.scalars(select(Evaluation.identity).where(Evaluation.id.in_(ids))))

    def known() -> None:
        keys: Any = [_Named(one) for one in rng.sample(names, 40)]
        assert len(base.find_evaluations(keys)) == 40

    def duplicates() -> None:
        hashes = [program_name(rng.randrange(filled.candidates)) for _ in range(40)]
        base.evaluations(hashes, data.digest, "batched")

    return [
        ("runs: the newest 20 with their fronts", listed),
        ("show: the report of a run that has ended", lambda: shown(True)),
        ("show: that of one that has not", lambda: shown(False)),
        ("a run by the beginning of its id", lambda: base.get_run(run_id())),
        (
            "best programs of a problem on a data set",
            lambda: base.programs.best("tsp_construct", data.digest, "batched", 20),
        ),
        ("lineage of a candidate, all ancestors", lambda: base.programs.ancestors(candidate())),
        (
            "candidates of a generation",
            lambda: base.run_candidates(run_id(), rng.randrange(PER_RUN // 40)),
        ),
        ("what is known of 40 evaluations", known),
        ("what is known of 40 programs", duplicates),
        (
            "insights with two words",
            lambda: base.insights.find(words=" ".join(rng.sample(WORDS, 2)), limit=20),
        ),
        (
            "insights with a word that none has",
            lambda: base.insights.find(words=f"absent{rng.randrange(1000)}", limit=20),
        ),
        (
            "insights that a run begins with",
            lambda: base.insights.to_inherit(f"problem-{rng.randrange(40)}", 30),
        ),
        ("spending of a run", lambda: base.spent(run_id())),
        ("progress of a job of 100,000 items", lambda: base.jobs.counts(filled.job)),
        ("eight items of it claimed", lambda: base.jobs.claim(filled.job, 1, 8, "cpu")),
        (
            "usual seconds of an evaluation",
            lambda: base.jobs.usual_seconds("tsp_construct", "batched", data.digest),
        ),
    ]


def timed(asked: Sequence[Question], calls: int) -> list[list[str]]:
    """Return median, 95th percentile and longest of each, then median and 95th of its CPU, in ms."""
    rows = []
    for name, ask in asked:
        ask()
        times: list[tuple[float, float]] = []
        for _ in range(calls):
            started = time.perf_counter(), time.process_time()
            ask()
            times.append((time.perf_counter() - started[0], time.process_time() - started[1]))
            if (
                sum(wall for wall, _ in times) > 60
            ):  # far above the target: its median is known by now
                break
        wall, cpu = 1000 * np.array(times).T
        figures = (np.median(wall), np.quantile(wall, 0.95), wall.max())
        own = (np.median(cpu), np.quantile(cpu, 0.95))
        rows.append([name, *(f"{x:.1f}" for x in (*figures, *own))])
    return rows


def insert_rates(base: KnowledgeBase) -> list[list[str]]:
    """Return rows stored in a second, one at a time as runs do and in groups as jobs do, and CPU ms."""
    rng = np.random.default_rng(0)
    word = secrets.token_hex(4)  # a database that was asked before has the rows of that time

    def alone() -> None:
        for number in range(STORED):
            base.add_evaluation(_key(f"{word}-one-{number}"), _result(rng))

    def together() -> None:
        for first in range(0, STORED, TOGETHER):
            group = range(first, min(first + TOGETHER, STORED))
            found = [Finished(-1, _key(f"{word}-many-{n}"), _result(rng)) for n in group]
            base.jobs.finish(1, found)

    rows = []
    for name, store in (
        ("evaluations, each in a transaction of its own", alone),
        (f"evaluations, {TOGETHER} in a transaction", together),
    ):
        started = time.perf_counter(), time.process_time()
        store()
        wall, cpu = time.perf_counter() - started[0], time.process_time() - started[1]
        rows.append([name, f"{STORED / wall:,.0f}", f"{1000 * cpu / STORED:.2f}"])
    return rows


def _key(name: str) -> EvaluationKey:
    return EvaluationKey(
        program_hash=name,
        problem="tsp_construct",
        problem_version="1",
        interface="batched",
        dataset="uniform-50-search",
        dataset_digest="d",
        seed=0,
        device="cpu",
        limits="",
    )


def _result(rng: np.random.Generator) -> Result:
    gaps = rng.random(INSTANCES)
    return Result(
        kind=OutcomeKind.OK,
        error_type=None,
        message="",
        line=None,
        objective=float(gaps.mean()),
        gaps=gaps,
        raw=gaps,
        cpu_s=1.0,
        wall_s=1.0,
        peak_mib=1.0,
        isolation="L3",
        dataset="uniform-50-search",
        dataset_digest="d",
    )
