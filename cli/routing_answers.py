"""Answers to questions about a plan."""

from typing import TYPE_CHECKING

from rich.console import Console

from .routing_show import plain, show_schedule

if TYPE_CHECKING:
    from ..agents.routing.interpret import Ask
    from ..agents.routing.session import RoutingSession, Solved
    from ..evaluators.routing.checker import Report


def answer_about_plan(
    console: Console,
    session: "RoutingSession",
    solved: "Solved",
    report: "Report",
    ask: "Ask",
) -> None:
    """Answer a question about cost, vehicles, visits, schedule or gap."""
    topic = ask.topic
    if topic == "cost":
        _cost(console, session, report)
    elif topic == "vehicles":
        count = len(solved.routes)
        console.print(f"The plan uses {count} route{'s' * (count != 1)}.")
    elif topic == "visit":
        for name in ask.nodes:
            _visit(console, session, solved, report, name)
    elif topic == "gap":
        _gap(console, solved)
    else:
        show_schedule(console, session, report)


def _cost(console: Console, session: "RoutingSession", report: "Report") -> None:
    from ..evaluators.routing.objectives import MEASURES

    assert report.trace is not None
    instance = session.task.instance
    for name in ("cost", "distance", "duration", "vehicles"):
        value = MEASURES[name][1](instance, report.trace)
        console.print(f"  {name:<9} {value:g}  ({MEASURES[name][0]})")


def _visit(
    console: Console, session: "RoutingSession", solved: "Solved", report: "Report", name: str
) -> None:
    from ..agents.routing.changes import row_of, time_of_day

    assert report.trace is not None
    instance = session.task.instance
    wanted = instance.node_ids[row_of(instance, name)]
    for index, route in enumerate(solved.routes):
        if wanted in route.stops:
            place = route.stops.index(wanted)
            start = time_of_day(instance, float(report.trace.start[index, place]))
            console.print(
                plain(
                    f"Route {index + 1} visits {wanted} as stop {place}, service starts at {start}."
                )
            )
            return
    console.print(plain(f"The plan leaves {wanted} out."))


def _gap(console: Console, solved: "Solved") -> None:
    if solved.gap is not None:
        console.print(
            f"{solved.gap:+.2f} % against {solved.reference_solver} in equal time; nothing proves "
            "an optimum."
        )
    elif solved.source == "reference":
        console.print(f"It is {solved.solver}'s plan, the reference itself; no bound is known.")
    else:
        console.print("No reference solver has all of these rules, so no gap is known.")
