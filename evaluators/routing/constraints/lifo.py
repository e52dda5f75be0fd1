"""Last in, first out: pairs in one route are nested or apart, never crossing."""

import numpy as np

from ..instance import RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, faults, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    return "the instance says so" if instance.lifo and len(instance.pairs) else None


def _check(context: Context) -> Verdict:
    instance = context.instance
    route, position = context.place
    first, second = instance.pairs[:, 0], instance.pairs[:, 1]
    begin, end = position[first], position[second]
    whole = (route[first] >= 0) & (route[first] == route[second]) & (begin < end)
    same = (route[first][:, None] == route[first][None, :]) & whole[:, None] & whole[None, :]
    # pair j is loaded while i is on board, and still there when i is unloaded
    crossing = same & (begin[:, None] < begin[None, :]) & (begin[None, :] < end[:, None])
    crossing &= end[:, None] < end[None, :]

    def say(index: tuple[int, ...]) -> Violation:
        below, above = index
        node = int(second[below])
        names = [instance.node_ids[int(second[pair])] for pair in (below, above)]
        message = f"delivery {names[0]} comes while the later load of {names[1]} stands before it"
        return Violation("lifo", message, int(route[node]), int(position[node]), node)

    return faults("lifo", np.asarray(crossing), say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2, 3, 4],
        pairs=[(1, 3), (2, 4)],
        pickups=[0, 1, 1, 0, 0],
        deliveries=[0, 0, 0, 1, 1],
        lifo=True,
    )
    names = BASIC | {"pickup_delivery", "lifo"}
    return Probe(instance, names, plan((0, 2, 1, 3, 4, 0)), plan((0, 1, 2, 3, 4, 0)))


constraint = Constraint(
    "lifo",
    "last in, first out",
    "What was loaded last is unloaded first: pairs in one route never cross.",
    "pairs",
    _evidence,
    _check,
    _probe,
)
