"""Skills: a vehicle has every skill that a customer needs."""

import numpy as np

from ..instance import RoutingInstance, make_fleet
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    needing = int(instance.skills.any(axis=1).sum())
    return f"{needing} nodes need skills" if needing else None


def _check(context: Context) -> Verdict:
    trace, instance = context.trace, context.instance
    owned = instance.fleet.skills[trace.vehicle][:, None, :]
    missing = (instance.skills[trace.stops] & ~owned).any(axis=2) & trace.mask

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        message = f"the vehicle of route {route + 1} lacks a skill that {name} needs"
        return Violation("skills", message, route, position, int(trace.stops[route, position]))

    return faults("skills", np.asarray(missing), say)


def _probe() -> Probe:
    fleet = make_fleet(3, 2, skill_count=1, skills=[[False], [True]], fixed_cost=[0.0, 9.0])
    instance = line_instance([0, 1, 2], skills=[[False], [False], [True]], fleet=fleet)
    return Probe(
        instance,
        BASIC | {"skills"},
        plan((0, 1, 2, 0), vehicles=(1,)),
        plan((0, 1, 2, 0), vehicles=(0,)),
    )


constraint = Constraint(
    "skills",
    "skills",
    "The vehicle of a route has every skill that its customers need.",
    "stops",
    _evidence,
    _check,
    _probe,
)
