"""One HTML page with a map, the schedule and the slack of a plan; it needs no network."""

import base64
import hashlib
import html
import json
from pathlib import Path
from typing import Any

from ..checker import Report
from ..instance import Kind, RoutingInstance
from ..plan import Plan
from .layout import DASHES, colours, positions
from .tables import Table, route_labels, schedule_table, shown, slack_table, traced

_HERE = Path(__file__).parent
_SYMBOLS = {Kind.DEPOT: "square", Kind.CUSTOMER: "circle", Kind.STATION: "diamond"}


def map_page(instance: RoutingInstance, plan: Plan, report: Report, path: str | Path) -> Path:
    """Write the page and return its path; the file is replaced in one step.

    Raises:
        RoutingError: the plan has no course.
        OSError: the file cannot be written.
    """
    file = Path(path)
    page = render_page(instance, plan, report)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.partial")
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(file)
    return file


def render_page(instance: RoutingInstance, plan: Plan, report: Report) -> str:
    """Return the page's HTML. Names come from files: all are escaped, and only our scripts run."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    script = (_HERE / "page.js").read_text(encoding="utf-8")
    scripts = [get_plotlyjs().replace("\r", ""), script]
    loader = FileSystemLoader(_HERE)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters["shown"] = shown
    labels = route_labels(report)
    return environment.get_template("page.html.j2").render(
        name=instance.name,
        units=instance.units,
        report=report,
        labels=labels,
        colours=colours(len(labels)),
        made_up=positions(instance)[1],
        missed=_missed(instance, plan),
        schedule=schedule_table(instance, report),
        slack=slack_table(report),
        numeric=_numeric,
        data=embedded(figure(instance, plan, report)),
        style=(_HERE / "page.css").read_text(encoding="utf-8"),
        scripts=scripts,
        hashes=[_hash(one) for one in scripts],
    )


def figure(instance: RoutingInstance, plan: Plan, report: Report) -> dict[str, Any]:
    """Return the map's traces: a line with arrows for each route, and marks for the nodes."""
    places, _ = positions(instance)
    labels = route_labels(report)
    routes = []
    for number, (route, label) in enumerate(zip(plan.routes, labels, strict=True)):
        stops = list(route.stops)
        routes.append(
            {
                "name": f"route {label}",
                "x": places[stops, 0].tolist(),
                "y": places[stops, 1].tolist(),
                "text": [_text(instance.node_ids[stop]) for stop in stops],
                "colour": colours(len(labels))[number],
                "dash": DASHES[number // 8 % len(DASHES)],
                "open": bool(instance.kinds[stops[-1]] != Kind.DEPOT),
            }
        )
    return {"routes": routes, "nodes": _nodes(instance, report, places)}


def _nodes(instance: RoutingInstance, report: Report, places: Any) -> list[dict[str, Any]]:
    trace = traced(report)
    said: dict[int, list[str]] = {}
    for route, position in zip(*trace.mask.nonzero(), strict=True):
        row = int(trace.stops[route, position])
        if instance.kinds[row] != Kind.DEPOT:
            start = shown(float(trace.start[route, position]))
            said.setdefault(row, []).append(f"route {route + 1}, stop {position}, start {start}")
    found = []
    for kind, symbol in _SYMBOLS.items():
        rows = [row for row in range(instance.size) if instance.kinds[row] == kind]
        if not rows:
            continue
        hover = []
        for row in rows:
            extra = said.get(row, [] if kind != Kind.CUSTOMER else ["not visited"])
            hover.append(
                "<br>".join([f"{kind.name.lower()} {_text(instance.node_ids[row])}", *extra])
            )
        found.append(
            {
                "name": f"{kind.name.lower()}s",
                "symbol": symbol,
                "x": places[rows, 0].tolist(),
                "y": places[rows, 1].tolist(),
                "names": [_text(instance.node_ids[row]) for row in rows],
                "hover": hover,
                "missed": [kind == Kind.CUSTOMER and row not in said for row in rows],
            }
        )
    return found


def _missed(instance: RoutingInstance, plan: Plan) -> list[str]:
    visited = {stop for route in plan.routes for stop in route.stops}
    return [instance.node_ids[row] for row in instance.customers.tolist() if row not in visited]


def _text(name: str) -> str:
    """Return a name for Plotly, which takes some tags in labels for markup."""
    return html.escape(name if len(name) <= 60 else f"{name[:59]}…")


def _numeric(table: Table, column: int) -> bool:
    return all(not isinstance(row[column], str) for row in table.rows)


def embedded(value: Any) -> str:
    """Return JSON that cannot end the script element which holds it."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(script: str) -> str:
    """Return a script's source expression for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
