"""A naive checker in plain loops, written apart from the product's arrays: for comparison only."""

from itertools import pairwise
from typing import Any

from eurisko.evaluators.routing import Kind, Plan, Route, RoutingInstance

LATEST_START = 120  # of the integer instances that are compared


def in_time(instance: RoutingInstance, route: Route, begin: float) -> tuple[bool, float, float]:
    """Drive one route from a start time: whether in time, when it left, and its end."""
    fleet, kind = instance.fleet, route.vehicle
    clock, good = begin, True
    left = 0.0
    level = instance.battery.capacity if instance.battery else 0.0
    for position, node in enumerate(route.stops):
        if position:
            before = route.stops[position - 1]
            clock += legs(instance.durations[before, node])
            if instance.battery:
                level -= instance.battery.consumption * legs(instance.distances[before, node])
        last = position == len(route.stops) - 1
        depot = instance.kinds[node] == Kind.DEPOT
        if (depot and not last) or position == 0:
            clock = max(clock, released(instance, route, position))
        windows = [[low, high] for low, high in instance.windows[node].tolist() if low <= high]
        if position == 0:
            clock = max(clock, float(fleet.shift[kind, 0]))
        open_ones = [w for w in windows if w[1] >= clock]
        if open_ones:
            clock = max(clock, min(w[0] for w in open_ones))
        else:
            good = False
        left = left if position else clock
        clock += float(instance.service[node])
        if instance.kinds[node] == Kind.STATION and instance.battery:
            missing = min(max(instance.battery.capacity - level, 0), instance.battery.capacity)
            clock += missing * instance.battery.recharge_time
            level = instance.battery.capacity
        if depot and instance.battery:
            level = instance.battery.capacity
        if position in route.breaks:
            clock += float(fleet.break_length[kind])
    good = good and clock <= fleet.shift[kind, 1]
    return good, left, clock


def legs(value: float) -> float:
    """Return a leg, 0 where there is none."""
    return float(value) if value < float("inf") else 0.0


def released(instance: RoutingInstance, route: Route, position: int) -> float:
    """Return when the trip that begins here may leave."""
    latest = 0.0
    for node in route.stops[position + 1 :]:
        if instance.kinds[node] == Kind.DEPOT:
            break
        latest = max(latest, float(instance.release[node]))
    return latest


def trips(instance: RoutingInstance, route: Route) -> list[list[int]]:
    """Cut a route at the depots that it passes."""
    found: list[list[int]] = [[]]
    for position, node in enumerate(route.stops):
        ending = position in (0, len(route.stops) - 1)
        if instance.kinds[node] == Kind.DEPOT and not ending:
            found.append([])
        else:
            found[-1].append(node)
    return found


def broken_loads(instance: RoutingInstance, route: Route) -> set[str]:
    """Check capacity, the load rules and the order of pairs of one route."""
    broken = set()
    paired = {int(node) for pair in instance.pairs for node in pair}
    for dimension in range(instance.load_dimensions):
        room = instance.fleet.capacity[route.vehicle, dimension]
        in_pairs = 0.0
        for trip in trips(instance, route):
            give = {n: 0.0 if n in paired else instance.deliveries[n, dimension] for n in trip}
            take = {n: 0.0 if n in paired else instance.pickups[n, dimension] for n in trip}
            left = sum(give[n] for n in trip)
            taken = 0.0
            if left + in_pairs > room and trip:
                broken.add("capacity")
            for node in trip:
                if node in paired:
                    in_pairs += instance.pickups[node, dimension]
                    in_pairs -= instance.deliveries[node, dimension]
                if left + in_pairs > room:
                    broken.add("capacity")
                if taken + take[node] + give[node] > room:
                    broken.add("mixed_backhaul_staged")
                if give[node] > 0 and any(
                    instance.pickups[n].sum() > 0
                    for n in trip[: trip.index(node) + 1]
                    if n not in paired
                ):
                    broken.add("backhaul")
                left -= give[node]
                taken += take[node]
                if taken + in_pairs > room:
                    broken.add("capacity")
                if left + taken + in_pairs > room:
                    broken.add("mixed_backhaul")
    stack: list[int] = []
    of_pickup = {int(p): int(d) for p, d in instance.pairs}
    for position, node in enumerate(route.stops):
        if of_pickup.get(node) in route.stops[position + 1 :]:
            stack.append(of_pickup[node])
        elif node in stack:
            if stack[-1] != node:
                broken.add("lifo")
            stack.remove(node)
    return broken


def broken_route(instance: RoutingInstance, route: Route) -> set[str]:
    """Check what concerns one route alone."""
    fleet, kind, stops = instance.fleet, route.vehicle, route.stops
    broken = broken_loads(instance, route)
    pairs = list(pairwise(stops))
    distance = sum(legs(instance.distances[a, b]) for a, b in pairs)
    times = [legs(instance.durations[a, b]) for a, b in pairs]
    if any(instance.distances[a, b] == float("inf") for a, b in pairs):
        broken.add("arcs")
    if distance > fleet.max_distance[kind]:
        broken.add("distance_limit")
    if sum(times) > fleet.max_driving[kind]:
        broken.add("driving_limit")
    since = 0.0
    for position, time in enumerate(times):
        since = time if position in route.breaks else since + time
        if since > fleet.max_driving_unbroken[kind]:
            broken.add("breaks")
    level = instance.battery.capacity if instance.battery else 0.0
    for a, b in pairs:
        if instance.battery:
            level -= instance.battery.consumption * legs(instance.distances[a, b])
            if level < 0:
                broken.add("battery")
            if instance.kinds[b] != Kind.CUSTOMER:
                level = instance.battery.capacity
    reloads = [n for n in stops[1:-1] if instance.kinds[n] == Kind.DEPOT]
    too_often = 0 <= fleet.max_trips[kind] < len(reloads) + 1 and len(reloads) > 0
    if too_often or any(not fleet.reload_depots[kind, n] for n in reloads):
        broken.add("reloads")
    home, target = int(fleet.start_depot[kind]), int(fleet.end_depot[kind])
    if (home >= 0 and stops[0] != home) or stops[-1] != (target if target >= 0 else stops[0]):
        broken.add("multi_depot")
    for node in stops:
        if not fleet.allowed[kind, node]:
            broken.add("site_dependence")
        for skill, needed in enumerate(instance.skills[node]):
            if needed and not fleet.skills[kind, skill]:
                broken.add("skills")
    options = [in_time(instance, route, float(begin)) for begin in range(LATEST_START)]
    durations = [end - left for good, left, end in options if good]
    if not durations:
        broken.add("time_windows")
    elif min(durations) > fleet.max_duration[kind]:
        broken.add("duration_limit")
    return broken


def broken_plan(instance: RoutingInstance, plan: Plan) -> set[str]:
    """Return the names of every rule that a plan of closed routes breaks."""
    broken = set().union(*(broken_route(instance, route) for route in plan.routes), set())
    visits = [node for route in plan.routes for node in route.stops]
    for node in range(instance.size):
        count = visits.count(node)
        if instance.kinds[node] == Kind.CUSTOMER and count > 1:
            broken.add("visit")
        if instance.required[node] and count == 0:
            broken.add("visit")
    for kind in range(instance.fleet.types):
        used = sum(route.vehicle == kind for route in plan.routes)
        if 0 <= instance.fleet.available[kind] < used:
            broken.add("fleet")
    for group in instance.groups:
        if sum(node in visits for node in group) != 1:
            broken.add("groups")
    if sum(float(instance.prizes[node]) for node in set(visits)) < instance.min_prize:
        broken.add("prizes")
    where: dict[int, Any] = {}
    for index, route in enumerate(plan.routes):
        for position, node in enumerate(route.stops):
            where[node] = (index, position)
    for a, b in instance.incompatible.tolist():
        if a in where and b in where and where[a][0] == where[b][0]:
            broken.add("incompatible")
    for a, b in instance.pairs.tolist():
        one, other = where.get(a), where.get(b)
        if (one is None) != (other is None) or (one and (one[0] != other[0] or one[1] > other[1])):
            broken.add("pickup_delivery")
    return broken
