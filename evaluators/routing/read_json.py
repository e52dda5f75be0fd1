"""JSON text to a routing instance; see ``json_model`` for the keys."""

import json
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .instance import (
    ANY,
    UNLIMITED,
    Battery,
    Bools,
    Fleet,
    Floats,
    Kind,
    RoutingError,
    make_fleet,
    make_instance,
)
from .reading import FileFacts, Reading
from .rounding import euclidean

if TYPE_CHECKING:
    from .json_model import InstanceModel, NodeModel

_KINDS = {"depot": Kind.DEPOT, "customer": Kind.CUSTOMER, "station": Kind.STATION}


def parse_json(text: str, path: str | Path = "text", *, rounding: str = "auto") -> Reading:
    """Read the JSON format.

    Raises:
        RoutingError: the text is not JSON, a key is unknown (with close matches), a value is of
            the wrong type, or a name is of no node.
    """
    from pydantic import ValidationError

    from .json_model import KNOWN_KEYS, InstanceModel

    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise RoutingError(f"{path}, line {error.lineno}: not JSON ({error.msg}).") from error
    try:
        model = InstanceModel.model_validate(raw)
    except ValidationError as error:
        raise RoutingError(f"{path}: {_first(error.errors()[0], KNOWN_KEYS)}") from error
    if rounding != "auto":
        model = model.model_copy(update={"rounding": rounding})
    instance = _Builder(model, str(path)).build()
    given = tuple(sorted(raw)) + tuple(sorted({key for node in raw["nodes"] for key in node}))
    given += tuple(sorted({key for vehicle in raw.get("vehicles", ()) for key in vehicle}))
    headers = {
        key: str(raw[key]) for key in ("open_routes", "load_rule") if raw.get(key) is not None
    }
    facts = FileFacts("json", str(path), headers=headers, fields=given, rounding=model.rounding)
    return Reading(instance, facts)


def _first(error: Any, known: Sequence[str]) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] != "extra_forbidden":
        return f"{place}: {error['msg']}."
    close = get_close_matches(str(error["loc"][-1]), known, n=3, cutoff=0.5)
    guess = f"did you mean {' or '.join(close)}?" if close else "no such key is known."
    return f"{place}: the key is not known; {guess}"


class _Builder:
    """Turns the checked model into arrays."""

    def __init__(self, model: "InstanceModel", path: str) -> None:
        self.model = model
        self.path = path
        self.rows = {str(node.id): row for row, node in enumerate(model.nodes)}
        self.skills = sorted(
            {skill for node in model.nodes for skill in node.skills}
            | {skill for vehicle in model.vehicles for skill in vehicle.skills}
        )
        first: list[Any] = [node.delivery for node in model.nodes]
        first += [node.pickup for node in model.nodes]
        first += [vehicle.capacity for vehicle in model.vehicles]
        self.loads = max((len(load) for load in first if isinstance(load, list)), default=1)

    def row(self, name: str | int, where: str) -> int:
        """Return a node's row.

        Raises:
            RoutingError: there is no such node.
        """
        if str(name) not in self.rows:
            raise RoutingError(f"{self.path}: {where} names node {name}, which is not there.")
        return self.rows[str(name)]

    def load(self, value: float | list[float] | None, default: float = 0.0) -> list[float]:
        """Return one number per load dimension."""
        if isinstance(value, list):
            if len(value) != self.loads:
                raise RoutingError(f"{self.path}: a load has {len(value)} of {self.loads} numbers.")
            return value
        return [default if value is None else value] * self.loads

    def build(self) -> Any:
        """Return the instance."""
        model = self.model
        nodes = model.nodes
        coordinates = self._coordinates()
        distances = self._matrix(model.distances, "distances")
        if distances is None:
            if coordinates is None:
                raise RoutingError(f"{self.path}: there are neither distances nor x and y.")
            distances = euclidean(coordinates, model.rounding)
        durations = self._matrix(model.durations, "durations")
        battery = model.battery
        return make_instance(
            [_KINDS[node.kind] for node in nodes],
            distances,
            name=model.name,
            node_ids=list(self.rows),
            durations=distances / model.speed if durations is None else durations,
            coordinates=coordinates,
            deliveries=np.array([self.load(node.delivery) for node in nodes]),
            pickups=np.array([self.load(node.pickup) for node in nodes]),
            windows=_windows(nodes),
            service=[node.service for node in nodes],
            release=[node.release for node in nodes],
            prizes=[node.prize for node in nodes],
            required=self._required(),
            min_prize=model.min_prize,
            lifo=model.lifo,
            pairs=self._pairs("pairs"),
            precedence=self._pairs("precedence"),
            incompatible=self._incompatible(),
            groups=[[self.row(name, "groups") for name in group] for group in model.groups],
            skills=self._skills([node.skills for node in nodes]),
            battery=battery and Battery(**battery.model_dump()),
            units={key: value for key, value in model.units.model_dump().items() if value},
            fleet=self._fleet(),
        )

    def _required(self) -> Bools:
        required = np.array([n.required and n.kind == "customer" for n in self.model.nodes])
        for group in self.model.groups:
            required[[self.row(name, "groups") for name in group]] = False
        return required

    def _coordinates(self) -> Floats | None:
        points = [(node.x, node.y) for node in self.model.nodes]
        if any(x is None or y is None for x, y in points):
            return None
        return np.array(points, dtype=np.float64)

    def _matrix(self, rows: list[list[float | None]] | None, key: str) -> Floats | None:
        if rows is None:
            return None
        size = len(self.model.nodes)
        if len(rows) != size or any(len(row) != size for row in rows):
            raise RoutingError(f"{self.path}: {key} is not a matrix of {size} by {size}.")
        matrix = np.array([[np.inf if cell is None else cell for cell in row] for row in rows])
        if (matrix < 0).any():
            row, column = np.argwhere(matrix < 0)[0]
            raise RoutingError(f"{self.path}: {key}[{row}][{column}] is negative.")
        return matrix

    def _pairs(self, key: str) -> list[tuple[int, int]]:
        return [(self.row(a, key), self.row(b, key)) for a, b in getattr(self.model, key)]

    def _incompatible(self) -> list[tuple[int, int]]:
        """Pairs of customers, and all pairs of customers with incompatible goods."""
        found = set(self._pairs("incompatible"))
        for one, other in self.model.incompatible_goods:
            holders = [
                [row for row, node in enumerate(self.model.nodes) if good in node.goods]
                for good in (one, other)
            ]
            if not all(holders):
                raise RoutingError(f"{self.path}: no node has goods {one!r} or {other!r}.")
            found |= {(a, b) for a, b in product(holders[0], holders[1]) if a != b}
        return sorted(found)

    def _skills(self, lists: list[list[str]]) -> Bools:
        table = [[skill in owned for skill in self.skills] for owned in lists]
        return np.array(table, dtype=bool).reshape(len(lists), len(self.skills))

    def _fleet(self) -> Fleet:
        vehicles = self.model.vehicles
        nodes = len(self.rows)
        column = _column(vehicles)
        allowed = np.ones((len(vehicles), nodes), dtype=bool)
        reload = np.zeros((len(vehicles), nodes), dtype=bool)
        customers = np.array([node.kind == "customer" for node in self.model.nodes])
        for index, vehicle in enumerate(vehicles):
            if vehicle.allowed is not None:
                allowed[index, customers] = False
                allowed[index, [self.row(name, "allowed") for name in vehicle.allowed]] = True
            allowed[index, [self.row(name, "forbidden") for name in vehicle.forbidden]] = False
            depots = [self.row(name, "reload_depots") for name in vehicle.reload_depots]
            reload[index, depots] = True
        depot = [
            [-1 if n is None else self.row(n, "vehicles") for n in (v.start, v.end)]
            for v in vehicles
        ]
        return make_fleet(
            nodes,
            len(vehicles),
            capacity=np.array([self.load(v.capacity, np.inf) for v in vehicles]),
            load_dimensions=self.loads,
            skill_count=len(self.skills),
            skills=self._skills([v.skills for v in vehicles]),
            available=column("count", UNLIMITED),
            max_trips=column("max_trips", UNLIMITED),
            start_depot=[start for start, _ in depot],
            end_depot=[start if end == ANY else end for start, end in depot],
            shift=np.array([v.shift or (0.0, np.inf) for v in vehicles]),
            allowed=allowed,
            reload_depots=reload,
            fixed_cost=column("fixed_cost", 0.0),
            distance_cost=column("distance_cost", 1.0),
            duration_cost=column("duration_cost", 0.0),
            break_length=column("break_length", 0.0),
            **{key: column(key, np.inf) for key in _LIMITS},
        )


_LIMITS = ("max_distance", "max_duration", "max_driving", "max_driving_unbroken")


def _column(vehicles: Sequence[Any]) -> Callable[[str, float], list[float]]:
    def column(key: str, default: float) -> list[float]:
        values = [getattr(vehicle, key) for vehicle in vehicles]
        return [default if value is None else value for value in values]

    return column


def _windows(nodes: "Sequence[NodeModel]") -> Floats:
    most = max(1, *(len(node.windows) for node in nodes))
    windows = np.empty((len(nodes), most, 2))
    windows[:] = (np.inf, -np.inf)
    for row, node in enumerate(nodes):
        listed = sorted(node.windows) or [(0.0, np.inf)]
        windows[row, : len(listed)] = listed
    return windows
