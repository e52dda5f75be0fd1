"""A page of made-up results: hostile names, failures, many programs."""

from datetime import UTC, datetime

import numpy as np

from eurisko.agents.batch.page.data import PageData, sections
from eurisko.agents.batch.results import Record
from eurisko.knowledge_base import Job

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"


def record(program: str, dataset: str, objective: float | None, **more: object) -> Record:
    """Return one item that is done."""
    fields: dict[str, object] = {
        "number": 0,
        "program": program,
        "program_hash": program,
        "problem": "tsp_construct",
        "interface": "batched",
        "dataset": dataset,
        "instances": 64,
        "seed": 0,
        "device": "cpu",
        "status": "done",
        "outcome": "ok" if objective is not None else "timeout",
        "objective": objective,
        "cpu_s": 1.0,
        "wall_s": 1.0,
        "peak_mib": 1.0,
        "message": "" if objective is not None else f"took too long {ATTACK}",
        "unit": "%" if objective is not None else "",
    }
    return Record(**{**fields, **more})  # type: ignore[arg-type]


def invented(programs: int, datasets: int, seed: int = 0) -> list[Record]:
    """Return results in which programs differ in quality and time; some fail on some data sets."""
    random = np.random.default_rng(seed)
    names = [f"rules/heuristic_{number:04}.py" for number in range(programs)]
    names[0], names[1] = ATTACK, "🚀 große Nachbarschaft"
    found = []
    for number, name in enumerate(names):
        skill, effort = random.uniform(5, 30), 10 ** random.uniform(-2, 1)
        for at in range(datasets):
            failed = number % 7 == 5 and at % 3 == 1
            value = None if failed else float(skill + at + random.normal(0, 3))
            found.append(record(name, f"uniform-{50 + 10 * at}-test", value, cpu_s=effort))
    return found


def page_of(found: list[Record]) -> PageData:
    """Return the page's data for a job that is not stored."""
    job = Job(id="job-1", name="rules", spec={}, status="finished", version="0")
    job.created_at = datetime.now(UTC)
    programs = len({one.program for one in found})
    return PageData(job, len(found), {"done": len(found)}, programs, sections(found))
