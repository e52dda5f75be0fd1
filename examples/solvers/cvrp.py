"""CVRP to the contract of created solvers: capacity, routes that return.

Ruin and recreate with annealing. Numpy and the standard library only; no file is opened.
"""

import math
import time

import numpy as np

SECTIONS = {
    "NODE_COORD_SECTION": "node_coord",
    "DEMAND_SECTION": "demand",
}


def read_instance(text: str) -> dict:
    """Parse VRPLIB text."""
    instance = {"capacity": math.inf, "depot": []}
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
            if key == "CAPACITY":
                instance["capacity"] = float(words[-1])
        elif section == "DEPOT_SECTION":
            instance["depot"] += [int(word) - 1 for word in words if word != "-1"]
        elif section in SECTIONS and words != ["-1"]:
            instance[SECTIONS[section]].append([float(word) for word in words[1:]])
    instance["node_coord"] = np.array(instance["node_coord"])
    instance["demand"] = np.array(instance["demand"])[:, 0]
    return instance


def distance_matrix(instance: dict) -> np.ndarray:
    """Euclidean; to the nearest integer, halves up, where all coordinates are integers."""
    points = instance["node_coord"]
    lengths = np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))
    return np.floor(lengths + 0.5) if (points == np.floor(points)).all() else lengths


def cost(routes: list, instance: dict, D: np.ndarray) -> float:
    """Total length, the ways back included."""
    return float(sum(D[route[:-1], route[1:]].sum() for route in routes))


def initial(instance: dict, D: np.ndarray, rng: np.random.Generator) -> list:
    """Insert all customers, the farthest first."""
    depot = instance["depot"][0]
    customers = [row for row in range(len(D)) if row != depot]
    customers.sort(key=lambda row: -D[depot, row])
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
        longest = min(len(route) - 2, count - len(removed), 10)
        length = int(rng.integers(1, longest + 1))
        at = route.index(row)
        low = max(1, at - length + 1)
        high = min(at, len(route) - 1 - length)
        first = int(rng.integers(low, max(low, high) + 1))
        removed.update(stop for stop in route[first : first + length] if stop != depot)
    kept = [[stop for stop in route if stop not in removed] for route in routes]
    return [route for route in kept if any(stop != depot for stop in route)], sorted(removed)


def insert(routes: list, removed: list, instance: dict, D: np.ndarray, rng) -> list:
    """Cheapest feasible insertion, all positions of all routes at once; skips some at random."""
    depot = instance["depot"][0]
    demand = instance["demand"]
    plans = [list(route) for route in routes]
    loads = [float(demand[route].sum()) for route in plans]
    order = list(removed)
    pick = rng.random()
    if pick < 0.4:
        rng.shuffle(order)
    elif pick < 0.7:
        order.sort(key=lambda row: -demand[row])
    else:
        order.sort(key=lambda row: D[depot, row], reverse=pick < 0.9)
    for row in order:
        best, chosen, position = math.inf, None, 0
        if plans:
            before = np.array([stop for plan in plans for stop in plan[:-1]])
            after = np.array([stop for plan in plans for stop in plan[1:]])
            sizes = [len(plan) - 1 for plan in plans]
            owner = np.repeat(np.arange(len(plans)), sizes)
            delta = D[before, row] + D[row, after] - D[before, after]
            fits = np.array(loads)[owner] + demand[row] <= instance["capacity"] * (1 + 1e-9)
            fits &= rng.random(len(delta)) > 0.01
            delta = np.where(fits, delta, math.inf)
            at = int(delta.argmin())
            if delta[at] < math.inf:
                best, chosen = float(delta[at]), int(owner[at])
                position = at - sum(sizes[:chosen]) + 1
        if chosen is None or D[depot, row] + D[row, depot] < best - 1e-12:
            plans.append([depot, row, depot])
            loads.append(float(demand[row]))
        else:
            plans[chosen].insert(position, row)
            loads[chosen] += float(demand[row])
    return plans


def validate(routes: list, instance: dict, D: np.ndarray) -> tuple:
    """Check visits, depot, returns and capacity."""
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
        if len(route) < 2 or route[-1] != route[0]:
            return False, f"closed: route {number} does not return to its depot"
        for row in route[1:-1]:
            seen[row] += 1
        if instance["demand"][route].sum() > instance["capacity"] * (1 + 1e-9):
            return False, f"capacity: route {number} is overloaded"
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
