"""Random plans of small instances: orderly ones that keep rules of order, and wild ones."""

from collections.abc import Sequence

import numpy as np

from ..instance import UNLIMITED, RoutingInstance
from ..loads import unpaired
from ..plan import Plan, Route


def random_plan(
    instance: RoutingInstance, names: frozenset[str], rng: np.random.Generator, *, orderly: bool
) -> Plan:
    """Return a plan with a random partition of the customers into routes.

    Args:
        instance: a small one.
        names: rules; ``open`` decides the ends of routes.
        rng: the source of chance.
        orderly: keep pairs, precedence and the backhaul rule by construction.
    """
    visits = _visited(instance, rng)
    order = _topological(instance, visits, rng) if orderly else rng.permutation(visits).tolist()
    most = _most_routes(instance, len(order))
    count = int(rng.integers(1, most + 1))
    parts = _parts(order, count, instance if orderly else None, rng)
    types = _types(instance, len(parts), rng)
    routes = []
    for part, kind in zip(parts, types, strict=True):
        if orderly and "backhaul" in names:
            part = _deliveries_first(instance, part)
        routes.append(_route(instance, names, part, kind, rng))
    return Plan(tuple(routes))


def _visited(instance: RoutingInstance, rng: np.random.Generator) -> list[int]:
    grouped = {row for group in instance.groups for row in group}
    chosen = [int(rng.choice(group)) for group in instance.groups]
    for row in instance.customers.tolist():
        if row not in grouped and (instance.required[row] or rng.random() < 0.8):
            chosen.append(row)
    return chosen


def _most_routes(instance: RoutingInstance, visits: int) -> int:
    available = instance.fleet.available
    total = visits if (available == UNLIMITED).any() else int(available.sum())
    return max(1, min(visits, total, 4))


def _topological(
    instance: RoutingInstance, visits: Sequence[int], rng: np.random.Generator
) -> list[int]:
    """Return a random order in which nobody comes before whom it must follow; pairs count too."""
    left = set(visits)
    rules = [(int(a), int(b)) for a, b in [*instance.precedence, *instance.pairs]]
    order: list[int] = []
    while left:
        blocked = {b for a, b in rules if a in left}
        free = sorted(left - blocked) or sorted(left)
        order.append(int(rng.choice(free)))
        left.discard(order[-1])
    return order


def _parts(
    order: Sequence[int], count: int, instance: RoutingInstance | None, rng: np.random.Generator
) -> list[list[int]]:
    """Deal the customers, in their order, to routes; pairs go together where instance is given."""
    owner = {row: int(rng.integers(count)) for row in order}
    if instance is not None:
        for pickup, delivery in instance.pairs.tolist():
            if pickup in owner and delivery in owner:
                owner[delivery] = owner[pickup]
    parts = [[row for row in order if owner[row] == number] for number in range(count)]
    return [part for part in parts if part]


def _types(instance: RoutingInstance, count: int, rng: np.random.Generator) -> list[int]:
    """Give each route a vehicle type, none more often than there are vehicles while it can."""
    fleet = instance.fleet
    pool = [
        kind
        for kind in range(fleet.types)
        for _ in range(count if fleet.available[kind] == UNLIMITED else int(fleet.available[kind]))
    ]
    pool += [0] * (count - len(pool))
    return [int(kind) for kind in rng.permutation(pool)[:count]]


def _deliveries_first(instance: RoutingInstance, part: Sequence[int]) -> list[int]:
    _, pickups = unpaired(instance)
    return sorted(part, key=lambda row: bool((pickups[row] > 0).any()))


def _route(
    instance: RoutingInstance,
    names: frozenset[str],
    part: Sequence[int],
    kind: int,
    rng: np.random.Generator,
) -> Route:
    """Add depots, and now and then a station."""
    home, target = int(instance.fleet.start_depot[kind]), int(instance.fleet.end_depot[kind])
    home = home if home >= 0 else int(rng.choice(instance.depots))
    stops = list(part)
    for _ in range(int(rng.integers(0, 3)) if len(instance.stations) else 0):
        last = len(stops) - 1 if "open" in names else len(stops)
        stops.insert(int(rng.integers(0, last + 1)), int(rng.choice(instance.stations)))
    ends = [] if "open" in names else [target if target >= 0 else home]
    return Route((home, *stops, *ends), kind)
