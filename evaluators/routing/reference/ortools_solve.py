"""Solves with OR-Tools, one level of the objective after another."""

from typing import Any

import numpy as np

from ..instance import RoutingInstance
from ..objectives import Objective
from ..plan import Plan, Route
from .budget import Budget
from .errors import load
from .money import Money, money
from .ortools_model import RoutingModel, start_model
from .ortools_objective import hold, minimise
from .ortools_relations import add_relations
from .ortools_start import first_routes

_STRATEGIES = ("AUTOMATIC", "PARALLEL_CHEAPEST_INSERTION", "FIRST_UNBOUND_MIN_VALUE")
_INFEASIBLE = "OR-Tools proved that its model has no solution"


def solve_ortools(
    instance: RoutingInstance, names: frozenset[str], objective: Objective, budget: Budget
) -> tuple[list[Plan], tuple[str, ...]]:
    """Return plans to be verified, and notes about the model.

    Each level takes an equal part of the time and starts from the plan of the one before, whose
    values it must keep.
    """
    share = budget.part(len(objective.levels))
    held: list[tuple[Money, int]] = []
    routes = first_routes(instance, names)
    plans: list[Plan] = []
    notes: tuple[str, ...] = ()
    for level in objective.levels:
        model = start_model(instance, names, objective)
        if not notes:
            notes = (*model.scales.notes(), *_model_notes(model))
        price = money(instance, level, model.scales)
        add_relations(model, price.prizes)
        for earlier, value in held:
            hold(model, earlier, value)
        minimise(model, price)
        found = _search(model, share, routes)
        if found is None:
            proved = not plans and model.routing.status() == _status("ROUTING_INFEASIBLE")
            return plans, (*notes, _INFEASIBLE) if proved else notes
        held.append((price, int(found.ObjectiveValue())))
        rows = {index: row for row, index in model.index.items()}
        routes = [[rows[index] for index in route] for route in _indices(model, found)]
        plans = [decode(model, found, stated) for stated in ("", "first", "all")]
    return plans, notes


def _model_notes(model: RoutingModel) -> tuple[str, ...]:
    lengths = model.instance.fleet.break_length
    if "breaks" in model.names and np.ptp(lengths) > 0:
        return (f"every break takes the longest time, {lengths.max():g}",)
    return ()


def _status(name: str) -> Any:
    return getattr(load("ortools.constraint_solver.pywrapcp").RoutingModel, name)


def _search(model: RoutingModel, budget: Budget, routes: list[list[int]] | None) -> Any:
    """Return an assignment, or None. Without a first plan several ways to find one are tried.

    Args:
        model: closed here.
        budget: for each attempt.
        routes: rows of the customers that each vehicle visits, to start from.
    """
    routing = model.routing
    if routes is not None:
        parameters = _parameters(budget, _STRATEGIES[0])
        routing.CloseModelWithParameters(parameters)
        first = [[model.index[row] for row in route] for route in routes]
        known = routing.ReadAssignmentFromRoutes(first, True)
        if known is not None:
            better = routing.SolveFromAssignmentWithParameters(known, parameters)
            return better if better is not None else known
    for number, strategy in enumerate(_STRATEGIES):
        part = budget.part(len(_STRATEGIES)) if number else budget
        found = routing.SolveWithParameters(_parameters(part, strategy))
        if found is not None or routing.status() == _status("ROUTING_INFEASIBLE"):
            return found
    return None


def _parameters(budget: Budget, strategy: str) -> Any:
    library = load("ortools.constraint_solver.pywrapcp")
    enums = load("ortools.constraint_solver.routing_enums_pb2")
    parameters = library.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = getattr(enums.FirstSolutionStrategy, strategy)
    parameters.local_search_metaheuristic = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(max(1, round(1000 * budget.seconds)))
    if budget.first or budget.iterations is not None:
        parameters.solution_limit = 1 if budget.first else int(budget.iterations or 1)
    return parameters


def _indices(model: RoutingModel, found: Any) -> list[list[int]]:
    """Return the indices that each vehicle visits, without its ends."""
    routes = []
    for number in range(len(model.vehicles)):
        index = found.Value(model.routing.NextVar(model.routing.Start(number)))
        route = []
        while not model.routing.IsEnd(index):
            route.append(index)
            index = found.Value(model.routing.NextVar(index))
        routes.append(route)
    return routes


def decode(model: RoutingModel, found: Any, stated: str = "") -> Plan:
    """Return an assignment as a plan.

    Args:
        model: the model.
        found: OR-Tools' assignment.
        stated: when vehicles leave: empty, as late as they can without finishing later; ``first``,
            so that they reach their first stop, or ``all``, so that they reach no stop, before
            OR-Tools' time there.
    """
    routes = []
    rows = {index: row for row, index in model.index.items()}
    left = model.dimensions.get("unbroken")
    for number, indices in enumerate(_indices(model, found)):
        if not indices:
            continue
        vehicle = model.vehicles[number]
        stops = [vehicle.start, *(rows[index] for index in indices)]
        stops += [] if vehicle.end is None else [vehicle.end]
        breaks = [
            position
            for position, index in enumerate(indices, start=1)
            if left is not None and found.Value(left.SlackVar(index)) > 0
        ]
        departures: tuple[float, ...] = ()
        if stated and "time" in model.dimensions:
            watched = indices[:1] if stated == "first" else indices
            departures = (_departure(model, found, stops, watched),)
        routes.append(Route(tuple(stops), vehicle.kind, tuple(breaks), departures))
    return Plan(tuple(routes))


def _departure(model: RoutingModel, found: Any, stops: list[int], watched: list[int]) -> float:
    """Return the departure that reaches none of the first stops before its time."""
    time, instance = model.dimensions["time"], model.instance
    spent, latest = 0.0, 0.0
    for position, index in enumerate(watched):
        here, there = stops[position], stops[position + 1]
        spent += float(instance.service[here] + instance.durations[here, there])
        wanted = found.Value(time.CumulVar(index)) / model.scales.time.factor + model.scales.zero
        latest = wanted - spent if position == 0 else max(latest, wanted - spent)
    return latest
