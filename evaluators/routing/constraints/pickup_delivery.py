"""Pickup and delivery pairs: both in one route, the pickup first."""

import numpy as np

from ..instance import RoutingInstance
from .base import OPEN, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return f"{len(instance.pairs)} pairs" if len(instance.pairs) else None


def _check(context: Context) -> Verdict:
    instance = context.instance
    route, position = context.place
    first, second = instance.pairs[:, 0], instance.pairs[:, 1]
    apart = route[first] != route[second]
    reversed_ = ~apart & (route[first] >= 0) & (position[first] > position[second])

    def say(index: tuple[int, ...]) -> Violation:
        one, other = int(first[index[0]]), int(second[index[0]])
        names = f"pickup {instance.node_ids[one]} and delivery {instance.node_ids[other]}"
        what = "are not in one route" if apart[index[0]] else "are in reverse order"
        node = other if route[other] >= 0 else one
        where = (int(route[node]), int(position[node]))
        return Violation("pickup_delivery", f"{names} {what}", *where, node)

    return faults("pickup_delivery", np.asarray(apart | reversed_), say)


def _probe() -> Probe:
    instance = line_instance([0, 2, 1], pairs=[(1, 2)], pickups=[0, 1, 0], deliveries=[0, 0, 1])
    names = OPEN | {"pickup_delivery"}
    return Probe(instance, names, plan((0, 1, 2)), plan((0, 2, 1)))


constraint = Constraint(
    "pickup_delivery",
    "pickup and delivery pairs",
    "Both stops of a pair are in one route, the pickup before the delivery.",
    "pairs",
    _evidence,
    _check,
    _probe,
)
