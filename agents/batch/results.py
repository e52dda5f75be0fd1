"""What a job found: one record for each item, and tables over programs and data sets."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...knowledge_base import Evaluation, KnowledgeBase


@dataclass(frozen=True)
class Record:
    """One item with its result; numbers are None where there is none.

    ``objective`` is the mean gap in %, or the mean measure where the data have no references: ``unit``
    is ``%`` or ``measure``, and empty where there is no objective.
    """

    number: int
    program: str
    program_hash: str
    problem: str
    interface: str
    dataset: str
    instances: int
    seed: int
    device: str
    status: str
    outcome: str
    objective: float | None
    cpu_s: float | None
    wall_s: float | None
    peak_mib: float | None
    message: str
    unit: str = ""


def records(base: KnowledgeBase, job_id: str) -> list[Record]:
    """Return the results of a job in the order of its items."""
    return list(_records(base, job_id))


def _records(base: KnowledgeBase, job_id: str) -> Iterator[Record]:
    programs = base.jobs.programs(job_id)
    for item, evaluation in base.jobs.rows(job_id):
        program = programs[item.program]
        yield Record(
            number=item.number,
            program=program.label,
            program_hash=program.hash,
            problem=item.problem if evaluation is None else evaluation.problem,
            interface=item.interface,
            dataset=item.dataset,
            instances=item.instances,
            seed=item.seed,
            device=item.device,
            status=item.status,
            outcome="" if evaluation is None else evaluation.outcome,
            objective=None if evaluation is None else evaluation.objective,
            cpu_s=None if evaluation is None else evaluation.cpu_s,
            wall_s=None if evaluation is None else evaluation.wall_s,
            peak_mib=None if evaluation is None else evaluation.peak_mib,
            message=item.message or ("" if evaluation is None else evaluation.message),
            unit=_unit(evaluation),
        )


def _unit(evaluation: Evaluation | None) -> str:
    if evaluation is None or evaluation.objective is None:
        return ""
    return "measure" if evaluation.gaps is None else "%"


def instance_scores(base: KnowledgeBase, job_id: str) -> Iterator[tuple[int, np.ndarray]]:
    """Yield, for each item that has them, its number and its gaps in % (else its measures) ``[B]``.

    They are stored as one blob of little-endian float64 per evaluation: 8 bytes an instance.
    """
    for item, evaluation in base.jobs.rows(job_id):
        blob = None if evaluation is None else (evaluation.gaps or evaluation.raw)
        if blob is not None:
            yield item.number, np.frombuffer(blob, dtype="<f8")


@dataclass(frozen=True)
class Cell:
    """A program on a data set over all seeds: the mean objective, and CPU seconds an instance."""

    objective: float | None
    seconds_per_instance: float | None
    done: int
    failed: int


@dataclass(frozen=True)
class Comparison:
    """Programs against data sets of one problem.

    ``ranks`` are mean ranks over the data sets and seeds that every ranked program has finished
    (1 is best, ties share theirs; a program that failed comes last), None where nothing is common.
    ``critical_difference`` is Nemenyi's at 5 %: two programs whose mean ranks differ by less are not
    told apart (Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 2006).
    """

    problem: str
    programs: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    ranks: tuple[float | None, ...]
    blocks: int
    critical_difference: float | None


def compare(found: Sequence[Record]) -> list[Comparison]:
    """Return a comparison for each problem of a job."""
    problems: dict[str, list[Record]] = {}
    for one in found:
        problems.setdefault(one.problem, []).append(one)
    return [_comparison(name, mine) for name, mine in problems.items()]


def _comparison(problem: str, found: Sequence[Record]) -> Comparison:
    programs = tuple(dict.fromkeys(record.program for record in found))
    datasets = tuple(dict.fromkeys(record.dataset for record in found))
    groups: dict[tuple[str, str], list[Record]] = {}
    for one in found:
        groups.setdefault((one.program, one.dataset), []).append(one)
    cells = tuple(
        tuple(_cell(groups.get((program, dataset), ())) for dataset in datasets)
        for program in programs
    )
    table = _table(found, programs)
    ranks = _ranks(table) if table.size else np.full(len(programs), np.nan)
    blocks = table.shape[0]
    return Comparison(
        problem,
        programs,
        datasets,
        cells,
        tuple(None if math.isnan(rank) else float(rank) for rank in ranks),
        blocks,
        critical_difference(len(programs), blocks) if blocks and len(programs) > 1 else None,
    )


def _cell(found: Sequence[Record]) -> Cell:
    values = [one.objective for one in found if one.objective is not None]
    seconds = [
        one.cpu_s / one.instances
        for one in found
        if one.cpu_s is not None and one.objective is not None
    ]
    done = sum(one.status == "done" for one in found)
    return Cell(
        objective=float(np.mean(values)) if values and len(values) == done else None,
        seconds_per_instance=float(np.mean(seconds)) if seconds else None,
        done=done,
        failed=done - len(values),
    )


def _table(found: Sequence[Record], programs: Sequence[str]) -> np.ndarray:
    """Return objectives ``[blocks, programs]``; a block is a data set, seed, device and interface.

    Blocks that some program has not finished are left out; a failure of a program counts as infinite.
    """
    blocks: dict[tuple[str, int, str], dict[str, float]] = {}
    for one in found:
        if one.status == "done":
            value = math.inf if one.objective is None else one.objective
            blocks.setdefault((one.dataset, one.seed, one.device), {})[one.program] = value
    rows = [
        [block[name] for name in programs]
        for block in blocks.values()
        if len(block) == len(programs)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(programs))


def _ranks(table: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    ranks: np.ndarray = rankdata(table, axis=1).mean(axis=0)
    return ranks


def critical_difference(programs: int, blocks: int, level: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks (Demšar 2006, equation 6)."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - level, programs, np.inf)) / math.sqrt(2)
    return q * math.sqrt(programs * (programs + 1) / (6 * blocks))


def as_rows(found: Sequence[Record]) -> list[dict[str, Any]]:
    """Return records as plain data, for tables and data frames."""
    return [asdict(one) for one in found]
