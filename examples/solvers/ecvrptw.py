"""ECVRPTW to the contract of created solvers: capacity, time windows, batteries and stations.

Ruin and recreate with annealing. Customers are inserted, and for each changed route the cheapest
stations between them are found by labels (distance, time, energy used). Recharging is full.
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
HEADERS = ("CAPACITY", "FUEL_CAPACITY", "FUEL_CONSUMPTION_RATE", "REFUEL_RATE")
NEAR = 3  # stations that are tried between two nodes
LABELS = 5  # labels that are kept at a node


def read_instance(text: str) -> dict:
    """Parse the electric-vehicle format."""
    instance = {"capacity": math.inf, "depot": [], "station": []}
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
        elif section == "MAP_SECTION" and len(words) == 2:
            continue
        elif section == "DEPOT_SECTION" and words[0] != ":":
            instance["depot"] += [int(word) - 1 for word in words if word != "-1"]
        elif section == "STATION_SECTION":
            instance["station"] += [int(word) - 1 for word in words if word != "-1"]
        elif section in SECTIONS and words != ["-1"] and not key[0].isalpha():
            instance[SECTIONS[section]].append([float(word) for word in words[1:]])
        elif key in HEADERS:
            instance[key.lower()] = float(words[-1])
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
    """Total length."""
    return float(sum(D[route[:-1], route[1:]].sum() for route in routes))


def initial(instance: dict, D: np.ndarray, rng: np.random.Generator) -> list:
    """Insert all customers, those with early deadlines first."""
    ends = {*instance["depot"], *instance["station"]}
    customers = [row for row in range(len(D)) if row not in ends]
    customers.sort(key=lambda row: instance["time_window"][row, 1])
    return insert([], customers, instance, D, rng)


def destroy(routes: list, instance: dict, D: np.ndarray, ratio: float, rng) -> tuple:
    """Remove strings of customers from routes near a random centre; stations go, they are set anew."""
    ends = {*instance["depot"], *instance["station"]}
    bare = [[row for row in route if row not in ends] for route in routes]
    where = {row: number for number, route in enumerate(bare) for row in route}
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
        route = bare[number]
        length = int(rng.integers(1, min(len(route), count - len(removed), 8) + 1))
        at = route.index(row)
        low, high = max(0, at - length + 1), min(at, len(route) - length)
        first = int(rng.integers(low, max(low, high) + 1))
        removed.update(route[first : first + length])
    kept = []
    for number, route in enumerate(routes):
        if number not in touched:
            kept.append(list(route))
        elif any(row not in removed for row in bare[number]):
            kept.append([route[0], *(r for r in bare[number] if r not in removed), route[-1]])
    return kept, sorted(removed)


def insert(routes: list, removed: list, instance: dict, D: np.ndarray, rng) -> list:
    """Cheapest feasible insertion; the stations of a changed route are set anew."""
    depot = instance["depot"][0]
    model = _model(instance, D)
    ends = {*instance["depot"], *instance["station"]}
    plans = []
    order = list(removed)
    for route in routes:
        bare = [row for row in route if row not in ends]
        found = model.route(bare)
        if found is None:
            order += bare  # does not happen to routes that were feasible with more customers
        else:
            plans.append((bare, *found))
    pick = rng.random()
    if pick < 0.5:
        rng.shuffle(order)
    elif pick < 0.75:
        order.sort(key=lambda row: -D[depot, row])
    else:
        order.sort(key=lambda row: instance["time_window"][row, 1])
    for row in order:
        alone = model.route([row])
        best = (math.inf if alone is None else alone[1], -1, [row], alone)
        options = []
        for number, (bare, _, length) in enumerate(plans):
            load = model.demand[row] + sum(model.demand[stop] for stop in bare)
            if load > instance["capacity"] * (1 + 1e-9):
                continue
            options += [(added, number, at, length) for added, at in model.spots(bare, row)]
        options.sort()
        for tries, (added, number, at, length) in enumerate(options):
            if tries >= 12 or added >= best[0]:
                break
            if rng.random() < 0.02:
                continue
            bare = plans[number][0]
            longer = [*bare[:at], row, *bare[at:]]
            found = model.route(longer)
            if found is not None and found[1] - length < best[0]:
                best = (found[1] - length, number, longer, found)
        if best[3] is None:
            raise ValueError(f"customer {row} cannot be served")
        if best[1] < 0:
            plans.append((best[2], *best[3]))
        else:
            plans[best[1]] = (best[2], *best[3])
    return [stops for _, stops, _ in plans]


def _model(instance: dict, D: np.ndarray) -> "_Model":
    if instance.get("_model") is None:
        instance["_model"] = _Model(instance, D)
    return instance["_model"]


class _Model:
    """Plain lists for speed, near stations for each arc, and routes that were built before."""

    def __init__(self, instance: dict, D: np.ndarray) -> None:
        self.depot = instance["depot"][0]
        self.D = D.tolist()
        self.opening = instance["time_window"][:, 0].tolist()
        self.closing = instance["time_window"][:, 1].tolist()
        self.service = instance["service_time"].tolist()
        self.demand = instance["demand"].tolist()
        self.tank = instance["fuel_capacity"]
        self.rate = instance["fuel_consumption_rate"]
        self.refuel = instance["refuel_rate"]
        self.near = {}
        self.known = {}
        self.charging = set(instance["station"])
        stations = np.array(instance["station"], dtype=int)
        for a in range(len(D)):
            detours = D[a, stations][:, None] + D[stations, :]
            ranked = np.argsort(detours, axis=0, kind="stable")[:NEAR]
            for b in range(len(D)):
                self.near[a, b] = stations[ranked[:, b]].tolist()

    def spots(self, bare: list, row: int) -> list:
        """Return (added length, position) where time may do without stations."""
        D, opening, closing, service = self.D, self.opening, self.closing, self.service
        path = [self.depot, *bare, self.depot]
        latest = [0.0] * len(path)
        late = closing[self.depot]
        latest[-1] = late
        for at in range(len(path) - 2, -1, -1):
            late = min(closing[path[at]], late - D[path[at]][path[at + 1]] - service[path[at]])
            latest[at] = late
        found = []
        clock = opening[self.depot]
        for at in range(len(path) - 1):
            a, b = path[at], path[at + 1]
            if at:
                clock = max(clock, opening[a])
            leaves = clock + service[a]
            start = max(leaves + D[a][row], opening[row])
            if start <= closing[row] and start + service[row] + D[row][b] <= latest[at + 1]:
                found.append((D[a][row] + D[row][b] - D[a][b], at))
            clock = leaves + D[a][b]
        return found

    def route(self, bare: list) -> tuple | None:
        """Return (stops, length) with the cheapest stations, or None where no way is feasible."""
        key = tuple(bare)
        if key not in self.known:
            if len(self.known) > 60_000:
                self.known.clear()
            self.known[key] = self._labelled(bare)
        return self.known[key]

    def _labelled(self, bare: list) -> tuple | None:
        depot = self.depot
        labels = [(0.0, self.opening[depot] + self.service[depot], 0.0, (depot,))]
        for row in [*bare, depot]:
            reached = []
            for label in labels:
                self._reach(label, row, reached)
                for station in self.near[label[3][-1], row]:
                    middle = []
                    self._reach(label, station, middle)
                    for between in middle:
                        self._reach(between, row, reached)
                        if len(bare) <= 2:  # far customers may need two stations in a row
                            for second in self.near[station, row]:
                                further = []
                                self._reach(between, second, further)
                                for far in further:
                                    self._reach(far, row, reached)
            labels = _undominated(reached)
            if not labels:
                return None
        return list(labels[0][3]), labels[0][0]

    def _reach(self, label: tuple, row: int, reached: list) -> None:
        """Add the label of going on to a node, where time and energy allow it."""
        length, clock, used, stops = label
        here = stops[-1]
        leg = self.D[here][row]
        used = used + leg * self.rate
        if used > self.tank * (1 + 1e-10):
            return
        start = max(clock + leg, self.opening[row])
        if start > self.closing[row] + 1e-9:
            return
        leaves = start + self.service[row]
        if row in self.charging:
            leaves += used * self.refuel
            used = 0.0
        reached.append((length + leg, leaves, used, (*stops, row)))


def _undominated(labels: list) -> list:
    """Keep the shortest labels of which none is worse than another in everything."""
    kept = []
    for label in sorted(labels, key=lambda one: one[:3]):
        if not any(one[1] <= label[1] and one[2] <= label[2] for one in kept):
            kept.append(label)
            if len(kept) == LABELS:
                break
    return kept


def validate(routes: list, instance: dict, D: np.ndarray) -> tuple:
    """Check visits, depot, returns, capacity, energy and windows, stations' and depot's included."""
    depots, stations = set(instance["depot"]), set(instance["station"])
    windows, nodes = instance["time_window"], len(D)
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
        clock = float(windows[route[0], 0]) + float(instance["service_time"][route[0]])
        used, tank = 0.0, instance["fuel_capacity"]
        for before, row in pairwise(route):
            leg = float(D[before, row])
            used += leg * instance["fuel_consumption_rate"]
            if used > tank * (1 + 1e-9):
                return False, f"battery: route {number} runs empty before row {row}"
            clock = max(clock + leg, float(windows[row, 0]))
            if clock > float(windows[row, 1]) + 1e-9 * max(1.0, clock):
                return False, f"time_windows: route {number} is late at row {row}"
            clock += float(instance["service_time"][row])
            if row in stations:
                clock += used * instance["refuel_rate"]
                used = 0.0
    for row in range(nodes):
        if row not in depots and row not in stations and seen[row] != 1:
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
        ratio = min(0.5, float(rng.uniform(1.0, 16.0)) / len(D))
        partial, removed = destroy(current, instance, D, ratio, rng)
        tried = insert(partial, removed, instance, D, rng)
        value = cost(tried, instance, D)
        if value < now - heat * math.log(max(rng.random(), 1e-12)):
            current, now = tried, value
            if value < least - 1e-12 and validate(tried, instance, D)[0]:
                best, least = tried, value
    return {"routes": [list(map(int, route)) for route in best], "cost": least}
