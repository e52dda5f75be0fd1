"""Incompatible goods: two customers never in one vehicle."""

import numpy as np

from ..instance import RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    count = len(instance.incompatible)
    return f"{count} incompatible pairs" if count else None


def _check(context: Context) -> Verdict:
    instance = context.instance
    route, position = context.place
    one, other = instance.incompatible[:, 0], instance.incompatible[:, 1]
    together = (route[one] == route[other]) & (route[one] >= 0)

    def say(index: tuple[int, ...]) -> Violation:
        node = int(other[index[0]])
        names = [instance.node_ids[int(pair[index[0]])] for pair in (one, other)]
        where = int(route[node])
        message = f"route {where + 1} carries {names[0]} and {names[1]}, which may not meet"
        return Violation("incompatible", message, where, int(position[node]), node)

    return faults("incompatible", np.asarray(together), say)


def _probe() -> Probe:
    instance = line_instance([0, 1, 2], incompatible=[(1, 2)])
    names = BASIC | {"incompatible"}
    return Probe(instance, names, plan((0, 1, 0), (0, 2, 0)), plan((0, 1, 2, 0)))


constraint = Constraint(
    "incompatible",
    "incompatible goods",
    "Customers whose goods are incompatible are never in one vehicle.",
    "pairs",
    _evidence,
    _check,
    _probe,
)
