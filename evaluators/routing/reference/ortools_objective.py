"""Objectives of OR-Tools' model, level by level."""

from typing import Any

import numpy as np

from .money import Money
from .ortools_model import RoutingModel


def minimise(model: RoutingModel, price: Money) -> None:
    """Set the costs of one level: of arcs, vehicles and durations, and of the spread of routes."""
    instance, routing = model.instance, model.routing
    known = np.where(np.isfinite(instance.distances), instance.distances, 0.0)
    ways = model.scales.distance.up(known)
    rates = {
        rate: routing.RegisterTransitMatrix(model.matrix(ways * rate))
        for rate in {int(price.way[vehicle.kind]) for vehicle in model.vehicles}
    }
    for number, vehicle in enumerate(model.vehicles):
        routing.SetArcCostEvaluatorOfVehicle(rates[int(price.way[vehicle.kind])], number)
        routing.SetFixedCostOfVehicle(int(price.fixed[vehicle.kind]), number)
        if price.time[vehicle.kind]:
            rate = int(price.time[vehicle.kind])
            model.dimensions["time"].SetSpanCostCoefficientForVehicle(rate, number)
    for name, rate in price.spread.items():
        if rate:
            _minimise_spread(model, name, rate)


def _minimise_spread(model: RoutingModel, name: str, rate: int) -> None:
    _spread(model, name)
    carrier = _carrier(model)
    model.routing.GetDimensionOrDie(name).SetCumulVarSoftUpperBound(carrier, 0, rate)


def _carrier(model: RoutingModel) -> int:
    """Return the index of a customer that is visited."""
    return next(index for row, index in model.index.items() if model.instance.required[row])


def _spread(model: RoutingModel, name: str) -> Any:
    """Return a variable that is at least a measure that is no sum over routes.

    It is what a dimension adds up to at one customer, which nothing else determines.
    """
    routing, solver = model.routing, model.solver
    vehicles = range(len(model.vehicles))
    if name == "longest_route":
        values = [_length(model, number) for number in vehicles]
    else:
        values = [_duration(model, number) for number in vehicles]
    most = 2**50 if name == "longest_route" else model.horizon
    routing.AddConstantDimensionWithSlack(0, most, most, False, name)
    variable = routing.GetDimensionOrDie(name).CumulVar(_carrier(model))
    if name != "imbalance":
        for value in values:
            solver.Add(variable >= value)
        return variable
    for number, shorter in enumerate(values):
        idle = model.horizon * (1 - routing.ActiveVehicleVar(number))
        for longer in values:
            if longer is not shorter:
                solver.Add(variable >= longer - shorter - idle)
    return variable


def _length(model: RoutingModel, number: int) -> Any:
    return model.dimensions["distance"].CumulVar(model.routing.End(number))


def _duration(model: RoutingModel, number: int) -> Any:
    time, routing = model.dimensions["time"], model.routing
    return time.CumulVar(routing.End(number)) - time.CumulVar(routing.Start(number))


def hold(model: RoutingModel, price: Money, most: int) -> None:
    """Keep the value of a level that was minimised before.

    Args:
        model: of a later level.
        price: of the earlier one.
        most: its value in integers.
    """
    routing, solver = model.routing, model.solver
    terms = []
    for number, vehicle in enumerate(model.vehicles):
        kind = vehicle.kind
        if price.way[kind]:
            terms.append(int(price.way[kind]) * _length(model, number))
        if price.time[kind]:
            terms.append(int(price.time[kind]) * _duration(model, number))
        if price.fixed[kind]:
            terms.append(int(price.fixed[kind]) * routing.ActiveVehicleVar(number))
    for row, index in model.index.items():
        if price.prizes[row] and not model.instance.required[row]:
            terms.append(int(price.prizes[row]) * (1 - routing.ActiveVar(index)))
    terms += [rate * _spread(model, name) for name, rate in price.spread.items() if rate]
    if terms:
        solver.Add(solver.Sum([term.Var() for term in terms]) <= most)
