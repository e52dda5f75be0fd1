"""Plans: which vehicle visits what in which order; and the files that hold them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .instance import RoutingError, RoutingInstance


@dataclass(frozen=True)
class Route:
    """One vehicle's route as rows of the instance, depots included.

    A closed route begins and ends at a depot; an open one ends at its last customer. A depot in
    between is a reload: it ends one trip and begins the next. ``breaks`` are positions in
    ``stops`` after whose service the driver takes a break. ``departures`` are planned times of
    departure, one for each trip; without them a vehicle leaves as late as it can
    without finishing later than if it had left at once.
    """

    stops: tuple[int, ...]
    vehicle: int = 0
    breaks: tuple[int, ...] = ()
    departures: tuple[float, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A solution: routes, and nothing that a checker would have to believe."""

    routes: tuple[Route, ...]


def plan_of_customers(
    instance: RoutingInstance,
    routes: Sequence[Sequence[int]],
    *,
    vehicles: Sequence[int] | None = None,
    closed: bool = True,
) -> Plan:
    """Return a plan from lists of visits without their depots; empty ones are left out.

    Args:
        instance: gives the depots: the vehicle's own, or the first of the instance.
        routes: rows, in order; a depot's row in between is a reload.
        vehicles: vehicle type of each route; by default all of type 0.
        closed: whether routes return.
    """
    built = []
    for index, visits in enumerate(routes):
        if not visits:
            continue
        vehicle = vehicles[index] if vehicles is not None else 0
        start, end = (
            int(instance.fleet.start_depot[vehicle]),
            int(instance.fleet.end_depot[vehicle]),
        )
        start = start if start >= 0 else int(instance.depots[0])
        end = end if end >= 0 else start
        built.append(Route((start, *visits, *([end] if closed else [])), vehicle))
    return Plan(tuple(built))


def read_solution(path: str | Path, instance: RoutingInstance) -> tuple[Plan, float | None]:
    """Read a ``.sol`` file of CVRPLIB or PyVRP: the plan and the cost that it states.

    Numbers are rows of the instance (customer 1 is the second node where there is one depot).
    Where each vehicle is a type of its own, the n-th route is the n-th vehicle's.

    Raises:
        RoutingError: the file cannot be read, has no route, or names a node that is not there.
    """
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RoutingError(f"{path} cannot be read: {error.strerror}.") from error
    routes = [
        [int(word) for word in found.split()]
        for found in re.findall(r"^\s*route\s*#?\s*\d+\s*:([\d ]*)$", text, re.I | re.M)
    ]
    if not routes:
        raise RoutingError(f"{path}: there is no line 'Route #1: …'.")
    wrong = [node for route in routes for node in route if node >= instance.size]
    if wrong:
        raise RoutingError(f"{path}: node {wrong[0]} is not one of {instance.size}.")
    single = instance.fleet.types == 1
    if not single and len(routes) > instance.fleet.types:
        raise RoutingError(f"{path}: {len(routes)} routes for {instance.fleet.types} vehicles.")
    vehicles = [0 if single else index for index in range(len(routes))]
    cost = re.search(r"^\s*cost\s*:?\s*([-+.\deE]+)", text, re.I | re.M)
    return plan_of_customers(instance, routes, vehicles=vehicles), (
        float(cost.group(1)) if cost else None
    )


def solution_text(plan: Plan, cost: float, instance: RoutingInstance) -> str:
    """Return the plan in CVRPLIB's ``.sol`` format: visits as rows, depots at the ends left out."""
    depots = set(instance.depots.tolist())
    lines = []
    for number, route in enumerate(plan.routes, start=1):
        stops = list(route.stops[1:])
        if stops and stops[-1] in depots:
            stops = stops[:-1]
        lines.append(f"Route #{number}: {' '.join(str(stop) for stop in stops)}")
    return "\n".join([*lines, f"Cost {cost:.15g}", ""])


def plan_json(plan: Plan, instance: RoutingInstance) -> str:
    """Return the plan as JSON with the file's names of nodes."""
    names = instance.node_ids
    routes = [
        {
            "vehicle": route.vehicle,
            "stops": [names[stop] for stop in route.stops],
            "breaks_after": list(route.breaks),
            "departures": list(route.departures),
        }
        for route in plan.routes
    ]
    return json.dumps({"routes": routes}, indent=2)
