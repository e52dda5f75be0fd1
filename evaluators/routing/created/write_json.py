"""The JSON format with exactly the keys of a file."""

import json
from typing import Any

import numpy as np
from pydantic import BaseModel

from ..instance import ANY, UNLIMITED, Floats, Kind, RoutingInstance
from ..json_model import InstanceModel, NodeModel, VehicleModel
from ..reading import Reading
from ..rounding import ROUNDINGS, euclidean

_KIND = {Kind.DEPOT: "depot", Kind.CUSTOMER: "customer", Kind.STATION: "station"}
_LIMITS = ("max_distance", "max_duration", "max_driving", "max_driving_unbroken")


def write_json(reading: Reading, instance: RoutingInstance) -> str:
    """Return the instance as JSON with the keys of the reading's file.

    Names of skills and goods are new ones: an instance does not keep them.
    """
    return json.dumps(
        _Writer(frozenset(reading.facts.fields), reading, instance).content(), indent=1
    )


def write_everything(reading: Reading) -> str:
    """Return a reading's instance as JSON with every key whose value is not the default."""
    keys = frozenset(
        key for model in (InstanceModel, NodeModel, VehicleModel) for key in model.model_fields
    )
    chosen = "incompatible_goods", "goods", "allowed"  # said by other keys
    writer = _Writer(keys - set(chosen), reading, reading.instance)
    content = _shorter(writer.content(), InstanceModel)
    if reading.instance.coordinates is not None and _euclidean(reading):
        content.pop("distances", None)
    content["nodes"] = [_shorter(node, NodeModel) for node in content["nodes"]]
    content["vehicles"] = [_shorter(kind, VehicleModel) for kind in content.get("vehicles", [{}])]
    return json.dumps(content, indent=1)


def _shorter(content: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Leave out what is as the model has it by default."""
    fields = model.model_fields
    return {
        key: value
        for key, value in content.items()
        if value not in (None, [], {}) and value != fields[key].get_default()
    }


def _euclidean(reading: Reading) -> bool:
    points = reading.instance.coordinates
    rounding = reading.facts.rounding
    if points is None or rounding not in ROUNDINGS or points.shape[1] != 2:
        return False
    return np.array_equal(euclidean(points, rounding), reading.instance.distances)


class _Writer:
    def __init__(self, keys: frozenset[str], reading: Reading, instance: RoutingInstance) -> None:
        self.keys = keys
        self.reading = reading
        self.instance = instance
        self.names = instance.node_ids

    def content(self) -> dict[str, Any]:
        """Return the whole file."""
        instance, names = self.instance, self.names
        battery = instance.battery
        several = not np.array_equal(instance.durations, instance.distances)
        everything: dict[str, Any] = {
            "name": instance.name,
            "nodes": [self._node(row) for row in range(instance.size)],
            "vehicles": [self._vehicle(kind) for kind in range(instance.fleet.types)],
            "distances": _matrix(instance.distances),
            "durations": _matrix(instance.durations) if several else None,
            "speed": self._speed(),
            "rounding": self.reading.facts.rounding,
            "pairs": [[names[a], names[b]] for a, b in instance.pairs],
            "precedence": [[names[a], names[b]] for a, b in instance.precedence],
            "incompatible": [[names[a], names[b]] for a, b in instance.incompatible],
            "incompatible_goods": [[f"goods {a}", f"goods {b}"] for a, b in instance.incompatible],
            "groups": [[names[row] for row in group] for group in instance.groups],
            "lifo": instance.lifo,
            "min_prize": instance.min_prize,
            "battery": battery
            and {
                "capacity": battery.capacity,
                "consumption": battery.consumption,
                "recharge_time": battery.recharge_time,
            },
            "open_routes": _truth(self.reading.facts.headers.get("open_routes")),
            "load_rule": self.reading.facts.headers.get("load_rule"),
            "units": instance.units,
        }
        if "incompatible_goods" in self.keys and "incompatible" in self.keys:
            everything["incompatible"] = []
        return {key: value for key, value in everything.items() if key in self.keys}

    def _speed(self) -> float:
        ratio = self.instance.distances > 0
        ratio &= np.isfinite(self.instance.distances)
        if not ratio.any():
            return 1.0
        return float(np.median(self.instance.distances[ratio] / self.instance.durations[ratio]))

    def _node(self, row: int) -> dict[str, Any]:
        instance = self.instance
        windows = [list(pair) for pair in instance.windows[row].tolist() if pair[0] < np.inf]
        point = instance.coordinates
        forbidden = {number for pair in instance.incompatible.tolist() for number in pair}
        everything = {
            "id": self.names[row],
            "kind": _KIND[Kind(int(instance.kinds[row]))],
            "x": None if point is None else float(point[row, 0]),
            "y": None if point is None else float(point[row, 1]),
            "delivery": _load(instance.deliveries[row]),
            "pickup": _load(instance.pickups[row]),
            "windows": [] if windows == [[0.0, np.inf]] else windows,
            "service": float(instance.service[row]),
            "release": float(instance.release[row]),
            "prize": float(instance.prizes[row]),
            "required": bool(instance.required[row]) or self._in_group(row),
            "skills": _skills(instance.skills[row]),
            "goods": [f"goods {row}"] if row in forbidden else [],
        }
        return {
            k: v for k, v in everything.items() if k in self.keys and k in NodeModel.model_fields
        }

    def _in_group(self, row: int) -> bool:
        return any(row in group for group in self.instance.groups)

    def _vehicle(self, kind: int) -> dict[str, Any]:
        fleet = self.instance.fleet
        start, end = int(fleet.start_depot[kind]), int(fleet.end_depot[kind])
        shift = fleet.shift[kind].tolist()
        everything: dict[str, Any] = {
            "name": f"vehicle {kind + 1}",
            "count": _count(int(fleet.available[kind])),
            "capacity": None
            if np.isinf(fleet.capacity[kind]).all()
            else _load(fleet.capacity[kind]),
            "fixed_cost": float(fleet.fixed_cost[kind]),
            "distance_cost": float(fleet.distance_cost[kind]),
            "duration_cost": float(fleet.duration_cost[kind]),
            "start": None if start == ANY else self.names[start],
            "end": None if end == ANY else self.names[end],
            "shift": None if shift == [0.0, np.inf] else shift,
            "skills": _skills(fleet.skills[kind]),
            "allowed": [self.names[row] for row in np.flatnonzero(fleet.allowed[kind])],
            "forbidden": [self.names[row] for row in np.flatnonzero(~fleet.allowed[kind])],
            "max_trips": _count(int(fleet.max_trips[kind])),
            "reload_depots": [self.names[r] for r in np.flatnonzero(fleet.reload_depots[kind])],
            "break_length": float(fleet.break_length[kind]),
        }
        for key in _LIMITS:
            value = float(getattr(fleet, key)[kind])
            everything[key] = None if np.isinf(value) else value
        if "forbidden" in self.keys and "allowed" in self.keys:
            everything["forbidden"] = []
        return {
            k: v for k, v in everything.items() if k in self.keys and k in VehicleModel.model_fields
        }


def _truth(word: str | None) -> bool | None:
    return None if word is None else word == "True"


def _count(value: int) -> int | None:
    return None if value == UNLIMITED else value


def _load(values: Floats) -> float | list[float]:
    return float(values[0]) if len(values) == 1 else values.tolist()


def _skills(mask: Any) -> list[str]:
    return [f"skill {index:03d}" for index in np.flatnonzero(mask)]


def _matrix(matrix: Floats) -> list[list[float | None]]:
    return [[value if np.isfinite(value) else None for value in row] for row in matrix.tolist()]
