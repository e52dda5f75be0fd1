"""Visit: each required customer exactly once, each other at most once."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return f"{len(instance.customers)} customers, {int(instance.required.sum())} required"


def _check(context: Context) -> Verdict:
    instance, counts = context.instance, context.counts
    customer = instance.kinds == Kind.CUSTOMER
    wrong = (customer & (counts > 1)) | (instance.required & (counts == 0))

    def say(index: tuple[int, ...]) -> Violation:
        node, times = index[0], int(counts[index[0]])
        what = "is not visited" if times == 0 else f"is visited {times} times"
        route, position = (int(place[node]) for place in context.place)
        message = f"customer {instance.node_ids[node]} {what}"
        if times == 0:
            return Violation("visit", message, node=node)
        return Violation("visit", message, route, position, node)

    return faults("visit", np.asarray(wrong), say)


def _probe() -> Probe:
    return Probe(line_instance([0, 1, 2]), BASIC, plan((0, 1, 2, 0)), plan((0, 1, 0)))


constraint = Constraint(
    "visit",
    "every customer once",
    "Each required customer is visited exactly once, each optional one at most once.",
    "customers",
    _evidence,
    _check,
    _probe,
)
