"""A long run that nobody ran: rows as many and as large as those of a run with a model."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import insert, text

from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.identity import this_machine
from eurisko.knowledge_base.models import (
    Candidate,
    CandidateParent,
    Evaluation,
    Insight,
    InsightUse,
    ModelCall,
)

PER_GENERATION = 40
OPERATORS = ("e1", "e2", "m1", "m2", "m3")
START = datetime(2026, 1, 1, tzinfo=UTC)


def long_run(base: KnowledgeBase, count: int, folder: Path, code: int = 2000) -> str:
    """Store a run of ``count`` candidates with programs of ``code`` characters; return its id.

    Candidate ``i`` has two parents among the 60 before it; objectives fall slowly, one in ten fails,
    and each candidate was shown three insights, which were credited.
    """
    run = base.create_run(
        workflow="evolve",
        problem="tsp_construct",
        problem_version="1",
        interface="batched",
        proposer="openai/nobody",
        seed=0,
        config={"strategy": "hifo", "model": "openai/nobody", "population": 8},
        folder=str(folder),
        version="0",
    )
    rng = random.Random(count)
    tables = _tables(run.id, count, code, rng)
    with base.session() as session, session.begin():
        for table, rows in tables.items():
            session.execute(insert(table), rows)
            if base.engine.dialect.name == "postgresql" and "id" in table.__table__.columns:
                name = table.__tablename__  # its own counter has not seen these ids
                highest = f"(SELECT max(id) FROM {name})"
                session.execute(text(f"SELECT setval('{name}_id_seq', {highest})"))
    base.update_run(run.id, status="interrupted")
    return str(run.id)


def _tables(run_id: str, count: int, code: int, rng: random.Random) -> dict[Any, Any]:
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    tables: dict[Any, Any] = {
        one: [] for one in (Candidate, CandidateParent, Evaluation, Insight, InsightUse, ModelCall)
    }
    learnt = max(5, count // 20)
    tables[Insight] = [_insight(number) for number in range(1, learnt + 1)]
    for number in range(1, count + 1):
        generation, slot = divmod(number - 1, PER_GENERATION)
        operator = OPERATORS[slot // 8] if generation else "i1"
        operator = "seed" if number == 1 else operator
        when = START + timedelta(seconds=number)
        text = f"# {number}\n" + "".join(rng.choices("abcdefgh \n", k=code))
        row = {"id": number, "run_id": run_id, "generation": generation, "operator": operator}
        row |= {"key": f"g{generation}/{operator}/{slot % 8}", "slot": slot % 8}
        if generation == 0:
            row["key"], row["slot"] = f"g0/{operator}/{slot}", slot
        row |= {"thought": f"Idea {number}: " + "word " * 40, "code": text, "hash": f"h{number}"}
        tables[Candidate].append(row | {"created_at": when})
        parents = rng.sample(range(max(1, number - 60), number), 2) if number > 2 else []
        tables[CandidateParent] += [
            {"candidate_id": number, "position": position, "parent_id": parent}
            for position, parent in enumerate(parents)
        ]
        tables[Evaluation].append(_evaluation(number, count, data, rng))
        tables[InsightUse] += _uses(number, run_id, learnt, rng)
        tables[ModelCall].append(_call(number, run_id, when))
    return tables


def _evaluation(number: int, count: int, data: Any, rng: random.Random) -> dict[str, Any]:
    failed = number > 1 and rng.random() < 0.1
    objective = None if failed else 25 - 15 * number / count + rng.expovariate(0.5)
    gaps = None if failed else np.full(data.instances, objective).tobytes()
    return {
        "identity": f"i{number}",
        "program_hash": f"h{number}",
        "problem": "tsp_construct",
        "problem_version": "1",
        "interface": "batched",
        "dataset": data.name,
        "dataset_digest": data.digest,
        "seed": 0,
        "device": "cpu",
        "limits": "",
        "outcome": "candidate_error" if failed else "ok",
        "error_type": "ValueError" if failed else None,
        "message": f"ValueError: number {number}" if failed else "",
        "line": 3 if failed else None,
        "objective": objective,
        "gaps": gaps,
        "raw": gaps,
        "cpu_s": rng.lognormvariate(0, 0.4),
        "machine": this_machine(),
    }


def _insight(number: int) -> dict[str, Any]:
    fields = {"kind": "do", "scope": "problem", "problem": "tsp_construct", "origin": "extracted"}
    return {**fields, "id": number, "digest": f"d{number}", "text": f"Lesson {number}. " * 8}


def _uses(number: int, run_id: str, learnt: int, rng: random.Random) -> list[dict[str, Any]]:
    value = rng.uniform(-1, 1)
    fields = {"run_id": run_id, "candidate_id": number, "step": number // 8, "credit": value}
    fields |= {"tier": "best", "effectiveness": value, "regime": "balanced"}
    shown = rng.sample(range(1, learnt + 1), 3)
    return [fields | {"insight_id": one, "position": n} for n, one in enumerate(shown)]


def _call(number: int, run_id: str, when: datetime) -> dict[str, Any]:
    fields = {"run_id": run_id, "key": f"c{number}", "role": "heuristic", "model": "openai/nobody"}
    tokens = {"prompt_tokens": 900, "completion_tokens": 300, "text": "x"}
    return {**fields, **tokens, "prompt_hash": "p", "request": {}, "created_at": when}
