"""A vehicle-routing instance as arrays: nodes, fleet, travel, and the relations between nodes."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNLIMITED = -1  # of Fleet.available and Fleet.max_trips
ANY = -1  # of Fleet.start_depot and Fleet.end_depot


class RoutingError(InputError):
    """A routing file, table or plan cannot be used: what is wrong, where, and what to do."""


class Kind(IntEnum):
    """What a node is."""

    DEPOT = 0
    CUSTOMER = 1
    STATION = 2


@dataclass(frozen=True, eq=False)
class Fleet:
    """Vehicle types; arrays have a leading dimension of types ``T``.

    ``G`` load dimensions, ``N`` nodes, ``S`` skills. Units: load units of the demands, distance
    units of ``RoutingInstance.distances``, time units of ``RoutingInstance.durations``. A limit
    that is not there is infinite.
    """

    available: Ints  # [T] vehicles of the type, UNLIMITED where the file gives no number
    capacity: Floats  # [T, G]
    fixed_cost: Floats  # [T] cost of using a vehicle
    distance_cost: Floats  # [T] cost per unit of distance
    duration_cost: Floats  # [T] cost per unit of time from departure to return
    start_depot: Ints  # [T] row of the depot, or ANY
    end_depot: Ints  # [T] row of the depot, or ANY: the one where the route started
    max_distance: Floats  # [T]
    max_duration: Floats  # [T] from departure to return, waiting and breaks included
    shift: Floats  # [T, 2] earliest departure, latest return
    allowed: Bools  # [T, N] may visit the node
    skills: Bools  # [T, S]
    max_trips: Ints  # [T] trips of one vehicle (reloads + 1), UNLIMITED
    reload_depots: Bools  # [T, N] may reload there
    max_driving: Floats  # [T] time at the wheel in one route
    max_driving_unbroken: Floats  # [T] time at the wheel between two breaks
    break_length: Floats  # [T] duration of a break

    @property
    def types(self) -> int:
        """Number of vehicle types."""
        return len(self.available)


@dataclass(frozen=True, eq=False)
class Battery:
    """Electric vehicles: a full battery at depots, linear use, full recharge at stations.

    ``capacity`` in energy units, ``consumption`` energy per unit of distance, ``recharge_time``
    time per unit of energy (Schneider, Stenger, Goeke 2014).
    """

    capacity: float
    consumption: float
    recharge_time: float


@dataclass(frozen=True, eq=False)
class RoutingInstance:
    """A routing problem's data; nodes are rows ``0 … N-1`` in the order of the file.

    An infinite distance is a forbidden arc. Windows that a node does not use are ``(inf, -inf)``.
    Pairs, precedences, groups and incompatibilities name rows.
    """

    name: str
    node_ids: tuple[str, ...]  # names in the file
    kinds: Ints  # [N] Kind
    distances: Floats  # [N, N] from row to column, units of cost where no other cost is given
    durations: Floats  # [N, N] travel time, time units
    coordinates: Floats | None  # [N, 2]
    deliveries: Floats  # [N, G] brought from the depot
    pickups: Floats  # [N, G] taken to the depot, or from a pair's pickup to its delivery
    windows: Floats  # [N, W, 2] service may start within, time units
    service: Floats  # [N] time units
    release: Floats  # [N] earliest departure of the trip that serves the node
    prizes: Floats  # [N]
    required: Bools  # [N] must be visited
    min_prize: float  # prizes to be collected
    pairs: Ints  # [P, 2] pickup, delivery
    precedence: Ints  # [Q, 2] before, after
    incompatible: Ints  # [I, 2] never in one vehicle
    groups: tuple[tuple[int, ...], ...]  # exactly one customer of each is visited
    skills: Bools  # [N, S] skills that the node needs
    lifo: bool  # loads of pairs are unloaded last in, first out
    fleet: Fleet
    battery: Battery | None
    units: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.kinds)

    @property
    def depots(self) -> Ints:
        """Rows of the depots."""
        return np.flatnonzero(self.kinds == Kind.DEPOT)

    @property
    def customers(self) -> Ints:
        """Rows of the customers."""
        return np.flatnonzero(self.kinds == Kind.CUSTOMER)

    @property
    def stations(self) -> Ints:
        """Rows of the recharging stations."""
        return np.flatnonzero(self.kinds == Kind.STATION)

    @property
    def load_dimensions(self) -> int:
        """Number of load dimensions ``G``."""
        return int(self.deliveries.shape[1])

    def __post_init__(self) -> None:
        """Check shapes.

        Raises:
            RoutingError: an array's shape contradicts the number of nodes or vehicle types.
        """
        nodes, types, loads = self.size, self.fleet.types, self.load_dimensions
        wanted = {
            "distances": (nodes, nodes),
            "durations": (nodes, nodes),
            "pickups": (nodes, loads),
            "service": (nodes,),
            "release": (nodes,),
            "prizes": (nodes,),
            "required": (nodes,),
        }
        for key, shape in wanted.items():
            if getattr(self, key).shape != shape:
                raise RoutingError(f"{key} has shape {getattr(self, key).shape}, wanted {shape}.")
        if self.windows.shape[0] != nodes or self.windows.shape[2:] != (2,):
            raise RoutingError(f"windows has shape {self.windows.shape}, wanted ({nodes}, W, 2).")
        if self.fleet.capacity.shape != (types, loads):
            shape = self.fleet.capacity.shape
            raise RoutingError(f"capacity has shape {shape}, wanted {(types, loads)}.")
        if len(self.node_ids) != nodes:
            raise RoutingError(f"{len(self.node_ids)} names for {nodes} nodes.")


_FLEET_DEFAULTS: dict[str, tuple[float, type]] = {
    "available": (UNLIMITED, np.int64),
    "fixed_cost": (0.0, np.float64),
    "distance_cost": (1.0, np.float64),
    "duration_cost": (0.0, np.float64),
    "start_depot": (ANY, np.int64),
    "end_depot": (ANY, np.int64),
    "max_distance": (np.inf, np.float64),
    "max_duration": (np.inf, np.float64),
    "max_trips": (1, np.int64),
    "max_driving": (np.inf, np.float64),
    "max_driving_unbroken": (np.inf, np.float64),
    "break_length": (0.0, np.float64),
}


def make_fleet(
    nodes: int,
    types: int = 1,
    *,
    capacity: ArrayLike = np.inf,
    load_dimensions: int = 1,
    skill_count: int = 0,
    **given: Any,
) -> Fleet:
    """Return a fleet with every field that is not given at its default (no limit, cost 1).

    Args:
        nodes: number of nodes ``N``.
        types: number of vehicle types ``T``.
        capacity: a scalar, ``[T]`` or ``[T, G]``.
        load_dimensions: ``G``.
        skill_count: ``S``.
        given: other fields of ``Fleet``, scalars or arrays.
    """
    fields: dict[str, Any] = {}
    for key, (default, kind) in _FLEET_DEFAULTS.items():
        value: NDArray[Any] = np.asarray(given.pop(key, default), dtype=kind)
        fields[key] = np.broadcast_to(value, (types,)).copy()
    limits = np.asarray(capacity, dtype=np.float64)
    limits = limits[:, None] if limits.ndim == 1 else limits
    fields["capacity"] = np.broadcast_to(limits, (types, load_dimensions)).copy()
    shapes: dict[str, tuple[Any, tuple[int, ...], type]] = {
        "shift": ((0.0, np.inf), (types, 2), np.float64),
        "allowed": (True, (types, nodes), np.bool_),
        "skills": (False, (types, skill_count), np.bool_),
        "reload_depots": (False, (types, nodes), np.bool_),
    }
    for key, (fallback, shape, kind) in shapes.items():
        table: NDArray[Any] = np.asarray(given.pop(key, fallback), dtype=kind)
        fields[key] = np.broadcast_to(table, shape).copy()
    if given:
        raise RoutingError(f"a fleet has no field {sorted(given)[0]}.")
    return Fleet(**fields)


def make_instance(kinds: ArrayLike, distances: ArrayLike, **given: Any) -> RoutingInstance:
    """Return an instance with every field that is not given at its default.

    Args:
        kinds: ``[N]`` of ``Kind``.
        distances: ``[N, N]``.
        given: other fields of ``RoutingInstance``; demands as ``[N]`` or ``[N, G]``, windows as
            ``[N, 2]`` or ``[N, W, 2]``.

    Raises:
        RoutingError: shapes contradict one another, or a field is unknown.
    """
    kind_row = np.asarray(kinds, dtype=np.int64)
    nodes = len(kind_row)
    matrix = np.asarray(distances, dtype=np.float64)
    deliveries = _columns(given.pop("deliveries", np.zeros(nodes)))
    loads = deliveries.shape[1]
    windows = np.asarray(given.pop("windows", np.tile((0.0, np.inf), (nodes, 1))), dtype=float)
    fleet = given.pop("fleet", None) or make_fleet(nodes, load_dimensions=loads)
    fields: dict[str, Any] = {
        "name": given.pop("name", "instance"),
        "node_ids": tuple(given.pop("node_ids", [str(row) for row in range(nodes)])),
        "kinds": kind_row,
        "distances": matrix,
        "durations": np.asarray(given.pop("durations", matrix), dtype=np.float64),
        "coordinates": given.pop("coordinates", None),
        "deliveries": deliveries,
        "pickups": _columns(given.pop("pickups", np.zeros((nodes, loads)))),
        "windows": windows[:, None, :] if windows.ndim == 2 else windows,
        "required": np.asarray(given.pop("required", kind_row == Kind.CUSTOMER), dtype=bool),
        "min_prize": float(given.pop("min_prize", 0.0)),
        "groups": tuple(tuple(group) for group in given.pop("groups", ())),
        "skills": np.asarray(given.pop("skills", np.zeros((nodes, 0))), dtype=bool),
        "lifo": bool(given.pop("lifo", False)),
        "battery": given.pop("battery", None),
        "units": dict(given.pop("units", {})),
        "fleet": fleet,
    }
    fields |= _rows(nodes, given)
    if given:
        raise RoutingError(f"a routing instance has no field {sorted(given)[0]}.")
    return RoutingInstance(**fields)


def _rows(nodes: int, given: dict[str, Any]) -> dict[str, Any]:
    """Take the numbers of nodes and the pairs of nodes out of the arguments."""
    fields: dict[str, Any] = {}
    for key in ("service", "release", "prizes"):
        fields[key] = np.asarray(given.pop(key, np.zeros(nodes)), dtype=np.float64)
    for key in ("pairs", "precedence", "incompatible"):
        fields[key] = np.asarray(given.pop(key, ()), dtype=np.int64).reshape(-1, 2)
    return fields


def _columns(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array
