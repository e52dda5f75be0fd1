"""All cells of a problem on all devices, from small to large; what is too large is left out."""

import gc
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eurisko.evaluators import GeneratingProblem, OnlineProblem, Problem
from eurisko.sandbox import Sandbox

from .cells import Cell, Skipped, make, nbytes, shape
from .measure import Measured, Work, measure

INSTANCES = (64, 512, 4096)
MORE_ON_DEVICES = (8192,)
SIZES = (50, 200, 1000)
CPU_S = 10.0
GPU_S = 30.0  # workers are used once, and each needs seconds to start CUDA


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    Args:
        sizes: values of N.
        instances: numbers of instances; empty: the usual ones of each device.
        at_once: how many programs are evaluated at the same time.
        seconds: of each cell; None: the usual ones of each device.
        memory_mib: of each program.
    """

    sizes: Sequence[int] = SIZES
    instances: Sequence[int] = ()
    at_once: Sequence[int] = (1, 4)
    seconds: float | None = None
    memory_mib: int = 2048

    def cell_s(self, device: str) -> float:
        """Return the seconds for each cell on a device."""
        return self.seconds or (CPU_S if device == "cpu" else GPU_S)

    def of(self, device: str) -> Sequence[int]:
        """Return the numbers of instances for a device."""
        return self.instances or (INSTANCES if device == "cpu" else INSTANCES + MORE_ON_DEVICES)


@dataclass(frozen=True)
class Row:
    """A cell on a device: what was measured, or in ``remark`` why nothing was."""

    cell: Cell
    device: str
    measured: Measured | None
    remark: str = ""
    data_bytes: int = 0

    @property
    def instances_per_s(self) -> float | None:
        """Instances per second at the best number at once."""
        best = None if self.measured is None else self.measured.best
        return None if best is None else best * self.cell.instances


def devices_of(problem: Problem, devices: Sequence[str]) -> list[str]:
    """Return those of the devices on which a problem can run."""
    if isinstance(problem, OnlineProblem):
        return [device for device in devices if device == "cpu"]
    return list(devices)


def sweep(problem: Problem, sandboxes: Mapping[str, Sandbox], plan: Plan) -> list[Row]:
    """Measure the cells of a problem in every sandbox, by the names of their devices."""
    assert isinstance(problem, GeneratingProblem)
    rows: list[Row] = []
    name, devices = problem.spec.name, devices_of(problem, list(sandboxes))
    counts = sorted({count for device in devices for count in plan.of(device)})
    for number in sorted(plan.sizes):
        for count in counts:
            try:
                size, missing = shape(problem, number), ""
            except Skipped as skipped:
                size, missing = str(number), str(skipped)
            cell = Cell(name, size, number, count)
            here = {one: sandboxes[one] for one in devices if count in plan.of(one)}
            found = (
                [Row(cell, device, None, missing) for device in here]
                if missing
                else measured_cell(problem, cell, here, plan, rows)
            )
            rows += found
            for row in found:
                print(line(row), file=sys.stderr, flush=True)
            gc.collect()  # the sealed copy of a data set lives as long as the data set
    return rows


def measured_cell(
    problem: Problem,
    cell: Cell,
    sandboxes: Mapping[str, Sandbox],
    plan: Plan,
    before: Sequence[Row],
) -> list[Row]:
    """Return the rows of one cell; nothing is run where a smaller cell has failed already."""
    assert isinstance(problem, GeneratingProblem)
    known = {device: too_large(cell, device, before) for device in sandboxes}
    if all(known.values()):
        return [Row(cell, device, None, why) for device, why in known.items()]
    try:
        data = make(problem, cell)
    except Skipped as skipped:
        return [Row(cell, device, None, str(skipped)) for device in sandboxes]
    rows = []
    for device, sandbox in sandboxes.items():
        if known[device]:
            rows.append(Row(cell, device, None, known[device]))
            continue
        work = Work(sandbox, problem, data, device, plan.cell_s(device), plan.memory_mib)
        rows.append(Row(cell, device, measure(work, plan.at_once), "", nbytes(data)))
    return rows


def too_large(cell: Cell, device: str, before: Sequence[Row]) -> str:
    """Return which smaller cell failed on this device, or nothing."""
    for row in before:
        if row.device != device or row.measured is None or not row.measured.failed:
            continue
        if row.cell.covers(cell):
            small = f"{row.cell.instances:,} x {row.cell.size}"
            return f"{small} ended as {row.measured.kind} already"
    return ""


def line(row: Row) -> str:
    """Return a row for whoever watches."""
    what = f"{row.cell.problem} {row.cell.instances} x {row.cell.size} {row.device}: "
    if row.measured is None:
        return f"{what}skipped, {row.remark}"
    rates = {count: rate and round(rate, 2) for count, rate in row.measured.rates.items()}
    return f"{what}{row.measured.kind} first {row.measured.first_s:.2f} s, candidates/s {rates}"
