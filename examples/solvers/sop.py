"""SOP to the contract of created solvers: a shortest path through all nodes that keeps precedences.

Ruin and recreate with annealing. Numpy and the standard library only; no file is opened.
"""

import math
import re
import time

import numpy as np

FORBIDDEN = 1_000_000.0  # an arc that is not there


def read_instance(text: str) -> dict:
    """Parse a sequential ordering file; -1 from i to j says that j comes before i."""
    size = int(re.search(r"DIMENSION\s*:\s*(\d+)", text).group(1))
    body = re.split(r"^EDGE_WEIGHT_SECTION\s*:?\s*$", text, flags=re.MULTILINE)[-1]
    values = []
    for word in body.split():
        if word == "EOF" or not re.fullmatch(r"-?[\d.]+(?:[eE][-+]?\d+)?", word):
            break
        values.append(float(word))
    if len(values) == size * size + 1:
        values = values[1:]  # the dimension once more
    weights = np.array(values[: size * size]).reshape(size, size)
    after, before = np.nonzero(weights == -1)
    return {"edge_weight": weights, "precedence": np.stack([before, after], axis=1)}


def distance_matrix(instance: dict) -> np.ndarray:
    """Return the weights, infinite where no way leads."""
    weights = instance["edge_weight"].astype(float)
    matrix = np.where((weights == -1) | (weights >= FORBIDDEN), math.inf, weights)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def cost(routes: list, instance: dict, D: np.ndarray) -> float:
    """Length of the path."""
    return float(sum(D[route[:-1], route[1:]].sum() for route in routes))


def closure(instance: dict) -> np.ndarray:
    """Return ``[N, N]``: whether one node must come before another, directly or not."""
    size = len(instance["edge_weight"])
    first = np.zeros((size, size), dtype=bool)
    pairs = instance["precedence"]
    first[pairs[:, 0], pairs[:, 1]] = True
    for middle in range(size):
        first |= first[:, middle : middle + 1] & first[middle : middle + 1, :]
    return first


def initial(instance: dict, D: np.ndarray, rng: np.random.Generator) -> list:
    """Go to a near node whose predecessors are done, several times with chance; keep the best."""
    before = closure(instance)
    best, least = [], math.inf
    for attempt in range(60):
        route, left = [0], set(range(1, len(D)))
        while left:
            rows = np.array(sorted(left))
            free = rows[~before[np.ix_(rows, rows)].any(axis=0)]
            length = D[route[-1], free] * (1.0 + (0.5 * rng.random(len(free)) if attempt else 0.0))
            route.append(int(free[int(np.argmin(length))]))
            left.discard(route[-1])
        length = cost([route], instance, D)
        if not best or length < least:
            best, least = route, length
    return [best]


def destroy(routes: list, instance: dict, D: np.ndarray, ratio: float, rng) -> tuple:
    """Remove a string of the path, or nodes that are near a random one; never the first."""
    route = routes[0]
    count = max(1, min(len(route) - 1, int(ratio * len(route))))
    if rng.random() < 0.5:
        first = int(rng.integers(1, len(route) - count + 1))
        removed = route[first : first + count]
    else:
        centre = route[int(rng.integers(1, len(route)))]
        near = np.argsort(np.minimum(D[centre], D[:, centre]), kind="stable")
        removed = [int(row) for row in near if row != route[0]][:count]
    gone = set(removed)
    return [[r for r in route if r not in gone]], [r for r in route if r in gone]


def insert(routes: list, removed: list, instance: dict, D: np.ndarray, rng) -> list:
    """Put each node where it is cheapest between its predecessors and its successors."""
    before = instance.get("closure")
    if before is None:
        before = instance["closure"] = closure(instance)
    route = list(routes[0])
    order = list(removed)
    rng.shuffle(order)
    capped = instance.get("capped")
    if capped is None:  # forbidden arcs cost very much while a path is incomplete
        capped = instance["capped"] = np.where(np.isfinite(D), D, 1e7)
    if len(removed) > 1 and rng.random() < 0.4:
        whole = _whole(route, list(removed), before, capped)
        if whole is not None:
            return [whole]
    for row in order:
        path = np.array(route)
        earlier = np.flatnonzero(before[path, row])
        later = np.flatnonzero(before[row, path])
        low = int(earlier[-1]) + 1 if len(earlier) else 1
        high = int(later[0]) if len(later) else len(path)
        spots = np.arange(low, high + 1)
        left = path[spots - 1]
        inner = spots < len(path)
        right = path[np.minimum(spots, len(path) - 1)]
        delta = capped[left, row] + np.where(inner, capped[row, right] - capped[left, right], 0.0)
        if len(delta) > 1:
            delta = np.where(rng.random(len(delta)) < 0.03, delta + 1e9, delta)
        route.insert(int(spots[int(delta.argmin())]), row)
    return [route]


def _whole(route: list, string: list, before: np.ndarray, capped: np.ndarray) -> list | None:
    """Put nodes back in one piece, where it is cheapest; None where some node has to be between."""
    path, first, last = np.array(route), string[0], string[-1]
    earlier = np.flatnonzero(before[np.ix_(path, string)].any(axis=1))
    later = np.flatnonzero(before[np.ix_(string, path)].any(axis=0))
    low = int(earlier[-1]) + 1 if len(earlier) else 1
    high = int(later[0]) if len(later) else len(path)
    if low > high:
        return None
    spots = np.arange(low, high + 1)
    left, right = path[spots - 1], path[np.minimum(spots, len(path) - 1)]
    onward = np.where(spots < len(path), capped[last, right] - capped[left, right], 0.0)
    at = int(spots[int((capped[left, first] + onward).argmin())])
    return [*route[:at], *string, *route[at:]]


def validate(routes: list, instance: dict, D: np.ndarray) -> tuple:
    """Check visits, the start, the one path, arcs and precedences."""
    size = len(D)
    seen = [0] * size
    for route in routes:
        for row in route:
            if not 0 <= row < size:
                return False, f"visit: {row} is no node"
            seen[row] += 1
    if len(routes) != 1:
        return False, f"fleet: {len(routes)} paths instead of one"
    route = routes[0]
    if not route or route[0] != 0:
        return False, "depot: the path does not begin at the first node"
    for row in range(size):
        if seen[row] != 1:
            return False, f"visit: node {row} is visited {seen[row]} times"
    if not np.isfinite(D[route[:-1], route[1:]]).all():
        return False, "arcs: the path uses a forbidden way"
    place = np.argsort(route)
    pairs = instance["precedence"]
    wrong = place[pairs[:, 0]] > place[pairs[:, 1]]
    if wrong.any():
        first, second = pairs[int(np.flatnonzero(wrong)[0])]
        return False, f"precedence: {second} comes before {first}"
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
        scale = least if math.isfinite(least) else 1.0
        heat = 0.02 * scale * 0.01**passed + 1e-12
        ratio = min(0.5, float(rng.uniform(1.0, 14.0)) / len(D))
        partial, removed = destroy(current, instance, D, ratio, rng)
        tried = insert(partial, removed, instance, D, rng)
        value = cost(tried, instance, D)
        if value < now - heat * math.log(max(rng.random(), 1e-12)) or not math.isfinite(now):
            current, now = tried, value
            if value < least - 1e-12 and validate(tried, instance, D)[0]:
                best, least = tried, value
    return {"routes": [list(map(int, route)) for route in best], "cost": least}
