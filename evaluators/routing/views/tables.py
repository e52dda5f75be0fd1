"""Schedule and slack of a plan as tables."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checker import Report
from ..constraints import VOCABULARY
from ..instance import Kind, RoutingError, RoutingInstance
from ..loads import loads_of
from ..trace import Trace

Cell = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Rows under named columns. Numbers are plain; None is nothing to say."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> list[dict[str, Cell]]:
        """Return rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def text(self) -> str:
        """Return aligned text; numbers to the right."""
        cells = [[shown(cell) for cell in row] for row in self.rows]
        widths = [
            max(len(column), *(len(row[at]) for row in cells), 0) if cells else len(column)
            for at, column in enumerate(self.columns)
        ]
        right = [
            all(not isinstance(row[at], str) for row in self.rows) for at in range(len(widths))
        ]

        def line(row: list[str]) -> str:
            padded = [
                one.rjust(width) if to_right else one.ljust(width)
                for one, width, to_right in zip(row, widths, right, strict=True)
            ]
            return "  ".join(padded).rstrip()

        return "\n".join([line(list(self.columns)), *(line(row) for row in cells)])


def shown(cell: Cell) -> str:
    """Return a cell's text: at most six digits, nothing for None."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else f"{cell:.6g}"


def traced(report: Report) -> Trace:
    """Return a report's course.

    Raises:
        RoutingError: the plan names nodes or vehicles that do not exist, so that it has none.
    """
    if report.trace is None:
        raise RoutingError(f"this plan has no schedule: {report.violations[0].message}.")
    return report.trace


def schedule_table(instance: RoutingInstance, report: Report) -> Table:
    """Return one row for each stop: times, load on leaving, and how long the window stays open.

    ``load`` is what is on board on leaving, one column for each dimension; ``slack`` is how much
    later service could start within the window that is used, negative where it is too late.

    Raises:
        RoutingError: the plan has no course.
    """
    trace = traced(report)
    loads = loads_of(instance, trace)
    board = loads.to_deliver + loads.picked_up + loads.paired
    dimensions = range(instance.load_dimensions)
    names = ["load"] if len(dimensions) == 1 else [f"load {number + 1}" for number in dimensions]
    columns = ("route", "vehicle", "stop", "node", "kind", "arrival", "wait", "start", "departure",
               "distance", *names, "slack", "note")  # fmt: skip
    rows = []
    travelled = np.cumsum(trace.leg_distance, axis=1)
    for route, position in zip(*np.nonzero(trace.mask), strict=True):
        at = (int(route), int(position))
        # a depot in mid-route ends one trip; what is on board is what the next one loads
        load = board[at]
        if 0 < at[1] < int(trace.last[route]) and trace.kinds[at] == Kind.DEPOT:
            load = (loads.to_deliver_before + loads.paired_before)[route, position + 1]
        rows.append(
            (
                at[0] + 1,
                int(trace.vehicle[route]),
                at[1],
                instance.node_ids[int(trace.stops[at])],
                Kind(int(trace.kinds[at])).name.lower(),
                float(trace.arrival[at]),
                max(0.0, float(trace.start[at] - trace.arrival[at])),
                float(trace.start[at]),
                float(trace.departure[at]),
                float(travelled[at]),
                *(float(value) for value in load),
                _finite(float(trace.window_slack[at])),
                _note(trace, at),
            )
        )
    return Table(columns, tuple(rows))


def _note(trace: Trace, at: tuple[int, int]) -> str:
    words = []
    if trace.late[at] > 1e-9:
        words.append(f"late by {trace.late[at]:.6g}")
    if trace.breaks[at]:
        words.append("break")
    if trace.forbidden[at]:
        words.append("no way leads here")
    if 0 < at[1] < int(trace.last[at[0]]) and trace.kinds[at] == Kind.DEPOT:
        words.append("reload")
    return ", ".join(words)


def slack_table(report: Report) -> Table:
    """Return one row for each rule: kept or not, its smallest margin, and where it is broken."""
    rows: list[tuple[Cell, ...]] = []
    for name, verdict in report.verdicts.items():
        message = verdict.violation.message if verdict.violation is not None else ""
        unit = VOCABULARY[name].unit
        rows.append(
            (name, "kept" if verdict.kept else "broken", _finite(verdict.slack), unit, message)
        )
    known = set(report.verdicts)
    rows += [
        (one.constraint, "broken", None, "", one.message)
        for one in report.violations
        if one.constraint not in known
    ]
    return Table(("rule", "state", "slack", "unit", "where"), tuple(rows))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def route_labels(report: Report) -> list[str]:
    """Return a label for each route: its number, vehicle type, length and duration."""
    trace = traced(report)
    return [
        f"{route + 1}: vehicle {int(trace.vehicle[route])}, length {trace.distance[route]:.6g}, "
        f"duration {trace.duration[route]:.6g}"
        for route in range(len(trace.stops))
    ]


def plain(table: Table) -> dict[str, Any]:
    """Return a table for JSON."""
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}
