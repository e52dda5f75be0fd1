"""What the page of a job shows, as plain data."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....evaluators import InputError, get_problem
from ....knowledge_base import Job, KnowledgeBase
from ..results import Comparison, Record, compare, records
from .diagram import SHOWN, Diagram, draw

FAILURES = 2000
"""How many failures a page holds; all are counted, and CSV has all."""


@dataclass(frozen=True)
class Section:
    """One problem: its comparison, diagram, and everything by program and data set.

    ``cells`` of the data are rows of programs, each ``[objective, seconds, outcome]`` by data set;
    seconds are CPU seconds an instance.
    """

    name: str
    unit: str
    compared: Comparison
    diagram: Diagram | None
    instances: tuple[int, ...]
    failures: list[dict[str, Any]]
    failed: int
    cells: list[list[list[Any]]]

    def to_json(self) -> dict[str, Any]:
        """Return what the script draws."""
        return {
            "name": self.name,
            "unit": self.unit,
            "programs": self.compared.programs,
            "datasets": self.compared.datasets,
            "instances": self.instances,
            "ranks": self.compared.ranks,
            "cells": self.cells,
            "failures": self.failures,
        }


@dataclass(frozen=True)
class PageData:
    """Everything on the page."""

    job: Job
    items: int
    counts: dict[str, int]
    programs: int
    sections: list[Section]
    shown: int = SHOWN


def collect(base: KnowledgeBase, name: str) -> PageData:
    """Read a job, finished or not.

    Raises:
        UnknownRun: there is no such job.
    """
    job = base.jobs.get(name)
    found = records(base, job.id)
    return PageData(
        job,
        len(found),
        dict(Counter(one.status for one in found)),
        len({one.program for one in found}),
        sections(found),
    )


def sections(found: Sequence[Record]) -> list[Section]:
    """Return a section for each problem of a job."""
    by_problem: dict[str, list[Record]] = {}
    for one in found:
        by_problem.setdefault(one.problem, []).append(one)
    return [_section(one, by_problem[one.problem]) for one in compare(found)]


def _section(compared: Comparison, found: Sequence[Record]) -> Section:
    ranked = [at for at, rank in enumerate(compared.ranks) if rank is not None]
    diagram = None
    if compared.critical_difference is not None:
        diagram = draw(
            [compared.programs[at] for at in ranked],
            [compared.ranks[at] or 0.0 for at in ranked],
            compared.critical_difference,
        )
    sizes = {one.dataset: one.instances for one in found}
    bad = [one for one in found if one.status == "failed" or _at_fault(one)]
    return Section(
        compared.problem,
        _unit(compared.problem, {one.unit for one in found if one.unit}),
        compared,
        diagram,
        tuple(sizes[name] for name in compared.datasets),
        [_failure(one) for one in bad[:FAILURES]],
        len(bad),
        _cells(compared, found),
    )


def _at_fault(one: Record) -> bool:
    return one.status == "done" and one.objective is None


def _failure(one: Record) -> dict[str, Any]:
    return {
        "program": one.program,
        "dataset": one.dataset,
        "seed": one.seed,
        "device": one.device,
        "outcome": one.outcome or "not evaluated",
        "message": one.message,
    }


def _cells(compared: Comparison, found: Sequence[Record]) -> list[list[list[Any]]]:
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    for one in found:
        if one.objective is None:
            what = one.outcome or ("not evaluated" if one.status == "failed" else "open")
            outcomes.setdefault((one.program, one.dataset), Counter())[what] += 1
    rows = []
    for program, cells in zip(compared.programs, compared.cells, strict=True):
        row: list[list[Any]] = []
        for dataset, cell in zip(compared.datasets, cells, strict=True):
            counted = outcomes.get((program, dataset))
            text = "" if counted is None else counted.most_common(1)[0][0]
            value = None if text and text != "open" else cell.objective
            row.append([_short(value), _short(cell.seconds_per_instance), text])
        rows.append(row)
    return rows


def _short(value: float | None) -> float | None:
    """Return six significant digits: a page of 50,000 cells is to stay small."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")


def _unit(problem: str, units: set[str]) -> str:
    """Return the unit of all objectives; empty where data sets with and without references mix."""
    if units != {"measure"}:
        return "gap in %" if units == {"%"} else ""
    try:
        return get_problem(problem).spec.measure
    except InputError:
        return "measure"  # of a folder, which is known by its name only
