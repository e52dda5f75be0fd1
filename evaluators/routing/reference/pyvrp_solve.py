"""Solves with PyVRP and turns its routes into plans."""

from typing import Any

from ..instance import Kind, RoutingInstance
from ..objectives import Objective
from ..plan import Plan, Route
from .budget import Budget
from .errors import load
from .pyvrp_model import Model, build


def solve_pyvrp(
    instance: RoutingInstance, names: frozenset[str], objective: Objective, budget: Budget
) -> tuple[list[Plan], tuple[str, ...]]:
    """Return plans to be verified, and notes about the model.

    The staged load rule lies between two that PyVRP has: deliveries and pickups that do not meet,
    and the physical rule. Both are tried, half of the time each.
    """
    load("pyvrp")
    staged = "mixed_backhaul_staged" in names and "mixed_backhaul" not in names
    alone = not names & {"mixed_backhaul", "mixed_backhaul_staged", "backhaul"}
    if not staged:
        model = build(instance, names, objective, shared_room=not alone)
        return [_run(model, budget, instance)], model.notes
    half = budget.part(2)
    models = [build(instance, names, objective, shared_room=shared) for shared in (False, True)]
    note = (
        "the staged load rule is approached from both sides: deliveries and pickups apart, and the "
        "physical rule; what the checker refuses is dropped"
    )
    return [_run(model, half, instance) for model in models], (*models[0].notes, note)


def _run(model: Model, budget: Budget, instance: RoutingInstance) -> Plan:
    pyvrp, stops = load("pyvrp"), load("pyvrp.stop")
    rules = [stops.MaxRuntime(budget.seconds)]
    if budget.iterations is not None:
        rules.append(stops.MaxIterations(budget.iterations))
    if budget.first:
        rules.append(stops.FirstFeasible())
    stop = stops.MultipleCriteria(rules)
    result = pyvrp.solve(model.data, stop, seed=budget.seed, collect_stats=False, display=False)
    return decode(model, result.best, instance)


def decode(model: Model, solution: Any, instance: RoutingInstance) -> Plan:
    """Return PyVRP's routes as a plan; trips that serve nobody are left out."""
    routes = []
    for route in solution.routes():
        start = model.starts[route.vehicle_type()]
        stops = [start.start, *(_row(model, activity) for activity in list(route)[1:-1])]
        stops += [] if start.end is None else [start.end]
        kept = _tidy(stops, instance, start.end is None)
        if len(kept) > 2 or (len(kept) == 2 and start.end is None):
            routes.append(Route(tuple(kept), start.kind))
    return Plan(tuple(routes))


def _row(model: Model, activity: Any) -> int:
    if activity.is_client():
        return model.client_rows[activity.idx]
    if activity.is_depot():
        row = model.depot_rows[activity.idx]
        assert row is not None, "the dummy end of open routes is no place to reload"
        return row
    return model.shipments[activity.idx][0 if activity.is_pickup() else 1]


def _tidy(stops: list[int], instance: RoutingInstance, open_route: bool) -> list[int]:
    """Leave out a depot that follows the same depot, and those at the end of an open route."""
    kept = [stops[0]]
    for stop in stops[1:]:
        if stop != kept[-1] or instance.kinds[stop] != Kind.DEPOT:
            kept.append(stop)
    while open_route and len(kept) > 1 and instance.kinds[kept[-1]] == Kind.DEPOT:
        kept.pop()
    return kept
