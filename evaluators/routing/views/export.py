"""A plan with its schedule as CSV and JSON."""

import csv
import io
import json
import math

from ..checker import Report
from ..instance import RoutingInstance
from ..plan import Plan
from .tables import schedule_table, slack_table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def routes_csv(instance: RoutingInstance, plan: Plan, report: Report) -> str:
    """Return the schedule as CSV with a header line.

    Names that a spreadsheet would take for formulas get an apostrophe in front.

    Raises:
        RoutingError: the plan has no course.
    """
    table = schedule_table(instance, report)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(
            [
                f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
                for cell in row
            ]
        )
    return text.getvalue()


def routes_json(instance: RoutingInstance, plan: Plan, report: Report) -> str:
    """Return routes, schedule, slack by rule and objective as JSON, with the file's names.

    Raises:
        RoutingError: the plan has no course.
    """
    schedule = schedule_table(instance, report).records()
    routes = [
        {
            "vehicle": route.vehicle,
            "stops": [instance.node_ids[stop] for stop in route.stops],
            "breaks_after": list(route.breaks),
            "departures": list(route.departures),
            "schedule": [row for row in schedule if row["route"] == number],
        }
        for number, route in enumerate(plan.routes, start=1)
    ]
    found = {
        "name": instance.name,
        "units": instance.units,
        "feasible": report.feasible,
        "objective": [value if math.isfinite(value) else None for value in report.values],
        "rules": slack_table(report).records(),
        "routes": routes,
    }
    return json.dumps(found, indent=2, allow_nan=False, ensure_ascii=False)
