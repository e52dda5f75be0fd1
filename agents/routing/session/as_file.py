"""A changed problem as a file of its own: JSON, which can hold every rule of the vocabulary."""

import json
from typing import Any

import numpy as np

from ....evaluators.routing import Kind, RoutingInstance
from ....evaluators.routing.instance import ANY, UNLIMITED
from ....evaluators.routing.rounding import ROUNDINGS, euclidean
from ..changes import RoutingTask
from ..changes.base import LOAD_RULES, known_unit

FAR = 1e9  # stands for a window or a shift that never ends, which JSON cannot hold
_KINDS = {Kind.DEPOT: "depot", Kind.CUSTOMER: "customer", Kind.STATION: "station"}
_LIMITS = ("max_distance", "max_duration", "max_driving", "max_driving_unbroken")
_COSTS = {"fixed_cost": 0.0, "distance_cost": 1.0, "duration_cost": 0.0, "break_length": 0.0}


def task_json(task: RoutingTask) -> str:
    """Return a problem in the JSON format; reading it gives the same instance and rules."""
    instance, names = task.instance, task.names
    ids = instance.node_ids
    content: dict[str, Any] = {
        "name": instance.name,
        "nodes": [_node(instance, row) for row in range(instance.size)],
        "vehicles": [_vehicle(instance, kind) for kind in range(instance.fleet.types)],
        **_travel(task),
        "open_routes": "open" in names,
    }
    for key in ("pairs", "precedence", "incompatible"):
        table = getattr(instance, key)
        if len(table):
            content[key] = [[ids[int(node)] for node in pair] for pair in table]
    if instance.groups:
        content["groups"] = [[ids[node] for node in group] for group in instance.groups]
    if instance.lifo:
        content["lifo"] = True
    if instance.min_prize > 0:
        content["min_prize"] = instance.min_prize
    if instance.battery is not None:
        content["battery"] = dict(vars(instance.battery))
    for rule in names & LOAD_RULES:  # one at most
        content["load_rule"] = rule
    units = {kind: known_unit(instance, kind) for kind in ("distance", "time", "load")}
    content["units"] = {kind: unit for kind, unit in units.items() if unit}
    return json.dumps(content, indent=1) + "\n"


def _node(instance: RoutingInstance, row: int) -> dict[str, Any]:
    node: dict[str, Any] = {
        "id": instance.node_ids[row],
        "kind": _KINDS[Kind(int(instance.kinds[row]))],
    }
    if instance.coordinates is not None:
        node["x"], node["y"] = (float(value) for value in instance.coordinates[row])
    for key, table in (("delivery", instance.deliveries), ("pickup", instance.pickups)):
        if table[row].any():
            node[key] = _load(table[row])
    windows = [[float(low), _finite(high)] for low, high in instance.windows[row] if low < np.inf]
    if windows != [[0.0, FAR]]:
        node["windows"] = windows
    for key, values in (
        ("service", instance.service),
        ("release", instance.release),
        ("prize", instance.prizes),
    ):
        if values[row] != 0:
            node[key] = float(values[row])
    grouped = any(row in group for group in instance.groups)
    if instance.kinds[row] == Kind.CUSTOMER and not instance.required[row] and not grouped:
        node["required"] = False
    if instance.skills[row].any():
        node["skills"] = _skills(instance.skills[row])
    return node


def _vehicle(instance: RoutingInstance, kind: int) -> dict[str, Any]:
    fleet, ids = instance.fleet, instance.node_ids
    vehicle: dict[str, Any] = {"name": f"vehicle {kind + 1}"}
    if fleet.available[kind] != UNLIMITED:
        vehicle["count"] = int(fleet.available[kind])
    if np.isfinite(fleet.capacity[kind]).any():
        vehicle["capacity"] = _load(np.where(np.isfinite(c := fleet.capacity[kind]), c, FAR))
    for key, default in _COSTS.items():
        if (value := float(getattr(fleet, key)[kind])) != default:
            vehicle[key] = value
    for key in _LIMITS:
        if np.isfinite(value := float(getattr(fleet, key)[kind])):
            vehicle[key] = value
    for key, depot in (("start", fleet.start_depot[kind]), ("end", fleet.end_depot[kind])):
        if depot != ANY:
            vehicle[key] = ids[int(depot)]
    early, late = (float(value) for value in fleet.shift[kind])
    if early > 0 or np.isfinite(late):
        vehicle["shift"] = [early, _finite(late)]
    if fleet.skills[kind].any():
        vehicle["skills"] = _skills(fleet.skills[kind])
    if not fleet.allowed[kind].all():
        vehicle["forbidden"] = [ids[row] for row in np.flatnonzero(~fleet.allowed[kind])]
    if (trips := int(fleet.max_trips[kind])) != 1:
        vehicle["max_trips"] = None if trips == UNLIMITED else trips
    if fleet.reload_depots[kind].any():
        vehicle["reload_depots"] = [ids[row] for row in np.flatnonzero(fleet.reload_depots[kind])]
    return vehicle


def _travel(task: RoutingTask) -> dict[str, Any]:
    """Return the rule that makes distances and times, or else the matrices."""
    instance = task.instance
    travel: dict[str, Any] = {}
    ruled = instance.coordinates is not None and task.rounding in ROUNDINGS
    if ruled and np.array_equal(euclidean(instance.coordinates, task.rounding), instance.distances):  # type: ignore[arg-type]
        travel["rounding"] = task.rounding
    else:
        travel["distances"] = _matrix(instance.distances)
    if np.array_equal(instance.distances, instance.durations):
        return travel
    moving = (instance.durations > 0) & np.isfinite(instance.durations)
    speeds = instance.distances[moving] / instance.durations[moving]
    speed = round(float(np.median(speeds)), 12) if moving.any() else 0.0
    if speed > 0 and np.array_equal(instance.distances / speed, instance.durations):
        travel["speed"] = speed
    else:
        travel["durations"] = _matrix(instance.durations)
    return travel


def _matrix(values: Any) -> list[list[float | None]]:
    return [[float(one) if np.isfinite(one) else None for one in row] for row in values]


def _load(values: Any) -> float | list[float]:
    numbers = [float(value) for value in values]
    return numbers if len(numbers) > 1 else numbers[0]


def _skills(owned: Any) -> list[str]:
    """Name skills so that sorting keeps their order."""
    return [f"skill {place:03d}" for place in np.flatnonzero(owned)]


def _finite(value: Any) -> float:
    return float(value) if np.isfinite(value) else FAR


def same_data(one: RoutingInstance, other: RoutingInstance) -> bool:
    """Return whether two instances agree in all data; words for units are none."""
    pairs = [(vars(one), vars(other)), (vars(one.fleet), vars(other.fleet))]
    for first, second in pairs:
        for key, value in first.items():
            if key in ("fleet", "units"):
                continue
            other_value = second[key]
            same = (
                np.array_equal(value, other_value)
                if isinstance(value, np.ndarray)
                else value is other_value or value == other_value
            )
            if not same:
                return False
    return True
