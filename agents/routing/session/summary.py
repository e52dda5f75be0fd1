"""A session's problem and plan as plain data, for ``--json`` and for pages."""

from typing import TYPE_CHECKING, Any

from ....evaluators.routing.objectives import MEASURES

if TYPE_CHECKING:
    from ....evaluators.routing.checker import Report
    from .data import Solved
    from .session import RoutingSession

_SHOWN = ("cost", "distance", "duration", "vehicles")


def problem_summary(session: "RoutingSession") -> dict[str, Any]:
    """Return the analysis and the changes: fields, rules, findings, questions, objective."""
    analysis, instance = session.analysis, session.task.instance
    facts = analysis.reading.facts
    steps = session.data.steps
    return {
        "file": session.data.path,
        "name": instance.name,
        "format": facts.format,
        "type": facts.type_name,
        "depots": len(instance.depots),
        "customers": len(instance.customers),
        "stations": len(instance.stations),
        "units": dict(instance.units),
        "fields": [{"name": name, "meaning": meaning} for name, meaning in analysis.fields],
        "rules": [
            {"name": one.name, "evidence": one.evidence, "source": one.source}
            for one in analysis.constraints
        ],
        "findings": [
            {
                "severity": one.severity.value,
                "topic": one.topic,
                "message": one.message,
                "nodes": list(one.nodes),
            }
            for one in analysis.findings
        ],
        "questions": [
            {
                "key": one.key,
                "text": one.text,
                "options": list(one.options),
                "default": one.default,
                "reason": one.reason,
            }
            for one in session.questions
        ],
        "changes": [
            {
                "said": step.said,
                "sentence": session.sentences[place],
                "change": step.change.model_dump(mode="json"),
            }
            for place, step in enumerate(steps)
        ],
        "objective": list(session.task.order),
        "rounding": session.task.rounding,
    }


def plan_summary(session: "RoutingSession", solved: "Solved", report: "Report") -> dict[str, Any]:
    """Return a verified plan: values, routes with their schedule, and the slack of each rule.

    Distances and times are in the file's units, vehicles are rows of the fleet's types from 0; an
    infinite slack (nothing is limited) is null.
    """
    trace, instance = report.trace, session.task.instance
    assert trace is not None
    routes = [
        {
            "vehicle": route.vehicle,
            "stops": list(route.stops),
            "breaks_after": list(route.breaks),
            "distance": float(trace.distance[index]),
            "duration": float(trace.duration[index]),
            "driving": float(trace.driving[index]),
            "schedule": [
                {
                    "node": name,
                    "arrival": float(trace.arrival[index, place]),
                    "start": float(trace.start[index, place]),
                    "departure": float(trace.departure[index, place]),
                }
                for place, name in enumerate(route.stops)
            ],
        }
        for index, route in enumerate(solved.routes)
    ]
    return {
        "verified": report.feasible,
        "checked_by": solved.checked_by,
        "source": solved.source,
        "solver": solved.solver,
        "seconds": solved.seconds,
        "objective_values": list(report.values),
        "claimed_cost": solved.claimed,
        **{name: MEASURES[name][1](instance, trace) for name in _SHOWN},
        "reference_solver": solved.reference_solver or None,
        "reference_values": None if solved.reference is None else list(solved.reference),
        "gap_percent": solved.gap,
        "notes": list(solved.notes),
        "tried": [one.model_dump() for one in solved.tried],
        "routes": routes,
        "unvisited": _unvisited(session, solved),
        "slack": {name: verdict.slack for name, verdict in report.verdicts.items()},
    }


def _unvisited(session: "RoutingSession", solved: "Solved") -> list[str]:
    """Return the names of the customers that a plan leaves out."""
    instance = session.task.instance
    served = {stop for route in solved.routes for stop in route.stops}
    return [
        instance.node_ids[row] for row in instance.customers if instance.node_ids[row] not in served
    ]
