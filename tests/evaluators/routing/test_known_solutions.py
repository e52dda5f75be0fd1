"""Published solutions: feasible by the checker, and of the published cost to the unit."""

from pathlib import Path

import pytest

from eurisko.evaluators.routing import Plan, Route, read_routing, read_solution, read_tour
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.constraints import VOCABULARY
from eurisko.evaluators.routing.objectives import Objective

# file, rounding under which its value was published, published value per unit of our cost, rules
PUBLISHED = [
    *((f"cvrplib/{name}.vrp", "nearest", 1, set()) for name in (
        "A-n32-k5", "B-n31-k5", "E-n13-k4", "F-n72-k4", "M-n101-k10", "ORTEC-n242-k12",
        "P-n16-k8", "X-n101-k25", "X-n200-k36", "X-n502-k39",
    )),
    ("cvrplib/CMT6.vrp", "none", 1, {"duration_limit"}),
    ("cvrplib/Golden_1.vrp", "none", 1, {"distance_limit"}),
    *((f"cvrplib/{name}.txt", "dimacs", 1, {"time_windows", "fleet"}) for name in (
        "C101", "C201", "R101", "R112", "R201", "RC101", "RC208",
    )),
    ("pyvrp_instances/GVRP/G-n262-k25-C88-V9.vrp", "nearest", 1, {"groups", "fleet"}),
    ("pyvrp_instances/HFVRP/X115-HVRP.vrp", "none", 0.01, {"fleet"}),
    ("pyvrp_instances/HFVRP/X101-FSMFD.vrp", "none", 0.01, {"fleet"}),
    ("pyvrp_instances/MDVRPTW/PR11A.vrp", "exact", 1000, {"multi_depot", "duration_limit"}),
    ("pyvrp_instances/MTVRPTWR/C201R0.25.vrp", "dimacs", 10, {"reloads", "release_times"}),
    ("pyvrp_instances/MTVRPTWR/C202R0.25.vrp", "dimacs", 10, {"reloads", "release_times"}),
    ("pyvrp_instances/PCVRPTW/C1_10_1.vrp", "dimacs", 10, {"prizes", "time_windows"}),
    ("pyvrp_instances/SDVRPTW/PR01.vrp", "exact", 1000, {"site_dependence"}),
    ("pyvrp_instances/TSP/fl1400.vrp", "auto", 1, {"fleet"}),
    ("pyvrp_instances/VRPB/X-n524-50-k125.vrp", "nearest", 1, {"backhaul", "capacity"}),
    ("pyvrp_instances/VRPTW/C1_10_1.vrp", "dimacs", 1, {"time_windows"}),
]  # fmt: skip
WITH_PRIZES = Objective(((("cost", 1.0), ("uncollected_prizes", 1.0)),))


@pytest.mark.parametrize(("file", "rounding", "scale", "rules"), PUBLISHED)
def test_published_solution(
    routing_files: Path, file: str, rounding: str, scale: float, rules: set[str]
) -> None:
    """The solution keeps every rule that the data show, and costs what was published."""
    path = routing_files / file
    instance = read_routing(path, rounding=rounding).instance
    plan, cost = read_solution(path.with_suffix(".sol"), instance)
    shown = {name for name, rule in VOCABULARY.items() if rule.evidence(instance)}
    names = shown | {"closed"} | ({"backhaul"} & rules)
    assert rules <= names
    report = check(instance, plan, names, WITH_PRIZES)
    assert report.feasible, report.violations
    assert cost is not None
    assert report.cost * scale == pytest.approx(cost, abs=0.011 if cost % 1 else 1e-6)


@pytest.mark.parametrize(("name", "length"), [("pcb442", 50778), ("gr666", 294358)])
def test_optimal_tours(routing_files: Path, name: str, length: int) -> None:
    """Published optimal tours have the published lengths."""
    instance = read_routing(routing_files / "tsplib" / f"{name}.tsp").instance
    nodes = [node - 1 for node in read_tour(routing_files / "tsplib" / f"{name}.opt.tour").node_ids]
    first = nodes.index(0)
    stops = (*nodes[first:], *nodes[:first], 0)
    report = check(instance, Plan((Route(stops),)), {"visit", "depot", "closed", "fleet"})
    assert report.feasible
    assert report.cost == length


def _shortest(distances: list[list[float]], before: dict[int, set[int]], closed: bool) -> float:
    """Held and Karp: shortest order of all nodes from node 0 that keeps precedences."""
    size = len(distances)
    level = {(1, 0): 0.0}
    for _ in range(size - 1):
        longer: dict[tuple[int, int], float] = {}
        for (visited, last), value in level.items():
            for node in range(1, size):
                free = not visited >> node & 1 and all(visited >> b & 1 for b in before[node])
                if free and distances[last][node] < float("inf"):
                    key = (visited | 1 << node, node)
                    longer[key] = min(longer.get(key, 1e18), value + distances[last][node])
        level = longer
    return min(value + (distances[last][0] if closed else 0) for (_, last), value in level.items())


@pytest.mark.parametrize(("name", "length"), [("ESC07", 2125), ("ESC12", 1675)])
def test_sop_optima(routing_files: Path, name: str, length: int) -> None:
    """Dynamic programming over the distances and precedences that are read finds the optimum."""
    instance = read_routing(routing_files / "sop" / f"{name}.sop").instance
    before: dict[int, set[int]] = {node: set() for node in range(instance.size)}
    for first, second in instance.precedence.tolist():
        before[second].add(first)
    assert _shortest(instance.distances.tolist(), before, closed=False) == length


@pytest.mark.slow
def test_gr17_optimum(routing_files: Path) -> None:
    """Dynamic programming over the distances that are read finds gr17's optimum 2085."""
    instance = read_routing(routing_files / "tsplib" / "gr17.tsp").instance
    none: dict[int, set[int]] = {node: set() for node in range(instance.size)}
    assert _shortest(instance.distances.tolist(), none, closed=True) == 2085
