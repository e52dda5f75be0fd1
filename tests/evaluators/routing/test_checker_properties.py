"""The checker against a naive loop written apart from it, and against PyVRP."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive_routing import broken_plan

from eurisko.evaluators.routing import (
    Battery,
    Kind,
    Plan,
    Route,
    RoutingInstance,
    make_fleet,
    make_instance,
)
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.constraints import VOCABULARY
from eurisko.evaluators.routing.objectives import Objective
from eurisko.evaluators.routing.reference.pyvrp_model import build

SEEDS = st.integers(0, 2**32 - 1)
NOT_COMPARED = {"open", "precedence", "release_times"}  # of the general case; see below


def random_fleet(rng: np.random.Generator, nodes: int, depots: int) -> Any:
    """Return two vehicle types with limits that some plans break."""
    reload = np.zeros((2, nodes), dtype=bool)
    reload[:, :depots] = rng.random((2, depots)) < 0.7
    start = rng.integers(-1, depots, 2)
    allowed = rng.random((2, nodes)) < 0.95
    allowed[:, :depots] = True
    return make_fleet(
        nodes,
        2,
        load_dimensions=2,
        capacity=rng.integers(2, 8, (2, 2)),
        available=rng.integers(1, 3, 2),
        start_depot=start,
        end_depot=start,
        max_distance=rng.integers(15, 60, 2),
        max_duration=rng.integers(15, 80, 2),
        max_driving=rng.integers(15, 60, 2),
        max_driving_unbroken=rng.integers(10, 40, 2),
        break_length=rng.integers(1, 5, 2),
        shift=np.stack([rng.integers(0, 5, 2), rng.integers(50, 110, 2)], axis=1),
        max_trips=rng.integers(1, 4, 2),
        reload_depots=reload,
        allowed=allowed,
        skill_count=1,
        skills=rng.random((2, 1)) < 0.7,
    )


def random_windows(rng: np.random.Generator, nodes: int) -> np.ndarray:
    """Return one or two windows for each node."""
    windows = np.full((nodes, 2, 2), (np.inf, -np.inf))
    wide = rng.random() < 0.6
    low = rng.integers(0, 10 if wide else 40, nodes)
    width = rng.integers(60, 90, nodes) if wide else rng.integers(5, 50, nodes)
    windows[:, 0] = np.stack([low, low + width], axis=1)
    second = rng.random(nodes) < 0.3
    later = windows[:, 0, 1] + rng.integers(2, 10, nodes)
    windows[second, 1] = np.stack([later, later + 10], axis=1)[second]
    windows[0] = [(0, 100), (np.inf, -np.inf)]
    return windows


def random_instance(rng: np.random.Generator) -> RoutingInstance:
    """Return a small instance of integers with every relation in it."""
    depots, customers = int(rng.integers(1, 3)), 6
    nodes = depots + customers + 1
    kinds = [Kind.DEPOT] * depots + [Kind.CUSTOMER] * customers + [Kind.STATION]
    matrix = rng.integers(1, 12, (nodes, nodes)).astype(float)
    matrix[rng.random((nodes, nodes)) < 0.02] = np.inf
    np.fill_diagonal(matrix, 0)
    durations = np.where(np.isfinite(matrix), rng.integers(1, 10, (nodes, nodes)), np.inf)
    np.fill_diagonal(durations, 0)
    customer = np.array(kinds) == Kind.CUSTOMER
    first = depots
    both = rng.integers(0, 4, (nodes, 2)) * customer[:, None]
    deliveries, pickups = both.copy(), rng.integers(0, 4, (nodes, 2)) * customer[:, None]
    gives = rng.random(nodes) < 0.6
    deliveries[~gives], pickups[gives] = 0, 0
    pair = (first, first + 1)
    pairs = [pair, (first + 2, first + 3)]
    for pickup, delivery in pairs:
        deliveries[pickup], pickups[delivery] = 0, 0
        deliveries[delivery] = pickups[pickup]
    return make_instance(
        kinds,
        matrix,
        durations=durations,
        deliveries=deliveries,
        pickups=pickups,
        windows=random_windows(rng, nodes),
        service=rng.integers(0, 4, nodes) * customer,
        release=rng.integers(0, 15, nodes) * customer * (rng.random(nodes) < 0.3),
        prizes=rng.integers(0, 5, nodes) * customer,
        min_prize=float(rng.integers(0, 12)),
        required=customer & (np.arange(nodes) < nodes - 3),
        groups=[(nodes - 3, nodes - 2)],
        pairs=pairs,
        incompatible=[(first, first + 4)],
        skills=(rng.random((nodes, 1)) < 0.1) & customer[:, None],
        lifo=True,
        battery=Battery(float(rng.integers(15, 60)), 1.0, 1.0),
        fleet=random_fleet(rng, nodes, depots),
    )


def random_plan(rng: np.random.Generator, instance: RoutingInstance) -> Plan:
    """Return closed routes over most customers, with reloads, stations and breaks in between."""
    nodes = [int(node) for node in rng.permutation(instance.customers)]
    nodes = nodes[: len(nodes) - int(rng.integers(0, 2))]
    for pickup, delivery in instance.pairs.tolist():
        if rng.random() < 0.8 and {pickup, delivery} <= set(nodes):
            nodes.remove(delivery)
            nodes.insert(int(rng.integers(nodes.index(pickup) + 1, len(nodes) + 1)), delivery)
    cut = int(rng.integers(1, len(nodes)))
    routes = []
    for part in (nodes[:cut], nodes[cut:]):
        depot = int(rng.choice(instance.depots))
        end = depot if rng.random() < 0.9 else int(rng.choice(instance.depots))
        middle = list(part)
        if rng.random() < 0.4:
            middle.insert(int(rng.integers(1, len(middle) + 1)), instance.size - 1)
        if rng.random() < 0.3:
            middle.insert(int(rng.integers(1, len(middle) + 1)), int(rng.choice(instance.depots)))
        breaks = tuple(int(at) for at in range(1, len(middle)) if rng.random() < 0.2)
        routes.append(Route((depot, *middle, end), int(rng.integers(0, 2)), breaks))
    return Plan(tuple(routes))


@settings(max_examples=80, deadline=None)
@example(220096)  # a pair on board while a depot in mid-route loads the vehicle beyond its capacity
@given(SEEDS)
def test_agrees_with_a_naive_loop(seed: int) -> None:
    """On random integer instances with everything in them, the same rules are broken."""
    rng = np.random.default_rng(seed)
    instance = random_instance(rng)
    plan = random_plan(rng, instance)
    report = check(instance, plan, VOCABULARY.keys() - NOT_COMPARED)
    wanted = broken_plan(instance, plan)
    got = set(report.broken)
    if "time_windows" in wanted:  # the duration of a late route has no meaning
        got, wanted = got - {"duration_limit"}, wanted - {"duration_limit"}
    assert got == wanted


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_slack_is_how_much_a_limit_may_shrink(seed: int) -> None:
    """Taking a kept limit's slack away keeps it; taking more breaks it."""
    rng = np.random.default_rng(seed)
    instance = random_instance(rng)
    plan = random_plan(rng, instance)
    for key, name in (("max_distance", "distance_limit"), ("max_driving", "driving_limit")):
        limits = getattr(instance.fleet, key)
        slack = check(instance, plan, {name}).verdicts[name].slack
        limits -= slack
        assert check(instance, plan, {name}).feasible
        limits -= 1e-3
        assert not check(instance, plan, {name}).feasible


def modelled_instance(rng: np.random.Generator) -> RoutingInstance:
    """Return an instance within what PyVRP models: one window, no pairs, no battery."""
    depots, customers = 2, 6
    nodes = depots + customers
    kinds = np.array([Kind.DEPOT] * depots + [Kind.CUSTOMER] * customers)
    customer = kinds == Kind.CUSTOMER
    low = rng.integers(0, 20, nodes) * customer
    start = rng.integers(0, depots, 2)
    reload = np.zeros((2, nodes), dtype=bool)
    reload[:, :depots] = rng.random((2, depots)) < 0.6
    fleet = make_fleet(
        nodes,
        2,
        load_dimensions=2,
        capacity=rng.integers(6, 14, (2, 2)),
        available=2,
        start_depot=start,
        end_depot=start,
        fixed_cost=rng.integers(0, 9, 2),
        distance_cost=rng.integers(1, 4, 2),
        max_distance=rng.integers(15, 50, 2),
        max_duration=rng.integers(25, 70, 2),
        shift=np.stack([rng.integers(0, 5, 2), rng.integers(50, 90, 2)], axis=1),
        max_trips=3,
        reload_depots=reload,
    )
    matrix = rng.integers(1, 12, (nodes, nodes)).astype(float)
    durations = rng.integers(1, 10, (nodes, nodes)).astype(float)
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(durations, 0)
    release = rng.integers(0, 15, nodes) * customer * (rng.random(nodes) < 0.3)
    low = np.maximum(low, release)
    return make_instance(
        kinds,
        matrix,
        durations=durations,
        deliveries=rng.integers(0, 4, (nodes, 2)) * customer[:, None],
        pickups=rng.integers(0, 4, (nodes, 2)) * customer[:, None],
        windows=np.stack([low, np.where(customer, low + rng.integers(15, 60, nodes), 80)], axis=1),
        service=rng.integers(0, 4, nodes) * customer,
        release=release,
        prizes=rng.integers(0, 5, nodes) * customer,
        required=customer & (np.arange(nodes) < nodes - 3),
        groups=[(nodes - 2, nodes - 1)],
        fleet=fleet,
    )


def modelled_plan(rng: np.random.Generator, instance: RoutingInstance) -> Plan:
    """Return closed routes from the vehicles' own depots, with allowed reloads in between.

    Never both customers of the group: PyVRP refuses such plans before it judges them.
    """
    nodes = [int(node) for node in rng.permutation(instance.customers)]
    nodes.remove(int(rng.choice(instance.groups[0])))
    nodes = nodes[: len(nodes) - int(rng.integers(0, 2))]
    cut = int(rng.integers(1, len(nodes)))
    routes = []
    for part in (nodes[:cut], nodes[cut:]):
        kind = int(rng.integers(0, 2))
        places = np.flatnonzero(instance.fleet.reload_depots[kind])
        middle = list(part)
        if len(places) and len(middle) > 1 and rng.random() < 0.5:
            middle.insert(int(rng.integers(1, len(middle))), int(rng.choice(places)))
        home = int(instance.fleet.start_depot[kind])
        routes.append(Route((home, *middle, home), kind))
    return Plan(tuple(routes))


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_agrees_with_pyvrp(seed: int) -> None:
    """Loads, distances, times, completeness, groups, lengths and durations are PyVRP's.

    Two load dimensions, deliveries and pickups, heterogeneous fleet, two depots, reloads, release
    times, prizes, groups, asymmetric matrices, limits of distance and duration, shifts.
    """
    pyvrp = pytest.importorskip("pyvrp", reason="pyvrp is in the extra `routing`")
    if not hasattr(pyvrp, "Location"):
        pytest.skip("needs PyVRP 0.14 or newer")
    rng = np.random.default_rng(seed)
    instance = modelled_instance(rng)
    plan = modelled_plan(rng, instance)
    depots = len(instance.depots)
    names = VOCABULARY.keys() - {"open", "backhaul", "mixed_backhaul_staged"}
    data = build(instance, frozenset(names), Objective()).data
    built = []
    for route in plan.routes:
        activities = [
            pyvrp.Activity(pyvrp.ActivityType.DEPOT, node)
            if node < depots
            else pyvrp.Activity(pyvrp.ActivityType.CLIENT, node - depots)
            for node in route.stops[1:-1]
        ]
        built.append(pyvrp.Route(data, activities, route.vehicle))
    other = pyvrp.Solution(data, built)
    report = check(instance, plan, names)
    assert bool(report.broken & {"capacity", "mixed_backhaul"}) == other.has_excess_load()
    assert ("distance_limit" in report.broken) == other.has_excess_distance()
    assert bool(report.broken & {"time_windows", "duration_limit"}) == other.has_time_warp()
    assert ("visit" in report.broken) == bool(other.num_missing_clients())
    assert ("groups" in report.broken) == bool(other.num_missing_groups())
    assert report.feasible == other.is_feasible()
    assert report.trace is not None
    assert report.trace.distance.sum() == other.distance()
    assert report.cost == other.distance_cost() + other.fixed_vehicle_cost()
    if not other.has_time_warp():
        durations = [route.duration() for route in built]
        np.testing.assert_allclose(report.trace.duration, durations)


def paired_case(rng: np.random.Generator) -> tuple[RoutingInstance, list[list[int]]]:
    """Return pairs at nodes (1, 2), (3, 4), (5, 6) with windows, and visits by route."""
    nodes = 7
    matrix = rng.integers(1, 12, (nodes, nodes)).astype(float)
    np.fill_diagonal(matrix, 0)
    amounts = rng.integers(1, 4, 3)
    loads = np.zeros((2, nodes))
    loads[0, 1::2], loads[1, 2::2] = amounts, amounts
    low = rng.integers(0, 15, nodes) * (np.arange(nodes) > 0)
    fleet = make_fleet(
        nodes,
        capacity=float(rng.integers(3, 9)),
        max_distance=float(rng.integers(25, 70)),
        max_duration=float(rng.integers(25, 80)),
    )
    instance = make_instance(
        [Kind.DEPOT] + [Kind.CUSTOMER] * 6,
        matrix,
        pickups=loads[0],
        deliveries=loads[1],
        pairs=[(1, 2), (3, 4), (5, 6)],
        windows=np.stack([low, low + np.where(np.arange(nodes) > 0, 40, 90)], axis=1),
        service=rng.integers(0, 4, nodes) * (np.arange(nodes) > 0),
        fleet=fleet,
    )
    visits: list[list[int]] = [[], []]
    for pair in ((1, 2), (3, 4), (5, 6)):
        route = visits[int(rng.integers(0, 2))]
        at = int(rng.integers(0, len(route) + 1))
        route.insert(at, pair[0])
        route.insert(int(rng.integers(at + 1, len(route) + 1)), pair[1])
    if rng.random() < 0.3 and len(visits[0]) > 1:
        visits[0][0], visits[0][-1] = visits[0][-1], visits[0][0]
    return instance, [route for route in visits if route]


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.booleans())
def test_pairs_and_open_routes_agree_with_pyvrp(seed: int, open_routes: bool) -> None:
    """Loads, times and order of pairs, in closed and open routes, are judged as PyVRP does."""
    pyvrp = pytest.importorskip("pyvrp", reason="pyvrp is in the extra `routing`")
    if not hasattr(pyvrp, "Shipment"):
        pytest.skip("needs PyVRP 0.14 or newer")
    instance, visits = paired_case(np.random.default_rng(seed))
    ends = () if open_routes else (0,)
    plan = Plan(tuple(Route((0, *route, *ends)) for route in visits))
    rules = {"visit", "depot", "capacity", "pickup_delivery", "time_windows"}
    rules |= {"distance_limit", "duration_limit", "open" if open_routes else "closed"}
    data = build(instance, frozenset(rules), Objective()).data
    report = check(instance, plan, rules)
    steps = {}
    for index, (one, two) in enumerate(instance.pairs.tolist()):
        steps[one] = pyvrp.Activity(pyvrp.ActivityType.PICKUP, index)
        steps[two] = pyvrp.Activity(pyvrp.ActivityType.DELIVERY, index)
    try:
        built = [pyvrp.Route(data, [steps[node] for node in route], 0) for route in visits]
    except ValueError:  # PyVRP refuses pairs out of order before it judges them
        assert "pickup_delivery" in report.broken
        return
    other = pyvrp.Solution(data, built)
    assert "pickup_delivery" not in report.broken
    assert ("capacity" in report.broken) == other.has_excess_load()
    assert ("distance_limit" in report.broken) == other.has_excess_distance()
    assert bool(report.broken & {"time_windows", "duration_limit"}) == other.has_time_warp()
    assert report.feasible == other.is_feasible()
    assert report.cost == other.distance()


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(1, 7)), st.sets(st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_precedence_in_one_route(order: list[int], before: set[tuple[int, int]]) -> None:
    """In one route a precedence is kept exactly where the first node comes first."""
    pairs = sorted(pair for pair in before if pair[0] != pair[1])
    instance = make_instance([Kind.DEPOT] + [Kind.CUSTOMER] * 6, np.ones((7, 7)), precedence=pairs)
    report = check(instance, Plan((Route((0, *order)),)), {"precedence"})
    assert report.feasible == all(order.index(one) < order.index(two) for one, two in pairs)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=3, max_size=3), st.floats(0, 12))
def test_stated_departures(release: list[int], departure: float) -> None:
    """A stated departure is kept to, and is early exactly if some goods come later."""
    instance = make_instance(
        [Kind.DEPOT] + [Kind.CUSTOMER] * 3, np.ones((4, 4)) - np.eye(4), release=[0, *release]
    )
    plan = Plan((Route((0, 1, 2, 3, 0), departures=(departure,)),))
    report = check(instance, plan, {"release_times"})
    assert report.trace is not None
    assert report.trace.departure[0, 0] == departure
    assert report.feasible == (departure >= max(release) - 1e-9 * max(1, max(release)))
