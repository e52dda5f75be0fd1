"""Solves with PyVRP and turns its routes into plans."""

from dataclasses import replace
from typing import Any

from ..instance import Kind, RoutingInstance
from ..objectives import Objective
from ..plan import Plan, Route
from .budget import Budget
from .errors import load
from .pyvrp_model import Model, build

_PENALTY = 100_000.0  # PyVRP's own largest penalty
_PENALTY_LEG = 1_000.0
_VEHICLE_LEGS = 20.0
_STAGED = (
    "the staged load rule is approached from both sides: deliveries and pickups apart, and the "
    "physical rule; what the checker refuses is dropped"
)
_WEIGHTED = f"fewest vehicles first by weight: one counts as {_VEHICLE_LEGS:g} of the longest legs"


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
    rooms = (False, True) if staged else (not alone,)
    share = budget.part(len(rooms))
    plans = []
    for shared_room in rooms:
        model = build(instance, names, objective, shared_room=shared_room)
        fewest = len(objective.levels) > 1
        plans.append(_fewest(model, share, instance) if fewest else _run(model, share, instance))
    notes = model.notes
    if staged:
        notes = (*notes, _STAGED)
    if len(objective.levels) > 1 and not _one_fleet(model.data):
        notes = (*notes, _WEIGHTED)
    return plans, notes


def _run(model: Model, budget: Budget, instance: RoutingInstance) -> Plan:
    pyvrp = load("pyvrp")
    result = pyvrp.solve(
        model.data,
        _stop(budget),
        seed=budget.seed,
        collect_stats=False,
        display=False,
        params=_params(model),
    )
    return decode(model, result.best, instance)


def _fewest(model: Model, budget: Budget, instance: RoutingInstance) -> Plan:
    """Take half of the time for the number of vehicles, the rest for what they cost."""
    pyvrp = load("pyvrp")
    half = budget.part(2)
    types = model.data.vehicle_types()
    if _one_fleet(model.data):
        fleet = [pyvrp.minimise_fleet(model.data, _stop(half), budget.seed, _params(model))]
        return _run(replace(model, data=model.data.replace(vehicle_types=fleet)), half, instance)
    extra = int(_VEHICLE_LEGS * model.leg_cost)
    fleet = [kind.replace(fixed_cost=kind.fixed_cost + extra) for kind in types]
    return _run(replace(model, data=model.data.replace(vehicle_types=fleet)), budget, instance)


def _one_fleet(data: Any) -> bool:
    """Whether PyVRP can minimise the fleet: one type, nobody optional."""
    required = all(client.required for client in data.clients())
    return data.num_vehicle_types == 1 and required and not data.num_shipments


def _stop(budget: Budget) -> Any:
    stops = load("pyvrp.stop")
    rules = [stops.MaxRuntime(budget.seconds)]
    if budget.iterations is not None:
        rules.append(stops.MaxIterations(budget.iterations))
    if budget.first:
        rules.append(stops.FirstFeasible())
    return stops.MultipleCriteria(rules)


def _params(model: Model) -> Any:
    """Let penalties grow with the costs of ways; PyVRP's limit suits legs of about 1,000."""
    solve = load("pyvrp.solve")
    most = _PENALTY * max(1.0, min(model.leg_cost / _PENALTY_LEG, 1e4))
    return solve.SolveParams(penalty=load("pyvrp.PenaltyManager").PenaltyParams(max_penalty=most))


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
    index = int(activity.idx)
    if activity.is_client():
        return model.client_rows[index]
    if activity.is_depot():
        row = model.depot_rows[index]
        assert row is not None, "the dummy end of open routes is no place to reload"
        return row
    return model.shipments[index][0 if activity.is_pickup() else 1]


def _tidy(stops: list[int], instance: RoutingInstance, open_route: bool) -> list[int]:
    """Leave out a depot that follows the same depot, and those at the end of an open route."""
    kept = [stops[0]]
    for stop in stops[1:]:
        if stop != kept[-1] or instance.kinds[stop] != Kind.DEPOT:
            kept.append(stop)
    while open_route and len(kept) > 1 and instance.kinds[kept[-1]] == Kind.DEPOT:
        kept.pop()
    return kept
