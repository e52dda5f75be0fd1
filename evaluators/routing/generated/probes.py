"""Makes a rule's probe a plan of the whole instance, so that programs can be asked about it."""

from ..instance import RoutingInstance
from ..plan import Plan, Route
from .rule import Rows, plan_of_rows


def completed(instance: RoutingInstance, names: frozenset[str], routes: Rows) -> Plan:
    """Return the routes with a route of its own for each required customer that is left out.

    Whether the plan keeps the known rules is for the checker to say.
    """
    plan = plan_of_rows(routes)
    visited = {stop for route in plan.routes for stop in route.stops}
    home = int(instance.fleet.start_depot[0])
    home = home if home >= 0 else int(instance.depots[0])
    target = int(instance.fleet.end_depot[0])
    ends = () if "open" in names else (target if target >= 0 else home,)
    single = tuple(
        Route((home, int(row), *ends))
        for row in instance.customers
        if instance.required[row] and int(row) not in visited
    )
    return Plan((*plan.routes, *single))
