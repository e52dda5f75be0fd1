"""Fills a knowledge base in bulk with rows of the usual sizes."""

import hashlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, insert, text

from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase, this_machine
from eurisko.knowledge_base.models import (
    Base,
    Candidate,
    Evaluation,
    Insight,
    Job,
    JobItem,
    JobProgram,
    Run,
)

PER_RUN = 500
PER_CANDIDATE = 10
INSIGHTS = 50_000
ITEMS = 100_000
JOB = "big-000000"
CHUNK = 20_000
INSTANCES = 16
START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = tuple(
    """nearest farthest cluster depot regret balance penalty rank distance angle load window slack
    earliest latest weight decay random greedy lookahead centroid density border hub ring corridor
    """.split()  # noqa: SIM905 - a list of 26 lines says no more
)
CODE = """import torch


def score_next(current, start, unvisited, distances):
    rows = torch.arange(len(current))
    near = distances[rows, current]
    back = distances[rows, start]
    crowd = (distances < {a:.6f}).sum(dim=2)
    return {b:.6f} * back - {c:.6f} * near + 0.01 * crowd
"""


@dataclass(frozen=True)
class Filled:
    """What was loaded."""

    candidates: int
    runs: int
    evaluations: int
    insights: int
    calls: int
    items: int
    job: str
    size_gib: float
    seconds: float | None
    """Of the loading; None where it was loaded before."""


def load(base: KnowledgeBase, candidates: int) -> Filled:
    """Fill an empty knowledge base; indices are made after the rows. A filled one stays as it is."""
    started = time.monotonic()
    with base.engine.connect() as connection:
        if there := connection.exec_driver_sql("SELECT max(id) FROM candidate").scalar():
            return _filled(connection, int(there), None)
    runs = max(1, candidates // PER_RUN)
    with base.engine.connect() as connection:
        if base.engine.dialect.name == "sqlite":
            for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-2000000"):
                connection.exec_driver_sql(f"PRAGMA {pragma}")
            connection.commit()
        tables = [
            Candidate,
            Evaluation,
            *(Base.metadata.tables[n] for n in ("candidate_parent", "model_call")),
        ]
        _indices(connection, tables, drop=True)
        _fill(connection, runs)
        _indices(connection, tables, drop=False)
        _job(connection)
        if (
            base.engine.dialect.name != "sqlite"
        ):  # by itself; SQLite has no statistics where we use it
            connection.exec_driver_sql("ANALYZE")
        connection.commit()
        if base.engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            connection.commit()
        return _filled(connection, runs * PER_RUN, time.monotonic() - started)


def _filled(connection: Connection, count: int, seconds: float | None) -> Filled:
    return Filled(
        candidates=count,
        runs=count // PER_RUN,
        evaluations=count * PER_CANDIDATE,
        insights=INSIGHTS,
        calls=count // 5,
        items=ITEMS,
        job=JOB,
        size_gib=_bytes(connection) / 2**30,
        seconds=seconds,
    )


def _table(one: Any) -> Table:
    return one if isinstance(one, Table) else one.__table__


def _indices(connection: Connection, tables: list[Any], drop: bool) -> None:
    for one in tables:
        for index in _table(one).indexes:
            (index.drop if drop else index.create)(connection)
    connection.commit()


def _fill(connection: Connection, runs: int) -> None:
    rng = random.Random(0)
    _insert(connection, Run, (_run(number) for number in range(runs)))
    _insert(connection, Candidate, (_candidate(n, rng) for n in range(runs * PER_RUN)))
    _insert(connection, Insight, (_insight(number, rng) for number in range(INSIGHTS)))
    connection.execute(text(PARENTS))
    connection.execute(text(CALLS))
    problem = get_problem("tsp_construct")
    names = [
        name for split in ("search", "validation", "test") for name in problem.spec.splits[split]
    ]
    sets = [(name, problem.dataset(name).digest) for name in names]
    sets += [(f"set-{n}", f"{n:064}") for n in range(PER_CANDIDATE - len(sets))]
    statement = EVALUATIONS[connection.dialect.name]
    for number, (name, digest) in enumerate(sets[:PER_CANDIDATE]):
        values = {"number": number, "name": name, "digest": digest, "machine": this_machine()}
        connection.execute(text(statement), {**values, "bytes": 8 * INSTANCES})
        connection.commit()


def _insert(connection: Connection, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    chunk: list[dict[str, Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            connection.execute(insert(table), chunk)
            chunk = []
    if chunk:
        connection.execute(insert(table), chunk)
    connection.commit()


def program_name(number: int) -> str:
    """Return a program's hash: like a real one it says nothing about its neighbours."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def _run(number: int) -> dict[str, Any]:
    when = START + timedelta(minutes=number)
    first, ended = number * PER_RUN + 1, number % 10 != 9
    return {
        "id": f"tsp_construct-{number:06x}",
        "workflow": "evolve",
        "problem": "tsp_construct",
        "problem_version": get_problem("tsp_construct").spec.version,
        "interface": "batched",
        "proposer": "openai/nobody",
        "seed": number,
        "config": {"strategy": "hifo", "device": "cpu", "population": 8, "proposer": "offline"},
        "folder": f"runs/{number}",
        "status": "finished" if ended else "interrupted",
        "status_reason": "",
        "result": None
        if not ended
        else {
            "best": number * PER_RUN + PER_RUN,
            "history": [[25.0 - n] for n in range(8)],
            "machine": this_machine(),
            "failures": {"error": 9},
            "front": [
                {"candidate": first + n, "objective": 9.0 - n, "seconds_per_instance": 0.1 + n}
                for n in range(5)
            ],
        },
        "version": "0",
        "created_at": when,
        "updated_at": when,
    }


def _candidate(number: int, rng: random.Random) -> dict[str, Any]:
    run, place = divmod(number, PER_RUN)
    # One in twenty programs was proposed before, by this run or another one.
    program = rng.randrange(number) if number and rng.random() < 0.05 else number
    return {
        "id": number + 1,
        "run_id": f"tsp_construct-{run:06x}",
        "key": f"g{place // 40}/e1/{place}",
        "generation": place // 40,
        "operator": "seed" if place == 0 else ("e1", "e2", "m1", "m2", "m3")[place % 5],
        "slot": place,
        "thought": " ".join(rng.choices(WORDS, k=24)),
        "code": CODE.format(a=rng.random(), b=rng.random(), c=rng.random()),
        "hash": program_name(program),
        "genome": None,
        "proposal_error": None,
        "created_at": START,
    }


def _insight(number: int, rng: random.Random) -> dict[str, Any]:
    return {
        "digest": program_name(number),
        "kind": "do",
        "scope": ("problem", "family", "general")[number % 3],
        "problem": f"problem-{number % 40}",
        "family": f"family-{number % 8}",
        "text": " ".join(rng.choices(WORDS, k=18)),
        "origin": "extracted",
        "run_id": None,
        "support": 1,
        "uses": number % 7,
        "effectiveness": rng.uniform(-1, 1),
        "pinned": number % 5000 == 0,
        "retired": number % 11 == 0,
        "created_at": START,
        "updated_at": START,
    }


def _job(connection: Connection) -> None:
    fields = {"id": JOB, "name": "big", "status": "open", "version": "0"}
    times = {"created_at": START, "updated_at": START}
    spec = {"limits": {"cpu_s": None, "memory_mib": 2048}}
    connection.execute(insert(Job), [{**fields, **times, "spec": spec}])
    program = {"job_id": fields["id"], "number": 0, "hash": "h", "label": "seed", "code": CODE}
    connection.execute(insert(JobProgram), [program])
    _insert(connection, JobItem, (_item(number, fields["id"]) for number in range(ITEMS)))


def _item(number: int, job: str) -> dict[str, Any]:
    return {
        "job_id": job,
        "number": number,
        "program": 0,
        "problem": "tsp_construct",
        "interface": "batched",
        "dataset": "uniform-50-search",
        "path": None,
        "instances": 64,
        "seed": number,
        "device": "cpu",
        "identity": f"item-{number}",
        "status": "done" if number % 2 else "pending",
        "attempts": 0,
        "message": "",
        "worker": None,
    }


def _bytes(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
    size = "SELECT pg_database_size(current_database())"
    return int(connection.exec_driver_sql(size).scalar_one())


PARENTS = f"""
INSERT INTO candidate_parent (candidate_id, position, parent_id)
SELECT c.id, p.position, c.id - 1 - (c.id * (7919 + p.position * 31)) % 40
FROM candidate AS c CROSS JOIN (SELECT 0 AS position UNION SELECT 1 AS position) AS p
WHERE (c.id - 1) % {PER_RUN} > 41
"""
CALLS = """
INSERT INTO model_call (run_id, key, role, model, prompt_hash, request, text, prompt_tokens,
    completion_tokens, tokens_estimated, latency_s, attempts, created_at)
SELECT run_id, key, 'heuristic', 'openai/nobody', hash, '{}', thought, 900, 300, FALSE, 1.0, 1,
    created_at
FROM candidate WHERE id % 5 = 0
"""
_EVALUATIONS = """
INSERT INTO evaluation (identity, program_hash, problem, problem_version, interface, dataset,
    dataset_digest, seed, device, limits, outcome, message, objective, gaps, raw, cpu_s, wall_s,
    peak_mib, isolation, machine, created_at)
SELECT {identity}, hash, 'tsp_construct', '1', 'batched', :name, :digest, 0, 'cpu', '', 'ok', '',
    25.0 - 15.0 * (id % {per_run}) / {per_run} + ((id * 7919) % 1000) / 200.0, {blob}, {blob},
    1.0, 1.0, 50.0, 'L3', :machine, created_at
FROM candidate ORDER BY id
"""
EVALUATIONS = {
    "sqlite": _EVALUATIONS.format(
        identity="substr(hash, 1 + :number, 48) || printf('%02x%014x', :number, id)",
        blob="zeroblob(:bytes)",
        per_run=PER_RUN,
    ),
    "postgresql": _EVALUATIONS.format(
        identity="substr(hash, 1 + CAST(:number AS integer), 48) || "
        "lpad(to_hex(CAST(:number AS integer)), 2, '0') || lpad(to_hex(id), 14, '0')",
        blob="decode(repeat('00', :bytes), 'hex')",
        per_run=PER_RUN,
    ),
}
