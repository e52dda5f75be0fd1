"""The best plan of a tiny instance by trying every one."""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise, permutations, product

from eurisko.evaluators.routing import Plan, Route, RoutingInstance
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.objectives import Objective


def every_plan(instance: RoutingInstance, *, closed: bool, most: int) -> Iterator[Plan]:
    """Yield all plans of at most ``most`` routes from the vehicles' own depots."""
    customers = instance.customers.tolist()
    needed = set(instance.customers[instance.required[instance.customers]].tolist())
    spare = [node for node in customers if node not in needed]
    homes = instance.fleet.start_depot.tolist()
    vehicles = [
        (kind, home)
        for kind in range(instance.fleet.types)
        for home in instance.depots.tolist()
        if homes[kind] in (home, -1)
    ]
    for count in range(len(spare) + 1):
        for extra in combinations(spare, count):
            for order in permutations([*sorted(needed), *extra]):
                for parts in _cuts(order, most):
                    if list(parts) != sorted(parts):
                        continue  # the same routes in another order
                    for chosen in product(vehicles, repeat=len(parts)):
                        yield Plan(
                            tuple(
                                Route((home, *part, *([home] if closed else [])), kind)
                                for part, (kind, home) in zip(parts, chosen, strict=True)
                            )
                        )


def _cuts(order: tuple[int, ...], most: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    for cuts in range(min(most, len(order))):
        for places in combinations(range(1, len(order)), cuts):
            edges = (0, *places, len(order))
            yield tuple(order[a:b] for a, b in pairwise(edges))


def best_values(
    instance: RoutingInstance,
    names: Iterable[str],
    objective: Objective,
    *,
    closed: bool = True,
    most: int = 2,
) -> tuple[float, ...] | None:
    """Return the smallest objective of a feasible plan, None where there is none."""
    rules = frozenset(names)
    best = None
    for plan in every_plan(instance, closed=closed, most=most):
        report = check(instance, plan, rules, objective)
        if report.feasible and (best is None or report.values < best):
            best = report.values
    return best
