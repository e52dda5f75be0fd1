"""Reference solutions: against brute force, published optima, and the probes of every rule."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.brute_force_routing import best_values

from eurisko.evaluators.routing import (
    Kind,
    RoutingInstance,
    make_fleet,
    make_instance,
    read_routing,
)
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.constraints import VOCABULARY
from eurisko.evaluators.routing.objectives import Objective, by_priority
from eurisko.evaluators.routing.reference import (
    Reference,
    SolverFailed,
    SolverMissing,
    Unmodelled,
    default_objective,
    errors,
    models,
    solve_reference,
    worker,
)
from eurisko.evaluators.routing.reference.budget import Budget
from eurisko.evaluators.routing.reference.scaling import scale_of, scales_of
from eurisko.evaluators.routing.reference.worker import ask_ortools

pytest.importorskip("pyvrp", reason="pyvrp is in the extra `routing`")
pytest.importorskip("ortools", reason="ortools is in the extra `routing`")

BASE = frozenset({"visit", "depot", "closed", "fleet", "multi_depot", "capacity"})


def tiny(seed: int, **given: Any) -> RoutingInstance:
    """Return two depots, four customers with deliveries, two vehicle types, asymmetric ways."""
    rng = np.random.default_rng(seed)
    kinds = [Kind.DEPOT, Kind.DEPOT] + [Kind.CUSTOMER] * 4
    matrix = rng.integers(2, 20, (6, 6)).astype(float)
    np.fill_diagonal(matrix, 0)
    fleet = {
        "available": 1,
        "capacity": [[8.0], [10.0]],
        "start_depot": [0, 1],
        "end_depot": [0, 1],
        "fixed_cost": [3.0, 5.0],
        "distance_cost": [1.5, 1.0],
    } | given.pop("fleet", {})
    given = {"deliveries": [0, 0, *rng.integers(1, 5, 4)], "durations": matrix / 2} | given
    return make_instance(kinds, matrix, fleet=make_fleet(6, 2, **fleet), **given)


SITES = [[True] * 6, [True, True, True, False, True, True]]
CASES: dict[str, tuple[dict[str, Any], frozenset[str], Objective | None]] = {
    "fleet": ({}, BASE, None),
    "open": ({}, (BASE - {"closed"}) | {"open"}, None),
    "mixed": ({"pickups": [0, 0, 3, 0, 2, 4]}, BASE | {"mixed_backhaul"}, None),
    "staged": ({"pickups": [0, 0, 3, 0, 2, 4]}, BASE | {"mixed_backhaul_staged"}, None),
    "no rule": ({"pickups": [0, 0, 3, 0, 2, 4]}, BASE, None),
    "backhaul": (
        {"deliveries": [0, 0, 3, 2, 0, 0], "pickups": [0, 0, 0, 0, 2, 4]},
        BASE | {"backhaul"},
        None,
    ),
    "windows": (
        {
            "windows": [[[0, 90], [np.inf, -np.inf]]] * 2
            + [[[0, 5], [12, 14]], [[4, 9], [np.inf, -np.inf]], [[0, 20], [25, 30]], [[3, 8], [9, 11]]],
            "service": [0, 0, 1, 1, 2, 1],
            "fleet": {"max_duration": 25.0},
        },
        BASE | {"time_windows", "duration_limit"},
        None,
    ),
    "lengths": (
        {"fleet": {"max_distance": [30.0, 40.0], "max_driving": [14.0, 20.0]}},
        BASE | {"distance_limit", "driving_limit"},
        None,
    ),
    "sites": ({"fleet": {"allowed": SITES}}, BASE | {"site_dependence"}, None),
    "prizes": (
        {"required": [0, 0, 1, 0, 0, 1], "prizes": [0, 0, 0, 9, 14, 0]},
        BASE | {"prizes"},
        None,
    ),
    "groups": (
        {"required": [0, 0, 1, 0, 0, 1], "groups": [(3, 4)]},
        BASE | {"groups"},
        None,
    ),
    "pairs": (
        {
            "deliveries": [0, 0, 0, 3, 2, 0],
            "pickups": [0, 0, 3, 0, 0, 4],
            "pairs": [(2, 3)],
        },
        BASE | {"pickup_delivery", "mixed_backhaul"},
        None,
    ),
    "incompatible": ({"incompatible": [(2, 3), (4, 5)]}, BASE | {"incompatible"}, None),
    "vehicles first": ({}, BASE, by_priority(["vehicles", "cost"])),
    "makespan": ({}, BASE, by_priority(["makespan", "cost"])),
    "longest route": ({}, BASE, by_priority(["longest_route", "vehicles", "cost"])),
    "imbalance": ({}, BASE, by_priority(["imbalance", "cost"])),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_brute_force(case: str) -> None:
    """On a tiny instance the reference is exactly the best of all plans."""
    given, names, objective = CASES[case]
    goal = objective or default_objective(names)
    instance = tiny(1, **given)
    wanted = best_values(instance, names, goal, closed="closed" in names)
    assert wanted is not None, "the case has no solution"
    found = solve_reference(instance, names, goal, seconds=1.5, seed=1, iterations=200)
    assert found.found and found.report is not None
    np.testing.assert_allclose(found.report.values, wanted, rtol=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][2] is None])
def test_second_solver(case: str) -> None:
    """OR-Tools alone reaches the optimum of what PyVRP takes first."""
    given, names, _ = CASES[case]
    goal = default_objective(names)
    instance = tiny(1, **given)
    wanted = solve_reference(instance, names, goal, seconds=1.5, seed=1, iterations=200)
    plans, _ = ask_ortools(instance, names, goal, Budget(1.5, iterations=200))
    reports = [check(instance, plan, names, goal) for plan in plans]
    assert min(report.values for report in reports if report.feasible) == wanted.report.values


@pytest.mark.parametrize("name", VOCABULARY)
def test_every_rule_is_modelled_or_refused(name: str) -> None:
    """On a rule's probe the reference is feasible and no worse than the accepted plan."""
    probe = VOCABULARY[name].probe()
    if name == "battery":
        with pytest.raises(Unmodelled, match="OR-Tools does not model battery") as caught:
            solve_reference(probe.instance, probe.names, seconds=0.1)
        assert (caught.value.rule, models(probe.names)) == ("battery", [])
        return
    found = solve_reference(probe.instance, probe.names, seconds=2, seed=1, iterations=200)
    accepted = check(probe.instance, probe.accepted, probe.names, default_objective(probe.names))
    assert found.found
    assert found.cost <= accepted.cost + 1e-9
    assert found.solver in models(probe.names)


def test_what_a_solver_lacks_is_named() -> None:
    """The notes say why the better solver was passed over; a missing rule is an error."""
    instance = tiny(0, incompatible=[(2, 3)])
    found = solve_reference(instance, BASE | {"incompatible"}, seconds=0.05)
    assert (found.solver, found.notes[0][:36]) == (
        "OR-Tools",
        "PyVRP does not model incompatible: t",
    )
    with pytest.raises(Unmodelled, match="OR-Tools does not model reloads"):
        solve_reference(instance, BASE | {"incompatible", "reloads"}, seconds=0.05)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages the error says what to install."""

    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(errors.importlib, "import_module", absent)
    for names in (BASE, BASE | {"incompatible"}):
        with pytest.raises(SolverMissing, match=r"pip install 'eurisko\[routing\]'"):
            solve_reference(tiny(0), names, seconds=0.05)


def test_a_crash_of_ortools_is_an_error_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends instead of answering is named; the next one works again."""
    names = BASE | {"incompatible"}
    instance = tiny(0, incompatible=[(2, 3)])
    with monkeypatch.context() as patched:
        patched.setattr(worker, "_WORKER", worker._Worker())
        patched.setattr(worker.sys, "executable", "/bin/false")
        with pytest.raises(SolverFailed, match="OR-Tools crashed"):
            solve_reference(instance, names, seconds=0.1)
    assert solve_reference(instance, names, seconds=1, iterations=50).found


def test_the_same_seed_repeats() -> None:
    """Runs that stop by iterations give the same plan again."""
    instance = tiny(4)
    first, second = (
        solve_reference(instance, BASE, seconds=10, seed=3, iterations=50) for _ in range(2)
    )
    assert first.plan == second.plan


def test_integers_are_on_the_safe_side() -> None:
    """Amounts are never scaled below, limits never above; decimals and fractions are exact."""
    rng = np.random.default_rng(5)
    for numbers in (rng.random(50) * 3, rng.random(50) * 4e5):
        scale = scale_of(numbers)
        assert not scale.exact
        assert (scale.up(numbers) >= numbers * scale.factor * (1 - 1e-12)).all()
        assert (scale.down(numbers) <= numbers * scale.factor * (1 + 1e-12)).all()
    assert scale_of([0.125, 3.0]).factor == 1000 and scale_of([7, 12]).factor == 1
    thirds = scale_of(np.full(30, 1 / 30), 1.0, fractions_of=1.0)
    assert thirds.up(np.full(30, 1 / 30)).sum() == thirds.down(1.0)
    assert scales_of(tiny(0, windows=np.tile((1.7e9, 1.7e9 + 50), (6, 1)))).zero == 1.7e9


def solve_file(path: Path, seconds: float, **options: Any) -> Reference:
    """Read, analyse and solve a file."""
    reading = read_routing(path, **options)
    return solve_reference(reading.instance, analyse(reading).names, seconds=seconds, seed=1)


@pytest.mark.parametrize(
    ("file", "optimum"),
    [
        ("cvrplib/A-n32-k5.vrp", 784),
        ("cvrplib/E-n13-k4.vrp", 247),
        ("tsplib/gr17.tsp", 2085),
        ("sop/ESC07.sop", 2125),
        ("sop/ESC12.sop", 1675),
    ],
)
def test_published_optima(routing_files: Path, file: str, optimum: float) -> None:
    """Small public instances are solved to their published optima."""
    found = solve_file(routing_files / file, 0.6)
    assert found.found and found.cost == optimum


@pytest.mark.parametrize("name", ["cvrp", "mdovrpmbltw", "vrpb", "ovrpltw", "mdvrpl", "vrpmbltw"])
def test_public_variants(routing_files: Path, name: str) -> None:
    """A handful of the 48 variants is solved, every plan verified in the file's own units."""
    found = solve_file(routing_files / "mtvrp" / f"{name}-1.vrp", 0.4)
    assert found.found and found.solver == "PyVRP"
