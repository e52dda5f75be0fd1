"""For each rule: instances on which it binds, with plans that keep it and plans that break it.

Each maker yields candidates, the best first; what yields a probe is decided by the checker.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..instance import Battery, Kind, RoutingInstance
from ..plan import Plan, Route
from .candidates import Candidate, between
from .pool import Judged, Pool
from .small import customers_of, whole
from .tighten_windows import time_windows

Maker = Callable[[Pool], Iterator[Candidate]]
LOAD_RULES = ("capacity", "mixed_backhaul", "mixed_backhaul_staged")


def _pairs_by_need(pool: Pool, needs: Callable[[Judged], float]) -> Iterator[tuple[Judged, Judged]]:
    """Yield plans of small need with plans of great need."""
    ranked = sorted(pool.good, key=needs)
    for distance in range(len(ranked) - 1, 0, -1):
        for low in range(0, min(4, len(ranked) - distance)):
            yield ranked[low], ranked[low + distance]


def changed_fleet(instance: RoutingInstance, **fields: object) -> RoutingInstance:
    """Return the instance with other fields of the fleet."""
    return replace(instance, fleet=replace(instance.fleet, **fields))  # type: ignore[arg-type]


def _limit(field: str, name: str) -> Maker:
    """Maker for a limit of the whole route: between what two plans need."""

    def maker(pool: Pool) -> Iterator[Candidate]:
        limits = getattr(pool.instance.fleet, field)
        wide = float(limits.max())

        def need(one: Judged) -> float:
            return wide - one.slack(name)

        integer = whole(limits) and whole(pool.instance.distances)
        for accepted, rejected in _pairs_by_need(pool, need):
            limit = between(need(accepted), need(rejected), integer)
            if limit is not None:
                tight = changed_fleet(pool.instance, **{field: np.full_like(limits, limit)})
                yield "", tight, accepted.plan, rejected.plan

    return maker


def _load(name: str) -> Maker:
    """Maker for a rule of loads: the other rules of loads have to have room."""

    def maker(pool: Pool) -> Iterator[Candidate]:
        capacity = pool.instance.fleet.capacity
        wide = float(capacity.max())
        integer = whole(pool.instance.deliveries) and whole(pool.instance.pickups)

        def need(one: Judged, rule: str = name) -> float:
            slack = one.slack(rule)
            return wide - slack if np.isfinite(slack) else 0.0

        others = [rule for rule in LOAD_RULES if rule in pool.names and rule != name]
        for strict in (True, False):
            for accepted, rejected in _pairs_by_need(pool, need):
                low = max(need(accepted, rule) for rule in (name, *others))
                if strict:
                    low = max([low, *(need(rejected, rule) for rule in others)])
                limit = between(low, need(rejected), integer) if low < need(rejected) else None
                if limit is not None:
                    share = np.where(np.isfinite(capacity), limit, np.inf)
                    yield (
                        "",
                        changed_fleet(pool.instance, capacity=share),
                        accepted.plan,
                        rejected.plan,
                    )

    return maker


def visit(pool: Pool) -> Iterator[Candidate]:
    """Drop a customer, visit one twice, visit a node that does not exist."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            places = [p for p, s in enumerate(route.stops) if s in pool.instance.customers]
            for at in places if len(places) > 1 else ():
                stops = route.stops
                plans = {
                    "a customer is left out": stops[:at] + stops[at + 1 :],
                    "a customer is visited twice": stops[: at + 1] + stops[at:],
                    "a node does not exist": (*stops[:at], pool.instance.size, *stops[at + 1 :]),
                }
                for kind, changed in plans.items():
                    yield kind, pool.instance, one.plan, _with_route(one.plan, index, changed)


def depot(pool: Pool) -> Iterator[Candidate]:
    """Begin at a customer; pass a depot on the way."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            served = len(customers_of(pool.instance, route.stops))
            if served >= 2:
                stops = route.stops
                inner = (*stops[:2], stops[0], *stops[2:])
                kinds = {"no depot at the start": stops[1:], "a depot on the way": inner}
                for kind, changed in kinds.items():
                    yield kind, pool.instance, one.plan, _with_route(one.plan, index, changed)


def closed(pool: Pool) -> Iterator[Candidate]:
    """Do not return."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            yield "", pool.instance, one.plan, _with_route(one.plan, index, route.stops[:-1])


def open_routes(pool: Pool) -> Iterator[Candidate]:
    """Return where nobody has to."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            longer = (*route.stops, route.stops[0])
            yield "", pool.instance, one.plan, _with_route(one.plan, index, longer)


def multi_depot(pool: Pool) -> Iterator[Candidate]:
    """Return to another depot; begin at a depot that is not the vehicle's."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            for other in pool.instance.depots.tolist():
                if other != route.stops[-1] and pool.instance.kinds[route.stops[-1]] == Kind.DEPOT:
                    stops = (*route.stops[:-1], other)
                    yield "", pool.instance, one.plan, _with_route(one.plan, index, stops)
                if other != route.stops[0]:
                    stops = (other, *route.stops[1:])
                    yield "", pool.instance, one.plan, _with_route(one.plan, index, stops)


def fleet(pool: Pool) -> Iterator[Candidate]:
    """Use one vehicle more than there is."""
    single = pool.instance.fleet.types == 1
    by_routes = sorted(pool.good, key=lambda one: len(one.plan.routes))
    for accepted in by_routes[:4]:
        count = len(accepted.plan.routes)
        tight = pool.instance
        if single:
            tight = changed_fleet(tight, available=np.full_like(tight.fleet.available, count))
        for index, route in enumerate(accepted.plan.routes):
            for at in range(2, len(route.stops) - 1):
                yield "", tight, accepted.plan, _split(accepted.plan, index, at, pool.names)
        for rejected in reversed(by_routes):
            if len(rejected.plan.routes) > count:
                yield "", tight, accepted.plan, rejected.plan
        for rejected in pool.wild:
            yield "", tight, accepted.plan, rejected.plan
        if not single:
            first, *others = accepted.plan.routes
            unknown = replace(first, vehicle=tight.fleet.types)
            yield "no such vehicle type", tight, accepted.plan, Plan((unknown, *others))


def _split(plan: Plan, index: int, at: int, names: frozenset[str]) -> Plan:
    """Cut one route in two, of the same vehicle type."""
    route = plan.routes[index]
    end = () if "open" in names else (route.stops[-1],)
    first = replace(route, stops=(*route.stops[:at], *end))
    second = replace(route, stops=(route.stops[0], *route.stops[at:]))
    return Plan((*plan.routes[:index], first, second, *plan.routes[index + 1 :]))


def arcs(pool: Pool) -> Iterator[Candidate]:
    """Forbid a way that one plan uses and the other does not."""
    for rejected in pool.good[:8]:
        for accepted in pool.good[:8]:
            for way in sorted(_ways(rejected.plan) - _ways(accepted.plan)):
                matrix = pool.instance.distances.copy()
                matrix[way] = np.inf
                tight = replace(pool.instance, distances=matrix, durations=matrix)
                yield "", tight, accepted.plan, rejected.plan


def _ways(plan: Plan) -> set[tuple[int, int]]:
    return {
        pair for route in plan.routes for pair in zip(route.stops, route.stops[1:], strict=False)
    }


def by_order(pool: Pool) -> Iterator[Candidate]:
    """Rules of order and place: any wild plan may break just one of them."""
    for accepted in pool.good[:1]:
        for rejected in pool.wild:
            yield "", pool.instance, accepted.plan, rejected.plan


def precedence(pool: Pool) -> Iterator[Candidate]:
    """Move one customer elsewhere in its route, or take any wild plan."""
    for one in pool.good[:6]:
        for index, route in enumerate(one.plan.routes):
            places = [p for p, s in enumerate(route.stops) if s in pool.instance.customers]
            for at in places:
                rest = route.stops[:at] + route.stops[at + 1 :]
                for to in places:
                    stops = (*rest[:to], route.stops[at], *rest[to:])
                    yield "", pool.instance, one.plan, _with_route(one.plan, index, stops)
    yield from by_order(pool)


def battery(pool: Pool) -> Iterator[Candidate]:
    """Shrink the battery between what two plans need."""
    given = pool.instance.battery
    if given is None:
        return
    integer = given.capacity.is_integer() and whole(pool.instance.distances)

    def need(one: Judged) -> float:
        return given.capacity - one.slack("battery")

    stations = set(pool.instance.stations.tolist())

    def charged(one: Judged) -> bool:
        return any(stop in stations for route in one.plan.routes for stop in route.stops)

    pairs = [
        (low, high)
        for low, high in _pairs_by_need(pool, need)
        if need(high) > need(low) and charged(low) and not charged(high)
    ]
    for accepted, rejected in [*pairs, *_pairs_by_need(pool, need)]:
        limit = between(need(accepted), need(rejected), integer)
        if limit is not None:
            smaller = Battery(limit, given.consumption, given.recharge_time)
            yield "", replace(pool.instance, battery=smaller), accepted.plan, rejected.plan


def site_dependence(pool: Pool) -> Iterator[Candidate]:
    """Bar a vehicle type from a customer that it serves in one plan and not in the other."""
    for rejected in pool.good[:12]:
        for accepted in pool.good[:12]:
            for kind, node in sorted(_served(pool, rejected.plan) - _served(pool, accepted.plan)):
                allowed = pool.instance.fleet.allowed.copy()
                allowed[kind, node] = False
                yield (
                    "",
                    changed_fleet(pool.instance, allowed=allowed),
                    accepted.plan,
                    rejected.plan,
                )


def _served(pool: Pool, plan: Plan) -> set[tuple[int, int]]:
    return {
        (route.vehicle, stop)
        for route in plan.routes
        for stop in customers_of(pool.instance, route.stops)
    }


def groups(pool: Pool) -> Iterator[Candidate]:
    """Visit two customers of one group, or none."""
    for one in pool.good[:12]:
        for index, route in enumerate(one.plan.routes):
            if len(customers_of(pool.instance, route.stops)) < 2:
                continue
            for group in pool.instance.groups:
                inside = [stop for stop in group if stop in route.stops]
                for stop in inside:
                    without = tuple(other for other in route.stops if other != stop)
                    plan = _with_route(one.plan, index, without)
                    yield "no customer of a group", pool.instance, one.plan, plan
                    for other in set(group) - set(inside):
                        at = route.stops.index(stop)
                        both = (*route.stops[:at], other, *route.stops[at:])
                        plan = _with_route(one.plan, index, both)
                        yield "two customers of a group", pool.instance, one.plan, plan


def reloads(pool: Pool) -> Iterator[Candidate]:
    """Reload where a vehicle may not: at no depot in one instance, by one type in the other."""
    for one in pool.good:
        for index, route in enumerate(one.plan.routes):
            stops = route.stops
            if len(customers_of(pool.instance, stops)) < 2:
                continue
            twice = _with_route(one.plan, index, (*stops[:2], stops[0], *stops[2:]))
            may = pool.instance.fleet.reload_depots.copy()
            trips = pool.instance.fleet.max_trips.copy()
            may[route.vehicle], trips[route.vehicle] = False, 1
            tight = changed_fleet(pool.instance, reload_depots=may, max_trips=trips)
            yield "", tight, one.plan, twice


def _with_route(plan: Plan, index: int, stops: tuple[int, ...]) -> Plan:
    route = Route(stops, plan.routes[index].vehicle)
    return Plan((*plan.routes[:index], route, *plan.routes[index + 1 :]))


MAKERS: dict[str, Maker] = {
    "visit": visit,
    "depot": depot,
    "closed": closed,
    "open": open_routes,
    "multi_depot": multi_depot,
    "fleet": fleet,
    "arcs": arcs,
    "capacity": _load("capacity"),
    "backhaul": by_order,
    "mixed_backhaul": _load("mixed_backhaul"),
    "mixed_backhaul_staged": _load("mixed_backhaul_staged"),
    "pickup_delivery": by_order,
    "lifo": by_order,
    "precedence": precedence,
    "skills": by_order,
    "site_dependence": site_dependence,
    "incompatible": by_order,
    "groups": groups,
    "reloads": reloads,
    "distance_limit": _limit("max_distance", "distance_limit"),
    "duration_limit": _limit("max_duration", "duration_limit"),
    "driving_limit": _limit("max_driving", "driving_limit"),
    "time_windows": time_windows,
    "battery": battery,
}
