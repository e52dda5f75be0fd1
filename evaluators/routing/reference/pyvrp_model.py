"""An instance as PyVRP's data. Source of the interface: PyVRP 0.14.

Open routes end at a dummy depot that is free to reach. Skills and site dependence are load
dimensions in which barred vehicles hold nothing. Deliveries-first forbids ways from pickups to
deliveries. A customer with several windows is a group of copies, exactly one of which is visited.
Forbidden ways are longer than any route that has none, and the limit of length refuses them. A
limit of time at the wheel is a limit of length, where times are in proportion to ways.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..instance import UNLIMITED, Bools, RoutingInstance
from ..loads import unpaired
from ..objectives import Objective
from .clock import Clock
from .errors import load
from .money import Money, money
from .scaling import UNBOUNDED, Integers, Scales, scales_of
from .shape import (
    VehicleStart,
    is_customer,
    is_open,
    serves,
    speed_ratio,
    vehicle_starts,
)


@dataclass(frozen=True, eq=False)
class Model:
    """PyVRP's data and what its numbers mean: rows of clients and depots, ends of shipments."""

    data: Any
    client_rows: list[int]
    depot_rows: list[int | None]  # None: the dummy end of open routes
    shipments: list[tuple[int, int]]
    starts: list[VehicleStart]
    leg_cost: float  # no leg without a forbidden way costs more
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LoadDimension:
    """One load dimension: amounts of nodes ``[N]``, of pairs ``[P]``, and limits ``[T]``."""

    deliveries: Integers
    pickups: Integers
    pairs: Integers
    capacity: Integers


def build(
    instance: RoutingInstance,
    names: frozenset[str],
    objective: Objective,
    *,
    shared_room: bool = True,
) -> Model:
    """Build the model.

    Args:
        instance: the data, which ``refuse`` has let pass.
        names: the rules that count.
        objective: what is minimised.
        shared_room: whether deliveries on board and goods picked up share the room of a vehicle.

    Raises:
        SolverMissing: PyVRP is not installed.
    """
    pyvrp = load("pyvrp")
    scales = scales_of(instance)
    starts = vehicle_starts(instance, names)
    distances, durations, limit = _matrices(instance, names, scales)
    dimensions = _dimensions(instance, names, scales, shared_room)
    clock = Clock(instance, scales, "time_windows" in names)
    depots = [pyvrp.Depot(int(row), *clock.windows(int(row))[0]) for row in instance.depots]
    depot_rows: list[int | None] = [int(row) for row in instance.depots]
    if is_open(names):
        depots.append(pyvrp.Depot(instance.size))
        depot_rows.append(None)
    price = money(instance, objective.levels[-1], scales)
    clients, rows, groups = _clients(pyvrp, instance, names, clock, dimensions, price)
    shipments = _shipments(pyvrp, instance, clock, dimensions, price)
    types = [
        _vehicle(pyvrp, instance, names, scales, start, depot_rows, dimensions, price, limit, clock)
        for start in starts
    ]
    locations = [pyvrp.Location(0, 0) for _ in range(len(distances))]
    data = pyvrp.ProblemData(
        locations, clients, depots, types, [distances], [durations], groups, shipments
    )
    pairs = [(int(one), int(two)) for one, two in instance.pairs]
    return Model(data, rows, depot_rows, pairs, starts, price.leg, scales.notes())


def _matrices(
    instance: RoutingInstance, names: frozenset[str], scales: Scales
) -> tuple[Integers, Integers, int]:
    """Return distances, durations, and the length that no route without forbidden ways exceeds."""
    finite = np.isfinite(instance.distances) & np.isfinite(instance.durations)
    distances = scales.distance.up(np.where(finite, instance.distances, 0.0))
    durations = scales.time.up(np.where(finite, instance.durations, 0.0))
    barred = ~finite
    if "backhaul" in names:
        deliveries, pickups = unpaired(instance)
        brings: Bools = np.any(deliveries > 0, axis=1)
        takes: Bools = np.any(pickups > 0, axis=1)
        barred |= takes[:, None] & brings[None, :]
    np.fill_diagonal(barred, False)
    longest = int(distances.max(initial=0)) * (2 * instance.size + 2)
    distances[barred] = longest + 1
    np.fill_diagonal(distances, 0)
    np.fill_diagonal(durations, 0)
    if is_open(names):
        distances = np.pad(distances, ((0, 1), (0, 1)))
        durations = np.pad(durations, ((0, 1), (0, 1)))
        distances[-1, :-1] = longest + 1
    return distances, durations, longest if barred.any() else UNBOUNDED


def _dimensions(
    instance: RoutingInstance, names: frozenset[str], scales: Scales, shared_room: bool
) -> list[LoadDimension]:
    found = []
    deliveries, pickups = unpaired(instance)
    first = instance.pairs[:, 0]
    for number, scale in enumerate(scales.loads):
        room = instance.fleet.capacity[:, number]
        if not ({"capacity", "mixed_backhaul"} & names and np.isfinite(room).any()):
            continue
        bring, take = scale.up(deliveries[:, number]), scale.up(pickups[:, number])
        pairs, limit = scale.up(instance.pickups[first, number]), scale.down(room)
        if shared_room or not take.any():
            found.append(LoadDimension(bring, take, pairs, limit))
        else:
            found.append(LoadDimension(bring, 0 * take, pairs, limit))
            found.append(LoadDimension(0 * bring, take, pairs, limit))
    return found + _barred(instance, names)


def _barred(instance: RoutingInstance, names: frozenset[str]) -> list[LoadDimension]:
    """Return a dimension for each set of customers that some vehicle types may not serve."""
    may = serves(instance, names)
    may[:, ~is_customer(instance)] = True
    found = []
    for barred in np.unique(~may, axis=0):
        if barred.any():
            kinds = (~may == barred).all(axis=1)
            ends = instance.pairs
            either = (barred[ends[:, 0]] | barred[ends[:, 1]]).astype(np.int64)
            amounts = barred.astype(np.int64)
            amounts[ends.ravel()] = 0
            room = np.where(kinds, 0, UNBOUNDED)
            found.append(LoadDimension(amounts, 0 * amounts, either, room))
    return found


def _clients(
    pyvrp: Any,
    instance: RoutingInstance,
    names: frozenset[str],
    clock: Clock,
    dimensions: list[LoadDimension],
    price: Money,
) -> tuple[list[Any], list[int], list[Any]]:
    """Return clients, their rows, and groups of clients of which one is visited."""
    ends = set(instance.pairs.ravel().tolist())
    groups = [list(group) for group in instance.groups] if "groups" in names else []
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    needed = [True] * len(groups)
    clients: list[Any] = []
    rows: list[int] = []
    members: list[list[int]] = [[] for _ in groups]
    for node in instance.customers.tolist():
        if node in ends:
            continue
        windows = clock.windows(node)
        number = group_of.get(node)
        if number is None and len(windows) > 1:
            number = len(members)
            members.append([])
            needed.append(bool(instance.required[node]))
        for window in windows:
            if number is not None:
                members[number].append(len(clients))
            required = number is None and bool(instance.required[node])
            client = pyvrp.Client(
                node,
                [int(dimension.deliveries[node]) for dimension in dimensions],
                [int(dimension.pickups[node]) for dimension in dimensions],
                clock.service(node),
                *window,
                clock.release(node),
                int(price.prizes[node]),
                required,
                number,
            )
            clients.append(client)
            rows.append(node)
    built = [
        pyvrp.ClientGroup(group, required=must) for group, must in zip(members, needed, strict=True)
    ]
    return clients, rows, built


def _shipments(
    pyvrp: Any,
    instance: RoutingInstance,
    clock: Clock,
    dimensions: list[LoadDimension],
    price: Money,
) -> list[Any]:
    found = []
    for number, (one, two) in enumerate(instance.pairs.tolist()):
        found.append(
            pyvrp.Shipment(
                one,
                two,
                *clock.windows(one)[0],
                clock.service(one),
                *clock.windows(two)[0],
                clock.service(two),
                [int(dimension.pairs[number]) for dimension in dimensions],
                int(price.prizes[one] + price.prizes[two]),
                bool(instance.required[one]),
            )
        )
    return found


def _vehicle(
    pyvrp: Any,
    instance: RoutingInstance,
    names: frozenset[str],
    scales: Scales,
    start: VehicleStart,
    depot_rows: list[int | None],
    dimensions: list[LoadDimension],
    price: Money,
    longest: int,
    clock: Clock,
) -> Any:
    fleet, kind = instance.fleet, start.kind
    shift = clock.span(float(fleet.shift[kind, 0]), float(fleet.shift[kind, 1]))
    reloads: list[int] = []
    most = 0
    if "reloads" in names and fleet.max_trips[kind] != 1:
        reloads = [
            number
            for number, row in enumerate(depot_rows)
            if row is not None and fleet.reload_depots[kind, row]
        ]
        trips = int(fleet.max_trips[kind])
        most = len(instance.customers) if trips == UNLIMITED else trips - 1
    duration = np.inf if "duration_limit" not in names else fleet.max_duration[kind]
    return pyvrp.VehicleType(
        start.count,
        [int(dimension.capacity[kind]) for dimension in dimensions],
        depot_rows.index(start.start),
        depot_rows.index(start.end),
        int(price.fixed[kind]),
        shift[0],
        shift[1] if "time_windows" in names else UNBOUNDED,
        int(scales.time.down(duration)),
        min(longest, _length_limit(instance, names, scales, kind)),
        int(price.way[kind]),
        int(price.time[kind]),
        reload_depots=reloads,
        max_reloads=most,
    )


def _length_limit(
    instance: RoutingInstance, names: frozenset[str], scales: Scales, kind: int
) -> int:
    """Return the limit of length, which may come from one of time at the wheel."""
    limit = np.inf
    if "distance_limit" in names:
        limit = float(instance.fleet.max_distance[kind])
    if "driving_limit" in names and np.isfinite(instance.fleet.max_driving[kind]):
        ratio = speed_ratio(instance)
        assert ratio is not None
        limit = min(limit, float(instance.fleet.max_driving[kind]) / ratio)
    return int(scales.distance.down(limit))
