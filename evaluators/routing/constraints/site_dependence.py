"""Site dependence: a vehicle visits only customers that it may visit."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    barred = int((~instance.fleet.allowed).any(axis=0).sum())
    return f"{barred} customers are barred to some vehicle" if barred else None


def _check(context: Context) -> Verdict:
    trace = context.trace
    allowed = context.instance.fleet.allowed[trace.vehicle[:, None], trace.stops]

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        message = f"the vehicle of route {route + 1} may not visit {name}"
        node = int(trace.stops[route, position])
        return Violation("site_dependence", message, route, position, node)

    return faults("site_dependence", np.asarray(~allowed & trace.mask), say)


def _probe() -> Probe:
    allowed = [[True, True, False], [True, True, True]]
    fleet = make_fleet(3, 2, allowed=allowed, fixed_cost=[0.0, 9.0])
    return Probe(
        line_instance([0, 1, 2], fleet=fleet),
        BASIC | {"site_dependence"},
        plan((0, 1, 2, 0), vehicles=(1,)),
        plan((0, 1, 2, 0), vehicles=(0,)),
    )


constraint = Constraint(
    "site_dependence",
    "site dependence",
    "A vehicle visits only the customers that it may visit.",
    "stops",
    _evidence,
    _check,
    _probe,
)
