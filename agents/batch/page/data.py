"""What the page of a job shows, as plain data."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....knowledge_base import Job, KnowledgeBase
from ..results import Comparison, Record, compare, records

FAULTS_SHOWN = 500


@dataclass(frozen=True)
class Part:
    """One problem: rows are programs, the best mean rank first.

    ``values`` are mean objectives ``[programs][datasets]``, None where a program failed or is not
    done; ``failed`` how many of the evaluations of a cell failed. ``seconds`` are CPU seconds an
    instance. A clique is a pair of rows: the programs from one to the other are not told apart.
    """

    problem: str
    programs: list[str]
    datasets: list[str]
    values: list[list[float | None]]
    failed: list[list[int]]
    done: list[list[int]]
    ranks: list[float | None]
    seconds: list[float | None]
    blocks: int
    critical_difference: float | None
    cliques: list[tuple[int, int]]


@dataclass(frozen=True)
class PageData:
    """Everything on the page; ``faults`` are at most so many, ``fault_count`` all."""

    job: Job
    counts: dict[str, int]
    parts: list[Part]
    faults: list[dict[str, Any]]
    fault_count: int

    def to_json(self) -> dict[str, Any]:
        """Return what the charts and tables draw."""
        return {
            "job": self.job.id,
            "parts": [vars(one) for one in self.parts],
            "faults": self.faults,
        }


def collect(base: KnowledgeBase, job: Job) -> PageData:
    """Read the results of a job, finished or not."""
    return page_data(job, base.jobs.counts(job.id), records(base, job.id))


def page_data(job: Job, counts: dict[str, int], found: Sequence[Record]) -> PageData:
    """Return what the page shows of these results; ``counts`` of the items by status."""
    faults = [one for one in found if one.message or one.outcome not in ("", "ok")]
    parts = [part(one) for one in compare(found)]
    return PageData(job, counts, parts, [_fault(one) for one in faults[:FAULTS_SHOWN]], len(faults))


def part(one: Comparison) -> Part:
    """Return a comparison in the order of its ranks, unranked programs last."""
    known = [math.inf if rank is None else rank for rank in one.ranks]
    order = sorted(range(len(known)), key=known.__getitem__)
    cells = [one.cells[row] for row in order]
    ranks = [one.ranks[row] for row in order]
    return Part(
        problem=one.problem,
        programs=[one.programs[row] for row in order],
        datasets=list(one.datasets),
        values=[[cell.objective for cell in row] for row in cells],
        failed=[[cell.failed for cell in row] for row in cells],
        done=[[cell.done for cell in row] for row in cells],
        ranks=ranks,
        seconds=[_mean([cell.seconds_per_instance for cell in row]) for row in cells],
        blocks=one.blocks,
        critical_difference=one.critical_difference,
        cliques=cliques(ranks, one.critical_difference),
    )


def cliques(ranks: Sequence[float | None], difference: float | None) -> list[tuple[int, int]]:
    """Return the largest groups of programs that are not told apart (Demšar 2006, section 3.2.2).

    Args:
        ranks: mean ranks, ascending; those that are None come last and belong to no group.
        difference: the critical difference.

    Returns:
        First and last row of each group of two or more; no group lies within another.
    """
    known = [rank for rank in ranks if rank is not None]
    if difference is None:
        return []
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(known):
        last = max(row for row in range(first, len(known)) if known[row] - rank < difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _fault(one: Record) -> dict[str, Any]:
    return {
        "program": one.program,
        "problem": one.problem,
        "dataset": one.dataset,
        "seed": one.seed,
        "outcome": one.outcome or one.status,
        "message": one.message,
    }
