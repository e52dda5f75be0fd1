"""Battery: an electric vehicle never runs empty; stations recharge it fully."""

import numpy as np

from ..instance import Battery, Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    if instance.battery is None:
        return None
    return f"a battery of {instance.battery.capacity:g} and {len(instance.stations)} stations"


def _check(context: Context) -> Verdict:
    trace, battery = context.trace, context.instance.battery
    limit = battery.capacity if battery is not None else 0.0
    slack = np.where(trace.mask, trace.battery, np.inf)

    def say(index: tuple[int, ...]) -> Violation:
        route, position = index
        name = context.node(route, position)
        message = (
            f"route {route + 1} reaches {name} with {-slack[route, position]:g} too little energy"
        )
        return Violation("battery", message, route, position, int(trace.stops[route, position]))

    return judge("battery", slack, limit, say)


def _probe() -> Probe:
    kinds = [Kind.DEPOT, Kind.CUSTOMER, Kind.CUSTOMER, Kind.STATION]
    instance = line_instance([0, 3, 6, 7], kinds=kinds, battery=Battery(8.0, 1.0, 0.5))
    names = BASIC | {"battery"}
    return Probe(instance, names, plan((0, 1, 2, 3, 0)), plan((0, 1, 2, 0)))


constraint = Constraint(
    "battery",
    "battery and recharging stations",
    "The battery, full at depots and after each station, never runs empty; it drains in "
    "proportion to distance, and recharging takes time in proportion to what is missing.",
    "energy",
    _evidence,
    _check,
    _probe,
)
