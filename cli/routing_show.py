"""How a routing problem, its questions and its plans are shown on a terminal."""

import unicodedata
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..agents.routing.session import Changed, RoutingSession, Solved
    from ..evaluators.routing.analysis import Analysis, Finding
    from ..evaluators.routing.checker import Report

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
_MANY = 12  # rows of a table before the rest is counted


def plain(text: str, style: str = "") -> Text:
    """Return text of files and models without control characters, which could move a terminal."""
    return Text("".join(" " if unicodedata.category(one) == "Cc" else one for one in text), style)


def make_console() -> Console:
    """Return the console of a conversation: standard output, wide where it is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160)


def show_problem(console: Console, session: "RoutingSession") -> None:
    """Show fields, rules with their evidence, findings and open questions."""
    from ..evaluators.routing.constraints import VOCABULARY

    analysis, instance = session.analysis, session.task.instance
    facts = analysis.reading.facts
    stations = f", {len(instance.stations)} stations" if len(instance.stations) else ""
    console.print(
        plain(
            f"{instance.name}  ({facts.format}{', TYPE ' + facts.type_name if facts.type_name else ''})"
            f"  {len(instance.depots)} depot{'s' * (len(instance.depots) > 1)}, "
            f"{len(instance.customers)} customers{stations}",
            style="bold",
        ),
        soft_wrap=True,
    )
    if analysis.fields:
        console.print(
            plain("Fields  " + ", ".join(dict.fromkeys(name for name, _ in analysis.fields)))
        )
    table = _table("Rules", ("rule", "meaning", "why", "from"))
    for one in analysis.constraints:
        table.add_row(one.name, VOCABULARY[one.name].title, plain(one.evidence), one.source)
    for rule in session.task.extra:
        table.add_row(plain(rule.label), plain(rule.meaning), plain(rule.request), "a model")
    console.print(table)
    objective = ", then ".join(session.task.order)
    console.print(plain(f"Objective  {objective}    Distances  {session.task.rounding}"))
    show_findings(console, analysis)
    show_questions(console, session)


def show_findings(console: Console, analysis: "Analysis") -> None:
    """Show contradictions and peculiarities, the worst first."""
    for finding in analysis.findings:
        show_finding(console, finding)


def show_finding(console: Console, finding: "Finding") -> None:
    """Show one finding."""
    nodes = f" (nodes {', '.join(finding.nodes)})" if finding.nodes else ""
    line = plain(f"{finding.severity.value:<8}", style=_STYLES[finding.severity.value])
    line.append_text(plain(f"{finding.topic}: {finding.message}{nodes}", "default"))
    console.print(line, soft_wrap=True)


def show_questions(console: Console, session: "RoutingSession") -> None:
    """Show what the data do not say."""
    if not session.questions:
        return
    console.print(plain("Open questions (the default holds until you answer)", style="bold"))
    for question in session.questions:
        options = " | ".join(question.options)
        console.print(
            plain(f"  {question.key}: {question.text} [{question.default}] {options}"),
            soft_wrap=True,
        )
        console.print(plain(f"      {question.reason}", style="dim"), soft_wrap=True)


def show_changed(console: Console, changed: "Changed") -> None:
    """Show new contradictions, and how the latest plan fares under the changed problem."""
    for finding in changed.findings:
        show_finding(console, finding)
    if changed.lost:
        console.print(plain(f"The plan no longer applies: {changed.lost}", style="yellow"))
    elif changed.report is None:
        return
    elif changed.report.feasible:
        console.print(plain("The latest plan keeps the changed rules too."), style="green")
    else:
        violation = changed.report.violations[0]
        text = (
            f"The latest plan breaks it: {violation.constraint}: {violation.message}. Solve again."
        )
        console.print(plain(text, style="yellow"), soft_wrap=True)


def show_solved(
    console: Console, session: "RoutingSession", solved: "Solved", report: "Report"
) -> None:
    """Show a verified plan: where it comes from, what it costs, its routes."""
    for one in solved.tried:
        console.print(plain(f"{one.solver}: {one.why}", style="yellow"), soft_wrap=True)
    names = [level_name(level) for level in session.task.objective.levels]
    values = ", ".join(
        f"{name} {value:g}" for name, value in zip(names, report.values, strict=True)
    )
    origin = {"memory": "solver from memory", "created": "created solver"}.get(
        solved.source, "reference solver"
    )
    head = plain("Verified plan  ", style="bold green")
    head.append(f"{values}  by {solved.solver} ({origin}) in {solved.seconds:.1f} s")
    console.print(head, soft_wrap=True)
    if session.task.extra:
        labels = ", ".join(rule.label for rule in session.task.extra)
        console.print(plain(f"checked by generated rules too: {labels}", "yellow"))
    if solved.gap is not None:
        better = "; for these rules it is the better tool" if solved.gap > 0 else ""
        gap = f"{solved.gap:+.2f} % against {solved.reference_solver} in equal time{better}"
        console.print(plain(gap, "dim"))
    for note in solved.notes:
        console.print(plain(note, style="dim"), soft_wrap=True)
    show_routes(console, session, solved, report)


def level_name(level: tuple[tuple[str, float], ...]) -> str:
    """Return the words for a level of an objective."""
    return " + ".join(name.replace("_", " ") for name, _ in level)


def show_routes(
    console: Console, session: "RoutingSession", solved: "Solved", report: "Report"
) -> None:
    """Show one line for each route."""
    trace = report.trace
    if trace is None:
        return
    table = _table("Routes", ("#", "vehicle", "stops", "distance", "duration"), right=(0, 3, 4))
    types = session.task.instance.fleet.types
    for index, route in enumerate(solved.routes):
        vehicle = str(route.vehicle + 1) if types > 1 else ""
        table.add_row(
            str(index + 1),
            vehicle,
            plain(" ".join(route.stops)),
            f"{trace.distance[index]:g}",
            f"{trace.duration[index]:g}",
        )
    console.print(table)


def show_slack(console: Console, report: "Report") -> None:
    """Show the margin of each rule, the tightest place of all."""
    from ..evaluators.routing.constraints import VOCABULARY

    table = _table("Slack (the smallest margin)", ("rule", "slack", "unit"), right=(1,))
    for name, verdict in report.verdicts.items():
        slack = "no limit" if verdict.slack == float("inf") else f"{verdict.slack:g}"
        table.add_row(name, slack, VOCABULARY[name].unit)
    console.print(table)


def _table(title: str, columns: tuple[str, ...], right: tuple[int, ...] = ()) -> Table:
    from rich.box import SIMPLE

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place in right else "left", overflow="fold")
    return table


def show_schedule(console: Console, session: "RoutingSession", report: "Report") -> None:
    """Show one table of stops for each route: arrival, start of service, departure."""
    from ..agents.routing.changes import time_of_day

    instance, trace = session.task.instance, report.trace
    if trace is None:
        return
    for index in range(len(trace.stops)):
        table = _table(f"Route {index + 1}", ("stop", "arrival", "start", "departure"), (1, 2, 3))
        for place in range(int(trace.last[index]) + 1):
            times = (trace.arrival, trace.start, trace.departure)
            row = [time_of_day(instance, round(float(one[index, place]), 9)) for one in times]
            table.add_row(plain(instance.node_ids[int(trace.stops[index, place])]), *row)
        console.print(table)
