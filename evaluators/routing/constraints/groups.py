"""Groups: exactly one customer of each group is visited."""

import numpy as np

from ..instance import RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return f"{len(instance.groups)} groups" if instance.groups else None


def _check(context: Context) -> Verdict:
    instance, counts = context.instance, context.counts > 0
    served = np.array([int(counts[list(group)].sum()) for group in instance.groups], dtype=int)

    def say(index: tuple[int, ...]) -> Violation:
        names = ", ".join(instance.node_ids[node] for node in instance.groups[index[0]][:5])
        message = f"{served[index[0]]} customers of the group {names} are visited, wanted is one"
        return Violation("groups", message)

    return faults("groups", np.asarray(served != 1), say)


def _probe() -> Probe:
    instance = line_instance([0, 1, 2, 3], groups=[(2, 3)], required=[False, True, False, False])
    return Probe(instance, BASIC | {"groups"}, plan((0, 1, 2, 0)), plan((0, 1, 0)))


constraint = Constraint(
    "groups",
    "one customer of each group",
    "Exactly one customer of each group is visited (generalised routing).",
    "groups",
    _evidence,
    _check,
    _probe,
)
