"""OCVRPLTW to the contract of created solvers: open routes, capacity, length limit, time windows.

Ruin and recreate with annealing. Numpy and the standard library only; no file is opened.
"""

import math
import time
from itertools import pairwise

import numpy as np

SECTIONS = {
    "NODE_COORD_SECTION": "node_coord",
    "DEMAND_SECTION": "demand",
    "TIME_WINDOW_SECTION": "time_window",
    "SERVICE_TIME_SECTION": "service_time",
}


def read_instance(text: str) -> dict:
    """Parse VRPLIB text."""
    instance = {"capacity": math.inf, "distance_limit": math.inf, "depot": []}
    section = ""
    for line in text.splitlines():
        words = line.replace(":", " : ").split()
        if not words:
            continue
        key = words[0].upper()
        if key == "EOF":
            break
        if key.endswith("_SECTION"):
            section = key
            if section in SECTIONS:
                instance[SECTIONS[section]] = []
        elif key[0].isalpha():
            section = ""
            if key in ("CAPACITY", "DISTANCE_LIMIT"):
                instance[key.lower()] = float(words[-1])
        elif section == "DEPOT_SECTION":
            instance["depot"] += [int(word) - 1 for word in words if word != "-1"]
        elif section in SECTIONS and words != ["-1"]:
            instance[SECTIONS[section]].append([float(word) for word in words[1:]])
    nodes = len(instance["node_coord"])
    instance["node_coord"] = np.array(instance["node_coord"])
    instance["demand"] = np.array(instance["demand"])[:, 0]
    windows = instance.get("time_window") or [[0.0, math.inf]] * nodes
    instance["time_window"] = np.array(windows)
    service = instance.get("service_time") or [[0.0]] * nodes
    instance["service_time"] = np.array(service)[:, 0]
    return instance


def distance_matrix(instance: dict) -> np.ndarray:
    """Euclidean, not rounded."""
    points = instance["node_coord"]
    return np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))


def cost(routes: list, instance: dict, D: np.ndarray) -> float:
    """Total length; nothing is driven after the last customer."""
    return float(sum(D[route[:-1], route[1:]].sum() for route in routes))


def initial(instance: dict, D: np.ndarray, rng: np.random.Generator) -> list:
    """Insert all customers, those with early deadlines first."""
    depot = instance["depot"][0]
    customers = [row for row in range(len(D)) if row != depot]
    customers.sort(key=lambda row: (instance["time_window"][row, 1], -D[depot, row]))
    return insert([], customers, instance, D, rng)


def destroy(routes: list, instance: dict, D: np.ndarray, ratio: float, rng) -> tuple:
    """Remove strings of neighbouring customers from routes near a random centre."""
    depot = instance["depot"][0]
    where = {row: number for number, route in enumerate(routes) for row in route if row != depot}
    count = max(1, int(ratio * len(where)))
    centre = list(where)[int(rng.integers(len(where)))]
    removed, touched = set(), set()
    for row in np.argsort(D[centre]).tolist():
        if len(removed) >= count:
            break
        number = where.get(row)
        if number is None or number in touched:
            continue
        touched.add(number)
        route = routes[number]
        longest = min(len(route) - 1, count - len(removed), 10)
        length = int(rng.integers(1, longest + 1))
        at = route.index(row)
        low = max(1, at - length + 1)
        high = min(at, len(route) - length)
        first = int(rng.integers(low, max(low, high) + 1))
        removed.update(stop for stop in route[first : first + length] if stop != depot)
    kept = [[stop for stop in route if stop not in removed] for route in routes]
    return [route for route in kept if any(stop != depot for stop in route)], sorted(removed)


def insert(routes: list, removed: list, instance: dict, D: np.ndarray, rng) -> list:
    """Cheapest feasible insertion, all positions of all routes at once; skips some at random."""
    depot = instance["depot"][0]
    opening, closing = instance["time_window"][:, 0], instance["time_window"][:, 1]
    service, demand = instance["service_time"], instance["demand"]
    plans = [_Schedule(route, instance, D) for route in routes]
    order = list(removed)
    pick = rng.random()
    if pick < 0.4:
        rng.shuffle(order)
    elif pick < 0.6:
        order.sort(key=lambda row: -demand[row])
    elif pick < 0.8:
        order.sort(key=lambda row: -D[depot, row])
    else:
        order.sort(key=lambda row: closing[row] - opening[row])
    for row in order:
        best, chosen, position = math.inf, None, 0
        if plans:
            before = np.concatenate([plan.before for plan in plans])
            after = np.concatenate([plan.after for plan in plans])
            leaves = np.concatenate([plan.leaves for plan in plans])
            latest = np.concatenate([plan.latest for plan in plans])
            sizes = [len(plan.before) for plan in plans]
            owner = np.repeat(np.arange(len(plans)), sizes)
            load = np.array([plan.load for plan in plans])[owner]
            length = np.array([plan.length for plan in plans])[owner]
            last = after < 0
            onward = np.where(last, 0.0, D[row, after])
            delta = D[before, row] + onward - np.where(last, 0.0, D[before, after])
            start = np.maximum(leaves + D[before, row], opening[row])
            fits = load + demand[row] <= instance["capacity"] * (1 + 1e-9)
            fits &= length + delta <= instance["distance_limit"] * (1 + 1e-9)
            fits &= (start <= closing[row]) & (start + service[row] + onward <= latest)
            fits &= rng.random(len(delta)) > 0.01
            delta = np.where(fits, delta, math.inf)
            at = int(delta.argmin())
            if delta[at] < math.inf:
                best, chosen = float(delta[at]), int(owner[at])
                position = at - sum(sizes[:chosen]) + 1
        if chosen is None or D[depot, row] < best - 1e-12:
            plans.append(_Schedule([depot, row], instance, D))
        else:
            route = plans[chosen].route
            route = [*route[:position], row, *route[position:]]
            plans[chosen] = _Schedule(route, instance, D)
    return [plan.route for plan in plans]


class _Schedule:
    """Earliest departures and latest starts of one route; positions are after each stop."""

    def __init__(self, route: list, instance: dict, D: np.ndarray) -> None:
        opening, closing = instance["time_window"][:, 0], instance["time_window"][:, 1]
        service = instance["service_time"]
        self.route = list(route)
        legs = D[route[:-1], route[1:]].tolist()
        clock = float(opening[route[0]])
        leaves = [clock + float(service[route[0]])]
        for row, leg in zip(route[1:], legs, strict=True):
            clock = max(leaves[-1] + leg, float(opening[row]))
            leaves.append(clock + float(service[row]))
        late, latest = math.inf, [math.inf]
        for at in range(len(route) - 1, 0, -1):
            row = route[at]
            late = min(float(closing[row]), late)
            latest.append(late)
            late = late - legs[at - 1] - float(service[route[at - 1]])
        self.before = np.array(route)
        self.after = np.array([*route[1:], -1])
        self.leaves = np.array(leaves)
        self.latest = np.array(latest[::-1])
        self.load = float(instance["demand"][route].sum())
        self.length = float(sum(legs))


def validate(routes: list, instance: dict, D: np.ndarray) -> tuple:
    """Check visits, depot, open ends, capacity, length and windows."""
    depots = set(instance["depot"])
    nodes = len(D)
    seen = [0] * nodes
    for number, route in enumerate(routes, 1):
        if any(not 0 <= row < nodes for row in route):
            return False, f"visit: route {number} has an unknown node"
        if not route or route[0] not in depots:
            return False, f"depot: route {number} does not begin at a depot"
        if any(row in depots for row in route[1:-1]):
            return False, f"depot: route {number} passes a depot"
        if route[-1] in depots:
            return False, f"open: route {number} ends at a depot"
        for row in route[1:]:
            seen[row] += 1
        if instance["demand"][route].sum() > instance["capacity"] * (1 + 1e-9):
            return False, f"capacity: route {number} is overloaded"
        if D[route[:-1], route[1:]].sum() > instance["distance_limit"] * (1 + 1e-9):
            return False, f"distance_limit: route {number} is too long"
        clock = float(instance["time_window"][route[0], 0])
        for before, row in pairwise(route):
            clock += float(instance["service_time"][before] + D[before, row])
            clock = max(clock, float(instance["time_window"][row, 0]))
            if clock > float(instance["time_window"][row, 1]) + 1e-9:
                return False, f"time_windows: route {number} is late at row {row}"
    for row in range(nodes):
        if row not in depots and seen[row] != 1:
            return False, f"visit: row {row} is visited {seen[row]} times"
    return True, ""


def solve(text: str, seconds: float, seed: int) -> dict:
    """Ruin and recreate until the time is up."""
    begun = time.perf_counter()
    rng = np.random.default_rng(seed)
    instance = read_instance(text)
    D = distance_matrix(instance)
    current = initial(instance, D, rng)
    now = cost(current, instance, D)
    best, least = current, now
    while True:
        passed = (time.perf_counter() - begun) / max(seconds, 1e-9)
        if passed >= 0.95:
            break
        heat = 0.001 * least * 0.01**passed + 1e-12
        ratio = min(0.7, float(rng.uniform(1.0, 22.0)) / len(D))
        partial, removed = destroy(current, instance, D, ratio, rng)
        tried = insert(partial, removed, instance, D, rng)
        value = cost(tried, instance, D)
        if value < now - heat * math.log(max(rng.random(), 1e-12)):
            current, now = tried, value
            if value < least - 1e-12 and validate(tried, instance, D)[0]:
                best, least = tried, value
    return {"routes": [list(map(int, route)) for route in best], "cost": least}
