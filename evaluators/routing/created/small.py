"""Small instances like the user's: a few of its nodes, with every limit wide open."""

from dataclasses import fields, replace

import numpy as np

from ..instance import UNLIMITED, Battery, Fleet, Floats, Ints, Kind, RoutingInstance
from ..reading import Reading

CUSTOMERS = 6
STATIONS = 3
DEPOTS = 3
TYPES = 3


def trimmed(reading: Reading, rng: np.random.Generator) -> RoutingInstance:
    """Return a few of the instance's nodes, in the order of the file, with all their relations."""
    instance = reading.instance
    customers = _customers(instance, rng)
    depots, stations = instance.depots[:DEPOTS], instance.stations
    if len(stations) > STATIONS:
        stations = rng.choice(stations, STATIONS, replace=False)
    rows = np.sort(np.concatenate([depots, customers, stations]).astype(np.int64))
    return _subset(instance, rows, _names(reading, rows))


def part_of(reading: Reading, share: float, rng: np.random.Generator) -> RoutingInstance:
    """Return the instance with a share of its customers, chosen at random; all else stays.

    Pairs stay whole, groups keep a member, and the last node of a sequential ordering stays.

    Args:
        reading: the user's file.
        share: of the customers, above 0 and at most 1.
        rng: the source of chance.
    """
    instance = reading.instance
    every = instance.customers
    if len(instance.pairs):
        count = max(1, round(share * len(instance.pairs)))
        paired = rng.permutation(instance.pairs)[:count].ravel()
        single = np.setdiff1d(every, instance.pairs.ravel())
        kept = np.concatenate([paired, _share(single, share, rng)])
    else:
        kept = _share(every, share, rng)
        if len(instance.precedence):
            kept = np.union1d(kept, every[-1:])
        for group in instance.groups:
            if not np.isin(group, kept).any():
                kept = np.append(kept, rng.choice(group))
    rows = np.sort(np.concatenate([instance.depots, kept, instance.stations]).astype(np.int64))
    return _subset(instance, rows, _names(reading, rows), types=instance.fleet.types)


def _share(rows: Ints, share: float, rng: np.random.Generator) -> Ints:
    return rng.permutation(rows)[: round(share * len(rows))]


def _customers(instance: RoutingInstance, rng: np.random.Generator) -> Ints:
    """Choose customers: pairs and groups whole, deliveries and pickups both, demands not zero."""
    every = instance.customers
    if len(instance.pairs):
        return rng.permutation(instance.pairs)[: CUSTOMERS // 2].ravel()
    if instance.groups:
        few = sorted(instance.groups, key=len)[:3]
        return np.unique([row for group in few for row in group[:2]])
    if len(instance.precedence):
        return _preceding(instance, rng)
    picked = every[(instance.pickups[every] > 0).any(axis=1)]
    brought = every[(instance.deliveries[every] > 0).any(axis=1)]
    half = CUSTOMERS // 2
    chosen = [*rng.permutation(picked)[:half].tolist(), *rng.permutation(brought)[:half].tolist()]
    chosen += rng.permutation(np.setdiff1d(brought, chosen)).tolist()
    chosen += rng.permutation(np.setdiff1d(every, chosen)).tolist()
    return np.array(list(dict.fromkeys(chosen))[:CUSTOMERS], dtype=np.int64)


def _preceding(instance: RoutingInstance, rng: np.random.Generator) -> Ints:
    """Choose customers with precedences among them; the last node of a sequential ordering stays."""
    every = instance.customers
    inner = instance.precedence[np.isin(instance.precedence, every[:-1]).all(axis=1)]
    chosen = rng.permutation(inner)[:2].ravel().tolist()
    chosen += rng.permutation(np.setdiff1d(every[:-1], chosen)).tolist()
    few = list(dict.fromkeys(chosen))[: CUSTOMERS - 1]
    return np.array([*few, int(every[-1])], dtype=np.int64)


def _names(reading: Reading, rows: Ints) -> tuple[str, ...]:
    """Number the nodes anew where the file numbers them."""
    names = reading.instance.node_ids
    if not all(name.isdigit() for name in names):
        return tuple(names[row] for row in rows)
    return tuple(str(int(names[0]) + index) for index in range(len(rows)))


def _subset(
    instance: RoutingInstance, rows: Ints, names: tuple[str, ...], types: int = TYPES
) -> RoutingInstance:
    place = np.full(instance.size, -1)
    place[rows] = np.arange(len(rows))

    def related(pairs: Ints) -> Ints:
        moved = place[pairs]
        kept: Ints = moved[(moved >= 0).all(axis=1)].reshape(-1, 2)
        return kept

    changed = {
        field.name: getattr(instance, field.name)[rows]
        for field in fields(instance)
        if field.name
        in ("kinds", "deliveries", "pickups", "windows", "service", "release", "prizes", "skills")
    }
    groups = tuple(
        tuple(int(place[row]) for row in group if place[row] >= 0) for group in instance.groups
    )
    points = instance.coordinates
    square = np.ix_(rows, rows)
    return replace(
        instance,
        node_ids=names,
        required=instance.required[rows],
        distances=instance.distances[square],
        durations=instance.durations[square],
        coordinates=None if points is None else points[rows],
        pairs=related(instance.pairs),
        precedence=related(instance.precedence),
        incompatible=related(instance.incompatible),
        groups=tuple(group for group in groups if group),
        fleet=_fleet(instance.fleet, rows, place, types),
        **changed,
    )


def _fleet(fleet: Fleet, rows: Ints, place: Ints, most: int) -> Fleet:
    """Return the first vehicle types, and what they say of the nodes that are left."""
    types = np.arange(min(most, fleet.types))
    changed = {field.name: getattr(fleet, field.name)[types] for field in fields(fleet)}
    for key in ("allowed", "reload_depots"):
        changed[key] = changed[key][:, rows]
    for key in ("start_depot", "end_depot"):
        homes = np.where(changed[key] >= 0, place[changed[key]], -1)
        first = int(np.flatnonzero(place >= 0)[0])
        changed[key] = np.where((changed[key] >= 0) & (homes < 0), place[first], homes)
    return Fleet(**changed)


def whole(values: Floats) -> bool:
    """Return whether all finite values are whole numbers, as programs may then expect."""
    finite = values[np.isfinite(values)]
    return bool((finite == np.floor(finite)).all())


def widened(instance: RoutingInstance, single: bool) -> RoutingInstance:
    """Return the instance with every limit so wide that it does not bind.

    Args:
        instance: a small one.
        single: whether the file's type fixes one vehicle.
    """
    fleet = instance.fleet
    finite = instance.distances[np.isfinite(instance.distances)]
    reach = float(finite.max(initial=1.0)) * (instance.size + 4)
    times = instance.durations[np.isfinite(instance.durations)]
    battery = instance.battery
    drained = reach * battery.consumption if battery else 0.0
    horizon = float(times.max(initial=1.0)) * (instance.size + 4) + float(instance.service.sum())
    horizon += drained * battery.recharge_time if battery else 0.0
    amount = (instance.deliveries + instance.pickups).sum(axis=0)
    windows = instance.windows.copy()
    used = windows[:, :, 0] < np.inf
    real = used.any() and np.isfinite(windows[:, :, 1][used]).any()
    if real:
        windows[:] = (np.inf, -np.inf)
        windows[:, 0] = (0.0, np.ceil(4 * horizon))
        if windows.shape[1] > 1:  # further windows are needed by the file's columns
            windows[:, 1:] = windows[:, :1]
    enough = len(instance.customers)
    available = np.where(fleet.available == UNLIMITED, UNLIMITED, enough)
    available = available if not single and fleet.types == 1 else fleet.available
    changed = replace(
        fleet,
        available=available,
        capacity=np.where(np.isfinite(fleet.capacity), np.ceil(amount) * 2.0, np.inf),
        max_distance=_wide(fleet.max_distance, 2 * reach),
        max_duration=_wide(fleet.max_duration, 8 * horizon),
        allowed=np.ones_like(fleet.allowed),
    )
    return replace(
        instance,
        windows=windows,
        fleet=changed,
        release=np.zeros_like(instance.release),
        min_prize=0.0,
        battery=battery
        and Battery(
            float(np.ceil(2 * max(drained, 1e-9))), battery.consumption, battery.recharge_time
        ),
    )


def _wide(limits: Floats, value: float) -> Floats:
    return np.where(np.isfinite(limits), np.ceil(value), np.inf)


def customers_of(instance: RoutingInstance, stops: tuple[int, ...]) -> list[int]:
    """Return the customers among stops."""
    return [stop for stop in stops if instance.kinds[stop] == Kind.CUSTOMER]
