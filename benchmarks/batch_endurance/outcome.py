"""What a job found, item by item, and in what two jobs differ."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from eurisko.knowledge_base import JobItem, KnowledgeBase
from eurisko.knowledge_base.models import Evaluation


@dataclass(frozen=True)
class Found:
    """The items of the newest job; ``rows`` is the number of stored evaluations."""

    items: list[JobItem]
    results: list[tuple[Any, ...]]
    rows: int
    tried_again: int
    faults: int

    def __len__(self) -> int:
        return len(self.items)


def found(url: str) -> tuple[Found, float | None]:
    """Return what the newest job found, and the seconds from its making to its end."""
    with KnowledgeBase(url) as base:
        job = base.jobs.get("last")
        items, results, faults = [], [], 0
        for item, one in base.jobs.rows(job.id):
            items.append(item)
            kept = None if one is None else (one.outcome, one.objective, one.gaps, one.identity)
            results.append((item.number, item.status, kept))
            faults += one is not None and one.outcome != "ok"
        with base.session() as session:
            rows = session.scalar(select(func.count()).select_from(Evaluation)) or 0
        again = sum(one.attempts > 1 for one in items)
        seconds = (job.updated_at - job.created_at).total_seconds()
        return Found(items, results, rows, again, faults), seconds


def differences(expected: Found, got: Found) -> tuple[int, int, int]:
    """Return how many items were lost, stored more than once, and differ."""
    wanted = {one[0]: one for one in expected.results}
    have = {one[0]: one for one in got.results}
    lost = sum(number not in have or have[number][1] != "done" for number in wanted)
    numbers = Counter(one[0] for one in got.results)
    doubled = sum(count - 1 for count in numbers.values()) + max(0, got.rows - expected.rows)
    differing = sum(number in have and have[number] != one for number, one in wanted.items())
    return lost, doubled, differing
