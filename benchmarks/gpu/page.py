"""The page of results: rates of all cells, then operators beside the memory's bandwidth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..report import markdown_table
from .cells import SEED
from .kernels import ROUNDS, Operator, Profile, hint
from .sweep import Plan, Row

TOP = 3
RATES = """\
Seed heuristics in the interface `batched` on generated data sets, the full protected path with
checks and scores: `evaluate` with a sandbox of the device. Seconds are by the clock. First: the first
evaluation of a cell, with the wait for its worker, which is used once and on a graphics processor has
to start CUDA. x1, x4, ...: candidates per second with so many evaluated at once by threads through one
sandbox, afterwards. Instances/s: at the best of these. Program ms: median of the program's own time
inside its worker, one at a time. Ratio: candidates per second on this device by those on the
processor, both at their best. A cell takes {seconds} s at most; a program may hold {memory:,} MiB of
the host's memory. Where a cell ends by its time or by memory, larger ones of the problem are left out.
"""
KERNELS = """\
Each solver with its seed heuristic in this process under torch.profiler (the quickest of {rounds}
runs), on the largest number of instances that were measured and took at most a quarter of a cell's
seconds, of these the smallest size; solvers that iterate do so twice, on the smallest cell if none
was quick enough. The {top} operators that took most of the operators' time (of their kernels on a
graphics processor, of their calls on the processor). At least: megabytes that all calls must move,
by shapes, strides and data types of their tensors: each tensor that must be read whole read once,
each result written once, elements at one address once, of tensors that overlap the largest; views
nothing; look-ups without the table, scatters without the places, selections with the smaller
source. Operators whose arithmetic counts have no such bound. GB/s: these bytes by the time; beside
it the share of what a copy of a large tensor reaches on the device, read and written. It exceeds
100 % where a cache serves. Busy: operators' time by the time of the same run without profiler,
which itself makes it too large on the processor.
"""
NO_GPU = "No GPU has been measured yet: run the command on a machine with one."


@dataclass(frozen=True)
class Watched:
    """The operators of one cell on one device, or in ``remark`` why there are none."""

    row: Row
    profile: Profile | None
    remark: str = ""


def page(
    plan: Plan,
    rows: Sequence[Row],
    watched: Sequence[Watched],
    bandwidths: Mapping[str, float],
    command: str,
    facts: Sequence[str],
) -> str:
    """Return the Markdown page.

    Args:
        plan: what was asked for.
        rows: of all cells on all devices.
        watched: what was profiled.
        bandwidths: bytes per second by device.
        command: that made the page.
        facts: on machine, devices and versions.
    """
    head = ["problem", "N", "instances", "device", "first s"]
    head += [f"x{count}" for count in plan.at_once]
    head += ["instances/s", "program ms", "ratio", "remark"]
    text = RATES.format(seconds=_seconds(plan, rows), memory=plan.memory_mib)
    parts = ["# Generated data sets on each device", "", text + f"Made by `{command}`.", ""]
    if all(row.device == "cpu" for row in rows):
        parts += [NO_GPU, ""]
    parts += [markdown_table(head, [rate_cells(row, rows, plan) for row in rows]), ""]
    if watched:
        parts += [
            "## How far from the memory's bandwidth",
            "",
            KERNELS.format(top=TOP, rounds=ROUNDS),
        ]
        operators = [line for one in watched for line in operator_cells(one, bandwidths)]
        head = ["problem, cell", "device", "operator", "share %", "calls", "µs/call"]
        head += ["at least MB", "GB/s", "% of bandwidth", "busy %", "remark"]
        parts += [markdown_table(head, operators), ""]
    parts += [f"- {fact}" for fact in facts]
    parts += [
        f"- A copy of a large tensor reaches {speed / 1e9:.1f} GB/s on {device}"
        + (" with one thread, as in the sandbox" if device == "cpu" else "")
        for device, speed in bandwidths.items()
    ]
    parts.append(f"- Data sets: seed {SEED}; making them is not timed")
    return "\n".join([*parts, ""])


def rate_cells(row: Row, rows: Sequence[Row], plan: Plan) -> list[str]:
    """Return a row of the first table."""
    cell, seen = row.cell, row.measured
    what = [cell.problem, cell.size, f"{cell.instances:,}", row.device]
    if seen is None:
        return [*what, *["-"] * (len(plan.at_once) + 4), row.remark]
    if seen.failed:
        figures = [seen.kind, *["-"] * (len(plan.at_once) + 3)]
        return [*what, *figures, seen.remark]
    rates = [_figure(seen.rates.get(count)) for count in plan.at_once]
    program = "-" if seen.program_s is None else _figure(1000 * seen.program_s)
    middle = [_figure(row.instances_per_s), program, ratio(row, rows)]
    return [*what, f"{seen.first_s:.2f}", *rates, *middle, seen.remark]


def ratio(row: Row, rows: Sequence[Row]) -> str:
    """Return how many times the processor's rate a device reaches; ``-`` without both."""
    if row.device == "cpu" or row.instances_per_s is None:
        return "-"
    for other in rows:
        if other.device == "cpu" and other.cell == row.cell and other.instances_per_s:
            return f"{row.instances_per_s / other.instances_per_s:.2f}x"
    return "-"


def operator_cells(watched: Watched, bandwidths: Mapping[str, float]) -> list[list[str]]:
    """Return the rows of the second table for one cell."""
    cell, device = watched.row.cell, watched.row.device
    what = [f"{cell.problem}, {cell.instances:,} x {cell.size}", device]
    if watched.profile is None or not watched.profile.operators:
        return [[*what, *["-"] * 8, watched.remark or "the profiler saw no kernels"]]
    busy = f"{100 * watched.profile.busy:.0f}"
    top = watched.profile.operators[:TOP]
    return [[*what, *_operator(one, bandwidths[device]), busy, hint(one)] for one in top]


def _operator(one: Operator, speed: float) -> list[str]:
    figures = [one.name, f"{100 * one.share:.0f}", f"{one.calls:,}", f"{one.mean_us:.1f}"]
    if one.least is None or one.bytes_per_s is None:
        return [*figures, "-", "-", "-"]
    reached = one.bytes_per_s
    return [
        *figures,
        _figure(one.least / 1e6),
        _figure(reached / 1e9),
        _figure(100 * reached / speed),
    ]


def _seconds(plan: Plan, rows: Sequence[Row]) -> str:
    return " or ".join(f"{s:g}" for s in sorted({plan.cell_s(row.device) for row in rows}))


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
