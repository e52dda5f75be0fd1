"""Broken plans by constraint: an instance on which it binds, a good plan, at least six mutants.

Node i lies at place i of a line; node 0 is the depot unless a case says otherwise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eurisko.evaluators.routing import Battery, Kind, Plan, Route, RoutingInstance, make_fleet
from eurisko.evaluators.routing.constraints.base import BASIC, OPEN, line_instance

Stops = tuple[int, ...]
INF = np.inf
FIRST, SECOND = (0, 1, 2, 3, 0), (0, 4, 5, 6, 0)


@dataclass(frozen=True, eq=False)
class Case:
    """One constraint's instance, its rules, a plan that keeps them, and plans that break it."""

    instance: RoutingInstance
    names: frozenset[str]
    good: Plan
    mutants: dict[str, Plan]


def routes(*stops: Stops, on: Stops = ()) -> Plan:
    """Return a plan; ``on`` are the vehicle types."""
    types = on or (0,) * len(stops)
    return Plan(tuple(Route(one, kind) for one, kind in zip(stops, types, strict=True)))


def line(nodes: int = 7, **given: Any) -> RoutingInstance:
    """Return nodes at places 0, 1, 2, … of a line."""
    return line_instance(np.arange(nodes), **given)


def fleet(types: int = 1, nodes: int = 7, **given: Any) -> Any:
    """Return a fleet for seven nodes."""
    return make_fleet(nodes, types, **given)


def extra(kind: Kind) -> list[int]:
    """Return kinds of eight nodes whose last is a depot or a station."""
    return [Kind.DEPOT, *[Kind.CUSTOMER] * 6, kind]


ZIGZAGS = {
    "there and back": routes(FIRST, (0, 5, 4, 6, 0)),
    "back first": routes(FIRST, (0, 6, 4, 5, 0)),
    "all in one, zigzag": routes((0, 1, 6, 2, 5, 3, 4, 0)),
    "near between far": routes((0, 2, 3, 0), (0, 4, 1, 6, 5, 0)),
}
SHORT_VEHICLE = {
    "weak vehicle on the first": routes(FIRST, SECOND, on=(1, 0)),
    "weak vehicle on the second": routes(FIRST, SECOND, on=(0, 1)),
}


def structure() -> dict[str, Case]:
    """Visits, depots, ends, fleet, arcs."""
    arcs = line()
    for here, there in ((1, 2), (2, 4), (0, 5), (6, 0), (3, 1), (5, 3)):
        arcs.distances[here, there] = INF
    homes = fleet(4, 8, start_depot=[-1, 0, 7, 0], end_depot=[-1, 0, 7, 7])
    west = (7, 6, 5, 4, 7)
    open_first, open_second = FIRST[:-1], SECOND[:-1]
    return {
        "visit": Case(line(), BASIC, routes(FIRST, SECOND), {
            "drop": routes((0, 2, 3, 0), SECOND),
            "drop a route": routes(FIRST),
            "duplicate in a route": routes((0, 1, 1, 2, 3, 0), SECOND),
            "duplicate in another": routes((0, 1, 2, 3, 4, 0), SECOND),
            "one for another": routes((0, 2, 2, 3, 0), SECOND),
            "unknown node": routes((0, 1, 2, 3, 7, 0), SECOND),
            "negative node": routes((0, 1, -1, 2, 3, 0), SECOND),
        }),
        "depot": Case(line(), BASIC, routes(FIRST, SECOND), {
            "no start": routes((1, 2, 3, 0), SECOND),
            "no start on the second": routes(FIRST, (4, 5, 6, 0)),
            "starts at a customer of another": routes((4, 1, 2, 3, 0), SECOND),
            "passes the depot": routes((0, 1, 0, 2, 3, 0), SECOND),
            "leaves twice": routes((0, 0, 1, 2, 3, 0), SECOND),
            "no depot at all": routes((1, 2, 3), SECOND),
            "no stop": routes((), FIRST, SECOND),
        }),
        "closed": Case(line(8, kinds=extra(Kind.STATION)), BASIC, routes(FIRST, SECOND), {
            "first cut": routes(open_first, SECOND),
            "second cut": routes(FIRST, open_second),
            "both cut": routes(open_first, open_second),
            "ends at a station": routes((*open_first, 7), SECOND),
            "stays at the depot": routes((0,), FIRST, SECOND),
            "goes on after the return": routes((*FIRST, 4), SECOND),
        }),
        "open": Case(line(8, kinds=extra(Kind.STATION)), OPEN, routes(open_first, open_second), {
            "first returns": routes(FIRST, open_second),
            "second returns": routes(open_first, SECOND),
            "both return": routes(FIRST, SECOND),
            "ends at a station": routes((*open_first, 7), open_second),
            "stays at the depot": routes((0,), open_first, open_second),
            "returns from a station": routes((*open_first, 7, 0), open_second),
        }),
        "multi_depot": Case(
            line(8, kinds=extra(Kind.DEPOT), fleet=homes), BASIC | {"multi_depot"},
            routes(FIRST, west, on=(0, 2)), {
                "ends elsewhere": routes((0, 1, 2, 3, 7), west, on=(0, 2)),
                "ends elsewhere, too": routes(FIRST, (7, 6, 5, 4, 0), on=(0, 0)),
                "starts at the wrong home": routes(FIRST, west, on=(0, 1)),
                "starts at the other": routes(FIRST, west, on=(2, 2)),
                "does not end at its end": routes(FIRST, west, on=(3, 2)),
                "does not start at its start": routes(FIRST, west, on=(0, 3)),
                "leaves home for good": routes((0, 1, 2, 3, 7), west, on=(1, 2)),
            }),
        "fleet": Case(
            line(fleet=fleet(2, available=[1, 2])), BASIC | {"fleet"},
            routes((0, 1, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0), on=(0, 1, 1)), {
                "two of one": routes((0, 1, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0), on=(0, 0, 1)),
                "three of two": routes((0, 1, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0), on=(1, 1, 1)),
                "three of one": routes((0, 1, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0), on=(0, 0, 0)),
                "unknown vehicle": routes(FIRST, SECOND, on=(0, 2)),
                "negative vehicle": routes(FIRST, SECOND, on=(0, -1)),
                "one route more": routes(
                    (0, 1, 0), (0, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0), on=(0, 1, 1, 1)
                ),
            }),
        "arcs": Case(arcs, BASIC | {"arcs"}, routes((0, 1, 3, 2, 0), (0, 4, 6, 5, 0)), {
            "1 to 2": routes(FIRST, (0, 4, 6, 5, 0)),
            "2 to 4": routes((0, 1, 3, 2, 4, 0), (0, 6, 5, 0)),
            "from the depot": routes((0, 1, 3, 2, 0), (0, 5, 6, 4, 0)),
            "to the depot": routes((0, 1, 3, 2, 0), SECOND),
            "3 to 1": routes((0, 2, 3, 1, 0), (0, 4, 6, 5, 0)),
            "5 to 3": routes((0, 2, 1, 0), (0, 4, 6, 5, 3, 0)),
        }),
    }  # fmt: skip


def loads() -> dict[str, Case]:
    """Capacity, the three load rules, pairs, and the order of loads."""
    room = fleet(3, capacity=[[3, 6], [2, 9], [9, 5]], load_dimensions=2)
    two = [[0, 0], *[[1, 2]] * 6]
    back = {"deliveries": [0, 2, 2, 2, 0, 0, 0], "pickups": [0, 0, 0, 0, 2, 2, 2]}
    staged = {"deliveries": [0, 3, 3, 1, 0, 0, 0], "pickups": [0, 0, 0, 0, 2, 2, 1]}
    four = fleet(capacity=4.0)
    pairs = {
        "pairs": [(1, 4), (2, 5), (3, 6)],
        "pickups": [0, 1, 1, 1, 0, 0, 0],
        "deliveries": [0, 0, 0, 0, 1, 1, 1],
    }
    short = (0, 3, 6, 0)
    return {
        "capacity": Case(
            line(deliveries=two, fleet=room), BASIC | {"capacity"}, routes(FIRST, SECOND), {
                "one moved": routes((0, 1, 2, 3, 4, 0), (0, 5, 6, 0)),
                "two moved": routes((0, 1, 2, 3, 4, 5, 0), (0, 6, 0)),
                "all in one": routes((0, 1, 2, 3, 4, 5, 6, 0)),
                "small vehicle on the first": routes(FIRST, SECOND, on=(1, 0)),
                "small vehicle on the second": routes(FIRST, SECOND, on=(0, 1)),
                "small in the second dimension": routes(FIRST, SECOND, on=(2, 0)),
            }),
        "backhaul": Case(
            line(**back, fleet=fleet(capacity=9.0)), BASIC | {"capacity", "backhaul"},
            routes((0, 1, 2, 4, 0), (0, 3, 5, 6, 0)), {
                "pickup first": routes((0, 4, 1, 2, 0), (0, 3, 5, 6, 0)),
                "pickup between": routes((0, 1, 4, 2, 0), (0, 3, 5, 6, 0)),
                "delivery between": routes((0, 1, 2, 4, 0), (0, 5, 3, 6, 0)),
                "delivery last": routes((0, 1, 2, 4, 0), (0, 5, 6, 3, 0)),
                "both wrong": routes((0, 4, 1, 2, 0), (0, 5, 6, 3, 0)),
                "all in one, pickups first": routes((0, 4, 5, 6, 1, 2, 3, 0)),
            }),
        "mixed_backhaul": Case(
            line(**back, fleet=four), BASIC | {"capacity", "mixed_backhaul"},
            routes((0, 1, 2, 4, 5, 0), short), {
                "pickup while full": routes((0, 4, 1, 2, 5, 0), short),
                "pickups while half full": routes((0, 1, 4, 5, 2, 0), short),
                "both pickups first": routes((0, 4, 5, 1, 2, 0), short),
                "other order": routes((0, 1, 5, 4, 2, 0), short),
                "one by one, pickup first": routes((0, 5, 1, 4, 2, 0), short),
                "pickups first, other order": routes((0, 5, 4, 2, 1, 0), short),
            }),
        "mixed_backhaul_staged": Case(
            line(**staged, fleet=four), BASIC | {"capacity", "mixed_backhaul_staged"},
            routes((0, 1, 4, 5, 0), (0, 2, 3, 6, 0)), {
                "pickup before a large delivery": routes((0, 4, 1, 5, 0), (0, 2, 3, 6, 0)),
                "two pickups before": routes((0, 4, 5, 1, 0), (0, 2, 3, 6, 0)),
                "other pickup before": routes((0, 5, 1, 4, 0), (0, 2, 3, 6, 0)),
                "two before, other order": routes((0, 5, 4, 1, 0), (0, 2, 3, 6, 0)),
                "moved pickup": routes((0, 1, 4, 0), (0, 5, 2, 3, 6, 0)),
                "other moved pickup": routes((0, 1, 5, 0), (0, 4, 2, 3, 6, 0)),
            }),
        "pickup_delivery": Case(
            line(**pairs), BASIC | {"pickup_delivery"}, routes((0, 1, 2, 4, 5, 0), short), {
                "reversed pair": routes((0, 4, 2, 1, 5, 0), short),
                "other reversed pair": routes((0, 1, 5, 4, 2, 0), short),
                "reversed short route": routes((0, 1, 2, 4, 5, 0), (0, 6, 3, 0)),
                "split pair": routes((0, 1, 2, 5, 0), (0, 3, 4, 6, 0)),
                "delivery dropped": routes((0, 1, 2, 5, 0), short),
                "pickup dropped": routes((0, 2, 4, 5, 0), short),
                "whole route reversed": routes((0, 5, 4, 2, 1, 0), short),
            }),
        "lifo": Case(
            line(**pairs, lifo=True), BASIC | {"pickup_delivery", "lifo"},
            routes((0, 1, 2, 5, 4, 0), short), {
                "first in, first out": routes((0, 1, 2, 4, 5, 0), short),
                "loads swapped": routes((0, 2, 1, 5, 4, 0), short),
                "three, one above": routes((0, 1, 2, 3, 6, 4, 5, 0)),
                "three, one below": routes((0, 3, 1, 6, 4, 2, 5, 0)),
                "three in line": routes((0, 1, 2, 3, 4, 5, 6, 0)),
                "two of three": routes((0, 2, 3, 5, 6, 1, 4, 0)),
            }),
    }  # fmt: skip


def relations() -> dict[str, Case]:
    """Precedence, skills, sites, goods, groups, prizes."""
    order = [(1, 2), (2, 3), (4, 5), (1, 6)]
    needs = np.array([[0, 0]] * 3 + [[1, 0]] * 2 + [[0, 1]] * 2, dtype=bool)
    owned = fleet(3, skill_count=2, skills=[[0, 0], [1, 0], [1, 1]])
    may = np.ones((3, 7), dtype=bool)
    may[0, 3:], may[1, 5:] = False, False
    thirds = ((0, 1, 2, 0), (0, 3, 4, 0), (0, 5, 6, 0))
    by_vehicle = {
        "second on the first's": routes(*thirds, on=(0, 0, 2)),
        "third on the second's": routes(*thirds, on=(0, 1, 1)),
        "third on the first's": routes(*thirds, on=(0, 1, 0)),
        "moved to the first": routes((0, 1, 2, 3, 0), (0, 4, 0), (0, 5, 6, 0), on=(0, 1, 2)),
        "moved to the second": routes((0, 1, 2, 0), (0, 3, 4, 5, 0), (0, 6, 0), on=(0, 1, 2)),
        "swapped vehicles": routes(*thirds, on=(2, 1, 0)),
    }
    apart = routes((0, 1, 3, 5, 0), (0, 2, 4, 6, 0))
    free = {"required": [False] * 7}
    return {
        "precedence": Case(
            line(precedence=order), BASIC | {"precedence"}, routes((0, 1, 2, 3, 4, 5, 6, 0)), {
                "swapped first": routes((0, 2, 1, 3, 4, 5, 6, 0)),
                "swapped second": routes((0, 1, 3, 2, 4, 5, 6, 0)),
                "swapped later": routes((0, 1, 2, 3, 5, 4, 6, 0)),
                "last first": routes((0, 6, 1, 2, 3, 4, 5, 0)),
                "first dropped": routes((0, 2, 3, 4, 5, 6, 0)),
                "reversed": routes((0, 6, 5, 4, 3, 2, 1, 0)),
                "later in another route": routes((0, 4, 1, 2, 3, 0), (0, 5, 6, 0)),
            }),
        "skills": Case(
            line(skills=needs, fleet=owned), BASIC | {"skills"},
            routes(*thirds, on=(0, 1, 2)), by_vehicle),
        "site_dependence": Case(
            line(fleet=fleet(3, allowed=may)), BASIC | {"site_dependence"},
            routes(*thirds, on=(0, 1, 2)), by_vehicle),
        "incompatible": Case(
            line(incompatible=[(1, 2), (3, 4), (5, 6)]), BASIC | {"incompatible"}, apart, {
                "two swapped": routes((0, 4, 3, 5, 0), (0, 2, 1, 6, 0)),
                "second moved": routes((0, 1, 2, 3, 5, 0), (0, 4, 6, 0)),
                "fourth moved": routes((0, 1, 3, 4, 5, 0), (0, 2, 6, 0)),
                "sixth moved": routes((0, 1, 3, 5, 6, 0), (0, 2, 4, 0)),
                "as they lie": routes(FIRST, SECOND),
                "all in one": routes((0, 1, 2, 3, 4, 5, 6, 0)),
            }),
        "groups": Case(
            line(groups=[(1, 2), (3, 4), (5, 6)], **free), BASIC | {"groups"},
            routes((0, 1, 3, 5, 0)), {
                "third left out": routes((0, 1, 3, 0)),
                "first left out": routes((0, 3, 5, 0)),
                "two of the first": routes((0, 1, 2, 3, 5, 0)),
                "two of the second": routes((0, 1, 3, 4, 5, 0)),
                "two of the third, other route": routes((0, 1, 3, 5, 0), (0, 6, 0)),
                "all": routes(FIRST, SECOND),
            }),
        "prizes": Case(
            line(prizes=np.arange(7.0), min_prize=10.0, **free), BASIC | {"prizes"},
            routes((0, 4, 6, 0)), {
                "one short": routes((0, 4, 5, 0)),
                "only the best": routes((0, 6, 0)),
                "only the near": routes((0, 1, 2, 0)),
                "two routes, one short": routes((0, 6, 0), (0, 3, 0)),
                "one of the middle": routes((0, 5, 0)),
                "nothing": routes(),
            }),
    }  # fmt: skip


def limits() -> dict[str, Case]:
    """Reloads, limits, breaks, release, windows, battery."""
    again = np.zeros((2, 8), dtype=bool)
    again[0, 0] = True
    trips = fleet(2, 8, max_trips=[2, 1], reload_depots=again)
    twice = (0, 1, 2, 0, 3, 0)
    windows = [(0.0, 14.0), *((float(node), node + 3.0) for node in range(1, 7))]
    shifts = fleet(2, shift=[[0, 99], [0, 11]])
    released = [0, 5, 0, 0, 9, 0, 0]

    def leaving(*times: tuple[float, ...], stops: tuple[Stops, ...] = (FIRST, SECOND)) -> Plan:
        pairs = zip(stops, times, strict=True)
        return Plan(tuple(Route(one, departures=at) for one, at in pairs))

    def resting(*after: Stops) -> Plan:
        pairs = zip((FIRST, SECOND), after, strict=True)
        return Plan(tuple(Route(one, breaks=at) for one, at in pairs))

    def limited(key: str, by: float, weak: float, **given: Any) -> RoutingInstance:
        return line(fleet=fleet(2, **{key: [by, weak]}), **given)

    good = routes(FIRST, SECOND)
    return {
        "reloads": Case(
            line(8, kinds=extra(Kind.DEPOT), fleet=trips), BASIC | {"reloads"},
            routes(twice, SECOND), {
                "once too often": routes((0, 1, 0, 2, 0, 3, 0), SECOND),
                "at the wrong depot": routes((0, 1, 2, 7, 3, 0), SECOND),
                "second at the wrong depot": routes(twice, (0, 4, 7, 5, 6, 0)),
                "vehicle that may not": routes(twice, SECOND, on=(1, 0)),
                "second once too often": routes(twice, (0, 4, 0, 5, 0, 6, 0)),
                "right, then wrong": routes((0, 1, 0, 2, 7, 3, 0), SECOND),
            }),
        "distance_limit": Case(
            limited("max_distance", 12.0, 5.0), BASIC | {"distance_limit"}, good,
            ZIGZAGS | SHORT_VEHICLE),
        "driving_limit": Case(
            limited("max_driving", 12.0, 5.0, service=[0] + [50] * 6),
            BASIC | {"driving_limit"}, good, ZIGZAGS | SHORT_VEHICLE),
        "duration_limit": Case(
            limited("max_duration", 19.0, 11.0, service=[0] + [2] * 6),
            BASIC | {"duration_limit"}, good, ZIGZAGS | SHORT_VEHICLE | {
                "one stop more": routes((0, 1, 2, 0), (0, 3, 4, 5, 6, 0)),
                "all in one": routes((0, 1, 2, 3, 4, 5, 6, 0)),
            }),
        "breaks": Case(
            line(fleet=fleet(max_driving_unbroken=6.0, break_length=1.0)), BASIC | {"breaks"},
            resting((), (3,)), {
                "none": resting((), ()),
                "too early": resting((), (1,)),
                "a little too early": resting((), (2,)),
                "before leaving": resting((), (0,)),
                "after the return": resting((), (4,)),
                "in the wrong route": resting((3,), ()),
                "nowhere": resting((), (99,)),
            }),
        "release_times": Case(
            line(release=released), BASIC | {"release_times"}, leaving((5.0,), (9.0,)), {
                "first a little early": leaving((4.9,), (9.0,)),
                "second early": leaving((5.0,), (8.0,)),
                "both early": leaving((1.0,), (1.0,)),
                "at once": leaving((0.0,), (0.0,)),
                "goods of another trip": leaving(
                    (5.0,), (9.0,), stops=((0, 1, 4, 2, 3, 0), (0, 5, 6, 0))
                ),
                "second trip early": leaving(
                    (0.0, 2.0), (9.0,), stops=((0, 2, 0, 1, 3, 0), SECOND)
                ),
            }),
        "time_windows": Case(
            line(windows=windows, fleet=shifts), BASIC | {"time_windows"}, good, {
                "late customer": routes((0, 3, 2, 1, 0), SECOND),
                "late customer, too": routes(FIRST, (0, 6, 5, 4, 0)),
                "late in the middle": routes((0, 2, 3, 1, 0), SECOND),
                "late return to the depot": leaving((0.0,), (2.5,)),
                "late return of the shift": routes(FIRST, SECOND, on=(0, 1)),
                "late departure": leaving((3.5,), (0.0,)),
            }),
        "battery": Case(
            line(8, kinds=extra(Kind.STATION), battery=Battery(12.0, 1.0, 0.1)),
            BASIC | {"battery"}, good, ZIGZAGS | {
                "station too late": routes((0, 2, 3, 4, 5, 0), (0, 6, 1, 7, 0)),
                "station after the damage": routes((0, 5, 1, 6, 7, 0), (0, 2, 3, 4, 0)),
            }),
    }  # fmt: skip


CASES = structure() | loads() | relations() | limits()
