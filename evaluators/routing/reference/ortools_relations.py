"""Loads, pairs, orders and choices of customers in OR-Tools' model."""

from typing import Any

import numpy as np

from ..loads import unpaired
from .ortools_model import RoutingModel, finite
from .scaling import Integers


def add_relations(model: RoutingModel, worth: Integers) -> None:
    """Add all rules about customers.

    Args:
        model: with its dimensions of length and time.
        worth: integer value of a customer that is left out ``[N]``.
    """
    _loads(model)
    _pairs(model)
    _precedence(model)
    _release(model)
    _incompatible(model)
    _choices(model, worth)


def _loads(model: RoutingModel) -> None:
    instance, names = model.instance, model.names
    deliveries, pickups = unpaired(instance)
    paired = (instance.pickups - pickups) - (instance.deliveries - deliveries)
    rules = {"capacity", "mixed_backhaul", "mixed_backhaul_staged", "backhaul"}
    if not rules & names:
        return
    for number, scale in enumerate(model.scales.loads):
        room = finite(scale.down(instance.fleet.capacity[:, number]))
        bring, take = scale.up(deliveries[:, number]), scale.up(pickups[:, number])
        pairs = scale.up(np.abs(paired[:, number])) * np.sign(paired[:, number]).astype(int)
        whole = int(bring.sum() + take.sum() + np.abs(pairs).sum())
        room = np.minimum(room, whole)  # more is no limit
        left = _load(model, f"deliver{number}", pairs - bring, room)
        for vehicle in range(len(model.vehicles)):
            left.CumulVar(model.routing.End(vehicle)).SetValue(0)
        if not take.any():
            continue
        picked = _load(model, f"picked{number}", pairs + take, room)
        for vehicle in range(len(model.vehicles)):
            picked.CumulVar(model.routing.Start(vehicle)).SetValue(0)
        if "mixed_backhaul" in names:
            both = _load(model, f"room{number}", pairs + take - bring, room)
            for vehicle in range(len(model.vehicles)):
                start = model.routing.Start(vehicle)
                model.solver.Add(both.CumulVar(start) == left.CumulVar(start))
        for row, index in model.index.items():
            if bring[row] > 0 and "backhaul" in names and row not in instance.pairs:
                picked.CumulVar(index).SetMax(0)
            elif bring[row] > 0 and "mixed_backhaul_staged" in names:
                most = model.solver.Element(
                    [2 * whole, *(int(room[vehicle.kind]) for vehicle in model.vehicles)],
                    (model.routing.VehicleVar(index) + 1).Var(),
                ).Var()
                model.solver.Add(picked.CumulVar(index) + int(bring[row] + take[row]) <= most)


def _load(model: RoutingModel, name: str, change: Integers, room: Integers) -> Any:
    """Add a dimension of a load; infinite room is large."""
    routing = model.routing
    transit = routing.RegisterUnaryTransitVector(model.vector(change))
    most = [int(room[vehicle.kind]) for vehicle in model.vehicles]
    routing.AddDimensionWithVehicleCapacity(transit, 0, most, False, name)
    return routing.GetDimensionOrDie(name)


def _pairs(model: RoutingModel) -> None:
    routing, solver = model.routing, model.solver
    pairs = [(model.index[one], model.index[two]) for one, two in model.instance.pairs.tolist()]
    if not pairs:
        return
    order = _position(model)
    for one, two in pairs:
        routing.AddPickupAndDelivery(one, two)
        solver.Add(routing.VehicleVar(one) == routing.VehicleVar(two))
        solver.Add(order.CumulVar(one) <= order.CumulVar(two))
    if "lifo" in model.names:
        policy = type(routing).PICKUP_AND_DELIVERY_LIFO
        routing.SetPickupAndDeliveryPolicyOfAllVehicles(policy)


def _position(model: RoutingModel) -> Any:
    """Return the dimension that counts stops."""
    if "position" not in model.dimensions:
        model.routing.AddConstantDimension(1, model.instance.size + 1, True, "position")
        model.dimensions["position"] = model.routing.GetDimensionOrDie("position")
    return model.dimensions["position"]


def _precedence(model: RoutingModel) -> None:
    """Add order by position where there is one vehicle, by time where there are several."""
    if "precedence" not in model.names:
        return
    instance, routing, solver = model.instance, model.routing, model.solver
    order = _position(model)
    for before, after in instance.precedence.tolist():
        if before not in model.index or after not in model.index:
            continue
        one, two = model.index[before], model.index[after]
        if len(model.vehicles) == 1:
            solver.Add(order.CumulVar(one) < order.CumulVar(two))
        else:
            time, service = model.dimensions["time"], model.clock.service(before)
            solver.Add(time.CumulVar(one) + service <= time.CumulVar(two))
        if not instance.required[before]:
            solver.Add(routing.ActiveVar(two) <= routing.ActiveVar(one))


def _release(model: RoutingModel) -> None:
    """A vehicle leaves when all that it brings is there."""
    if "time" not in model.dimensions:
        return
    time, solver = model.dimensions["time"], model.solver
    for row, index in model.index.items():
        later = model.clock.release(row)
        for number in range(len(model.vehicles)) if later else ():
            start = model.routing.Start(number)
            mine = solver.IsEqualCstVar(model.routing.VehicleVar(index), number)
            solver.Add(time.CumulVar(start) >= later * mine)


def _incompatible(model: RoutingModel) -> None:
    if "incompatible" not in model.names:
        return
    solver, required = model.solver, model.instance.required
    for one, two in model.instance.incompatible.tolist():
        first, second = (model.routing.VehicleVar(model.index[row]) for row in (one, two))
        if required[one] or required[two]:
            solver.Add(first != second)
            continue
        for number in range(len(model.vehicles)):
            both = solver.IsEqualCstVar(first, number) + solver.IsEqualCstVar(second, number)
            solver.Add(both <= 1)


def _choices(model: RoutingModel, worth: Integers) -> None:
    """Optional customers, groups of which one is visited, and the quota of prizes."""
    instance, routing, solver = model.instance, model.routing, model.solver
    members: set[int] = set()
    for group in instance.groups if "groups" in model.names else ():
        routing.AddDisjunction([model.index[node] for node in group])
        members |= set(group)
    for row, index in model.index.items():
        if not instance.required[row] and row not in members:
            routing.AddDisjunction([index], int(worth[row]))
    if "prizes" in model.names and instance.min_prize > 0:
        unit = 1e6 / max(instance.min_prize, float(instance.prizes.max()))
        got = [
            int(np.floor(instance.prizes[row] * unit)) * routing.ActiveVar(index)
            for row, index in model.index.items()
        ]
        solver.Add(solver.Sum(got) >= int(np.floor(instance.min_prize * unit)))
