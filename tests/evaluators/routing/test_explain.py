"""Explanations of infeasibility: proofs are sound, changes are small and come with checked plans."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.brute_force_routing import best_values

from eurisko.evaluators.routing import (
    Battery,
    Kind,
    RoutingInstance,
    make_fleet,
    make_instance,
    parse_routing,
)
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.explain import Explanation, explain
from eurisko.evaluators.routing.explain.bounds import prove
from eurisko.evaluators.routing.objectives import Objective

pytest.importorskip("pyvrp", reason="pyvrp is in the extra `routing`")
pytest.importorskip("ortools", reason="ortools is in the extra `routing`")

NODES = [
    {"id": "depot", "kind": "depot", "x": 0, "y": 0, "windows": [[0, 100]]},
    {"id": "a", "x": 3, "y": 0, "delivery": 4},
    {"id": "b", "x": 0, "y": 4, "delivery": 5},
    {"id": "c", "x": 6, "y": 8, "delivery": 3},
    {"id": "d", "x": -5, "y": 0, "delivery": 6},
]


def ask(seconds: float = 3.0, **given: Any) -> Explanation:
    """Explain a small problem given as JSON."""
    problem = {"nodes": NODES, "vehicles": [{"count": 2, "capacity": 10}], "open_routes": False}
    reading = parse_routing(json.dumps(problem | given))
    return explain(reading.instance, analyse(reading).names, seconds=seconds, seed=1)


def amounts(explanation: Explanation) -> dict[str, float]:
    """Return the amounts of changes by their rules, the smallest change of each."""
    found: dict[str, float] = {}
    for one in explanation.relaxations:
        found.setdefault(one.rule, one.amount)
    return found


def test_a_feasible_problem_is_solved() -> None:
    """Where a plan exists, it is returned, and nothing is blamed."""
    found = ask()
    assert found.feasible and not found.blocks and not found.relaxations


def test_too_little_room() -> None:
    """18 for 16: proved; vehicles of 9 suffice (5 and 4, 6 and 3), or a third one."""
    found = ask(vehicles=[{"count": 2, "capacity": 8}])
    assert found.proved and found.blocks[0].rule == "capacity"
    assert "18 exceed the fleet's room of 16" in found.blocks[0].message
    assert amounts(found)["capacity"] == 1 and amounts(found)["fleet"] == 1
    assert found.relaxations[0].change == "a capacity of 9 instead of 8 (+1)"
    left_out = {one.change for one in found.relaxations if one.rule == "visit"}
    assert left_out == {"a left out", "b left out", "d left out"}  # without c, 15 do not fit in 16


def test_a_late_return_names_the_customer() -> None:
    """Only the way back is too late: 30 out and back, the depot closes at 50."""
    nodes = [NODES[0] | {"windows": [[0, 50]]}, {"id": "far", "x": 30, "y": 0}, NODES[1]]
    found = ask(nodes=nodes)
    assert found.proved and found.blocks[0].customers == ("far",)
    assert found.blocks[0].rule == "time_windows"
    assert found.relaxations[0].change == "returns and shifts later by 10"


def test_who_cannot_share_a_vehicle() -> None:
    """Three customers that may not meet need three vehicles."""
    found = ask(incompatible=[["a", "b"], ["b", "c"], ["a", "c"]])
    assert found.proved
    assert {block.rule for block in found.blocks} == {"incompatible", "fleet"}
    assert found.blocks[0].customers == ("a", "b", "c")
    assert "c left out" in found.lines()[-3] or any("c left out" in x for x in found.lines())


def test_what_is_not_proved_is_not_called_so() -> None:
    """One short tour for all is longer than allowed: a solver's failure, no proof."""
    found = ask(vehicles=[{"count": 1, "capacity": 18, "max_distance": 25}])
    assert not found.feasible and not found.proved
    assert "no proof" in found.lines()[0]
    instance = found.relaxations[0].instance
    best = best_values(instance, {"visit", "closed", "depot"}, Objective(), most=1)
    assert best is not None
    shortest = 25 + amounts(found)["distance_limit"]
    assert best[0] <= shortest <= best[0] * 1.02


def test_changes_are_checked_ordered_and_repeat() -> None:
    """Each change's plan keeps the changed rules and breaks the given ones."""
    problem = {"vehicles": [{"count": 2, "capacity": 8, "max_distance": 30}]}
    first, second = ask(**problem), ask(**problem)
    assert [one.change for one in first.relaxations] == [one.change for one in second.relaxations]
    shares = [one.share for one in first.relaxations]
    assert shares == sorted(shares) and len(shares) > 3
    reading = parse_routing(json.dumps({"nodes": NODES, "open_routes": False} | problem))
    for one in first.relaxations:
        assert check(one.instance, one.plan, one.names).feasible
        assert not check(reading.instance, one.plan, analyse(reading).names).feasible


def test_what_no_solver_models_is_said() -> None:
    """Without a model of batteries nothing is found or proved, and the notes name the rule."""
    given = make_instance(
        [Kind.DEPOT, Kind.CUSTOMER], [[0.0, 9.0], [9.0, 0.0]], battery=Battery(10.0, 1.0, 1.0)
    )
    found = explain(given, {"visit", "depot", "closed", "battery"}, seconds=1.0)
    assert not found.feasible and not found.proved
    assert any("OR-Tools does not model battery" in note for note in found.notes)
    assert [one.change for one in found.relaxations] == ["the rule battery dropped"]


def test_the_time_limit_is_kept_and_said() -> None:
    """An explanation that ran out of time says so."""
    found = ask(seconds=0.15, vehicles=[{"count": 2, "capacity": 8}])
    assert any("time ran out" in note for note in found.notes)


def random_case(seed: int) -> RoutingInstance:
    """Return three customers under tight limits of many kinds."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 12, (4, 4)).astype(float)
    np.fill_diagonal(matrix, 0)
    if rng.random() < 0.2:
        matrix[rng.integers(0, 4), 1 + rng.integers(0, 3)] = np.inf
    opens = rng.integers(0, 8, 4) * (np.arange(4) > 0)
    windows = np.stack([opens, opens + rng.integers(2, 16, 4)], axis=1).astype(float)
    windows[0] = (0, rng.integers(14, 40))
    fleet = make_fleet(
        4,
        2,
        available=[1, int(rng.integers(0, 2))],
        capacity=rng.integers(4, 9, 2).astype(float),
        max_distance=float(rng.integers(10, 40)),
        max_duration=float(rng.integers(12, 40)),
        max_driving=float(rng.integers(10, 30)),
        allowed=np.concatenate([[[True], [True]], rng.random((2, 3)) < 0.9], axis=1),
    )
    instance = make_instance(
        [Kind.DEPOT] + [Kind.CUSTOMER] * 3,
        matrix,
        deliveries=[0, *rng.integers(0, 5, 3)],
        windows=windows,
        service=[0, *rng.integers(0, 3, 3)],
        release=[0, *(rng.integers(0, 6, 3) * (rng.random(3) < 0.3))],
        incompatible=[(1, 2)] if rng.random() < 0.3 else [],
        fleet=fleet,
    )
    return replace(instance, name=str(seed))


RULES = {
    "visit", "depot", "closed", "multi_depot", "fleet", "arcs", "capacity", "site_dependence",
    "incompatible", "distance_limit", "duration_limit", "driving_limit", "release_times",
    "time_windows",
}  # fmt: skip


def test_proofs_are_sound() -> None:
    """Whatever is proved impossible, trying all plans finds none; and proofs are frequent."""
    proved = missed = 0
    for seed in range(25):
        instance = random_case(seed)
        possible = best_values(instance, RULES, Objective(), most=2) is not None
        blocks = prove(instance, frozenset(RULES))
        assert not (blocks and possible), (seed, blocks)
        proved += bool(blocks)
        missed += not blocks and not possible
    assert proved >= 8 and missed < proved
