"""What can be proved without a solver: whom no vehicle can serve, and who cannot share one.

Shortest ways over any nodes are used, so that a detour that is shorter than the direct way does
not make a proof wrong.
"""

from dataclasses import dataclass

import numpy as np

from ..instance import UNLIMITED, Bools, Floats, RoutingInstance
from ..reference.shape import VehicleStart, vehicle_starts
from .result import Block

_LARGEST = 400  # nodes, for the shortest ways
_SHOWN = 10
_ROOM = 1e-9


@dataclass(frozen=True, eq=False)
class Shortest:
    """Shortest distances and durations ``[N, N]``, and the earliest start at each node."""

    distances: Floats
    durations: Floats


def shortest_ways(instance: RoutingInstance) -> Shortest:
    """Return the shortest ways between all nodes (Floyd and Warshall); zeros if there are many."""
    if instance.size > _LARGEST:
        zeros = np.zeros_like(instance.distances)
        return Shortest(zeros, zeros)
    matrices = []
    for matrix in (instance.distances, instance.durations):
        way = matrix.copy()
        np.fill_diagonal(way, 0.0)
        for middle in range(instance.size):
            np.minimum(way, way[:, [middle]] + way[[middle]], out=way)
        matrices.append(way)
    return Shortest(*matrices)


def prove(instance: RoutingInstance, names: frozenset[str]) -> list[Block]:
    """Return what proves that no plan exists."""
    ways = shortest_ways(instance)
    starts = vehicle_starts(instance, names)
    blocks = _alone(instance, names, ways, starts) + _totals(instance, names)
    return blocks if blocks else _clique(instance, names, ways, starts)


def _alone(
    instance: RoutingInstance,
    names: frozenset[str],
    ways: Shortest,
    starts: list[VehicleStart],
) -> list[Block]:
    """Find required customers that no vehicle can serve even alone, by the rules that forbid it."""
    customers = [row for row in instance.customers.tolist() if instance.required[row]]
    if not starts:
        return [Block("fleet", (), "there is no vehicle", True)]
    broken = [_option(instance, names, ways, start) for start in starts]
    found: dict[tuple[str, ...], list[int]] = {}
    for row in customers:
        reasons = [tuple(rule for rule, bad in option.items() if bad[row]) for option in broken]
        if all(reasons):
            common = set(reasons[0]).intersection(*reasons[1:])
            rules = tuple(sorted(common)[:1]) or tuple(
                sorted({rule for one in reasons for rule in one})
            )
            found.setdefault(rules, []).append(row)
    blocks = []
    for rules, rows in found.items():
        shown = tuple(instance.node_ids[row] for row in rows)
        message = f"no vehicle can serve {_listed(shown)}, not even alone"
        blocks += [Block(rule, shown, message, True) for rule in rules]
    return blocks


def _option(
    instance: RoutingInstance, names: frozenset[str], ways: Shortest, start: VehicleStart
) -> dict[str, Bools]:
    """Return for each rule which nodes ``[N]`` a vehicle can certainly not serve."""
    fleet, kind = instance.fleet, start.kind
    out, out_time = ways.distances[start.start], ways.durations[start.start]
    back, back_time = np.zeros(instance.size), np.zeros(instance.size)
    if start.end is not None:
        back, back_time = ways.distances[:, start.end], ways.durations[:, start.end]
    amount = np.maximum(instance.deliveries, instance.pickups)
    over = amount > fleet.capacity[kind] * (1 + _ROOM)
    tests: dict[str, Bools] = {
        "site_dependence": ~fleet.allowed[kind],
        "skills": np.any(instance.skills & ~fleet.skills[kind], axis=1),
        "capacity": np.any(over, axis=1),
        "arcs": ~np.isfinite(out + back),
        "distance_limit": out + back > fleet.max_distance[kind] * (1 + _ROOM),
        "duration_limit": out_time + instance.service + back_time
        > fleet.max_duration[kind] * (1 + _ROOM),
        "driving_limit": out_time + back_time > fleet.max_driving[kind] * (1 + _ROOM),
        "time_windows": _late(instance, start, out_time, back_time),
    }
    return {rule: bad for rule, bad in tests.items() if rule in names}


def earliest(instance: RoutingInstance, start: VehicleStart, out_time: Floats) -> Floats:
    """Return when service at each node ``[N]`` can start at the earliest; inf: too late."""
    leave = max(
        float(instance.windows[start.start, :, 0].min()),
        float(instance.fleet.shift[start.kind, 0]),
    )
    arrive = np.maximum(leave, instance.release) + out_time
    opens, closes = instance.windows[..., 0], instance.windows[..., 1]
    reached = closes >= arrive[:, None] - _ROOM * np.maximum(1.0, np.abs(arrive[:, None]))
    begin: Floats = np.where(reached, np.maximum(opens, arrive[:, None]), np.inf).min(axis=1)
    return begin


def _late(
    instance: RoutingInstance, start: VehicleStart, out_time: Floats, back_time: Floats
) -> Bools:
    begin = earliest(instance, start, out_time)
    ends = begin + instance.service + back_time
    shut = float(instance.fleet.shift[start.kind, 1])
    if start.end is not None:
        shut = min(shut, float(instance.windows[start.end, :, 1].max()))
    late: Bools = ends > shut + _ROOM * max(1.0, abs(shut) if np.isfinite(shut) else 1.0)
    return late | ~np.isfinite(begin)


def _totals(instance: RoutingInstance, names: frozenset[str]) -> list[Block]:
    """Compare all demand with all room; pairs do not stay on board and are left out."""
    fleet = instance.fleet
    if not {"capacity", "fleet"} <= names:
        return []
    trips = fleet.max_trips if "reloads" in names else np.ones_like(fleet.max_trips)
    count = np.where(fleet.available == UNLIMITED, np.inf, fleet.available)
    count = count * np.where(trips == UNLIMITED, np.inf, trips)
    with np.errstate(invalid="ignore"):
        room = np.nan_to_num((fleet.capacity * count[:, None]).sum(axis=0), posinf=np.inf)
    needed = instance.required.copy()
    needed[instance.pairs.ravel()] = False
    blocks = []
    for what, amounts in (("deliveries", instance.deliveries), ("pickups", instance.pickups)):
        total = amounts[needed].sum(axis=0)
        for dimension in np.flatnonzero(total > room * (1 + _ROOM)):
            message = (
                f"{what} of {total[dimension]:g} exceed the fleet's room of {room[dimension]:g}"
            )
            blocks.append(Block("capacity", (), message, True))
    return blocks


def _clique(
    instance: RoutingInstance,
    names: frozenset[str],
    ways: Shortest,
    starts: list[VehicleStart],
) -> list[Block]:
    """Find more customers than vehicles, no two of whom fit in one vehicle."""
    vehicles = _vehicles(instance, names)
    rows = np.array([row for row in instance.customers if instance.required[row]], dtype=np.int64)
    if not np.isfinite(vehicles) or len(rows) <= vehicles or instance.size > _LARGEST:
        return []
    apart = {
        rule: table[np.ix_(rows, rows)] for rule, table in _apart(instance, names, ways, starts)
    }
    if not apart:
        return []
    union = np.logical_or.reduce(list(apart.values()))
    best: list[int] = []
    for first in np.argsort(-union.sum(axis=1), kind="stable"):
        clique = [int(first)]
        free = union[first].copy()
        while free.any():
            inside = np.where(free, (union & free[None, :]).sum(axis=1), -1)
            clique.append(int(inside.argmax()))
            free &= union[clique[-1]]
        best = max(best, clique, key=len)
    if len(best) <= vehicles:
        return []
    shown = tuple(instance.node_ids[int(rows[at])] for at in sorted(best))
    pairs = np.ix_(best, best)
    used = [rule for rule, table in apart.items() if table[pairs].any()]
    message = (
        f"no two of {_listed(shown)} fit in one vehicle, and there are {int(vehicles)} vehicles"
    )
    return [Block(rule, shown, message, True) for rule in (*used, "fleet")]


def _vehicles(instance: RoutingInstance, names: frozenset[str]) -> float:
    available = instance.fleet.available
    if "fleet" not in names or (available == UNLIMITED).any():
        return np.inf
    return float(available.sum())


def _apart(
    instance: RoutingInstance,
    names: frozenset[str],
    ways: Shortest,
    starts: list[VehicleStart],
) -> list[tuple[str, Bools]]:
    """Return for rules which two nodes ``[N, N]`` certainly cannot share a vehicle."""
    size = instance.size
    found = []
    if "incompatible" in names and len(instance.incompatible):
        table = np.zeros((size, size), dtype=bool)
        table[instance.incompatible[:, 0], instance.incompatible[:, 1]] = True
        found.append(("incompatible", table | table.T))
    if "capacity" in names and "reloads" not in names and not len(instance.pairs):
        largest = instance.fleet.capacity.max(axis=0) * (1 + _ROOM)
        table = np.zeros((size, size), dtype=bool)
        for goods in (instance.deliveries, instance.pickups):
            table |= (goods[:, None] + goods[None, :] > largest).any(axis=2)
        found.append(("capacity", table))
    if "time_windows" in names:
        begin = np.min(
            [earliest(instance, start, ways.durations[start.start]) for start in starts], axis=0
        )
        last = np.where(instance.windows[..., 0] < np.inf, instance.windows[..., 1], -np.inf)
        arrive = (begin + instance.service)[:, None] + ways.durations
        late = arrive > last.max(axis=1)[None, :] + _ROOM * np.maximum(1.0, np.abs(arrive))
        found.append(("time_windows", late & late.T))
    for _, table in found:
        np.fill_diagonal(table, False)
    return found


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{'customers' if len(names) > 1 else 'customer'} {shown}{more}"
