"""Multiple depots: a vehicle starts and ends where it belongs, or ends where it started."""

import numpy as np

from ..instance import ANY, Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    count = len(instance.depots)
    return f"{count} depots" if count > 1 else None


def _check(context: Context) -> Verdict:
    trace, fleet = context.trace, context.instance.fleet
    rows = np.arange(len(trace.last))
    begin, end = trace.stops[:, 0], trace.stops[rows, trace.last]
    home = fleet.start_depot[trace.vehicle]
    target = fleet.end_depot[trace.vehicle]
    target = np.where(target == ANY, begin, target)
    returns = (trace.kinds[rows, trace.last] == Kind.DEPOT) & (trace.last > 0)
    starts = trace.kinds[:, 0] == Kind.DEPOT
    wrong = np.stack([starts & (home != ANY) & (begin != home), returns & (end != target)], axis=1)

    def say(index: tuple[int, ...]) -> Violation:
        route, ending = index
        position = int(trace.last[route]) if ending else 0
        name = context.node(route, position)
        wanted = context.instance.node_ids[int((target if ending else home)[route])]
        verb = "ends" if ending else "begins"
        message = f"route {route + 1} {verb} at depot {name} instead of {wanted}"
        node = int(trace.stops[route, position])
        return Violation("multi_depot", message, route, position, node)

    return faults("multi_depot", wrong, say)


def _probe() -> Probe:
    kinds = [Kind.DEPOT, Kind.DEPOT, Kind.CUSTOMER, Kind.CUSTOMER]
    instance = line_instance([0, 10, 4, 6], kinds=kinds)
    return Probe(instance, BASIC | {"multi_depot"}, plan((0, 2, 0), (1, 3, 1)), plan((0, 2, 3, 1)))


constraint = Constraint(
    "multi_depot",
    "several depots",
    "A route begins and ends at its vehicle's depots; a vehicle without one ends where it began.",
    "routes",
    _evidence,
    _check,
    _probe,
)
