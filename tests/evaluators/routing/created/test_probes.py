"""Probes: each isolates one rule on an instance of the user's format, or the rule is named."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eurisko.evaluators.routing import Reading, parse_routing, read_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.created import CreatedProbe, make_probes, probe_set
from eurisko.evaluators.routing.created.write import differences, read_like

Made = Callable[..., tuple[str, Reading]]
LATE = {
    "a customer is served late",
    "late because of waiting",
    "late because of service",
}


def check_probe(reading: Reading, names: frozenset[str], probe: CreatedProbe) -> None:
    """The text reads as the instance; one plan keeps all rules, the other breaks only its own."""
    again = read_like(reading, probe.text).instance
    assert list(differences(again, probe.instance)) == []
    assert len(again.customers) <= 8
    assert check(again, probe.accepted, names).feasible
    assert check(again, probe.rejected, names).broken == {probe.constraint} | probe.also
    without = check(again, probe.rejected, names - {probe.constraint} - probe.also)
    if probe.kind not in ("a node does not exist", "no such vehicle type"):  # never a plan
        assert without.broken == ({"depot"} if probe.constraint == "reloads" else set())


@pytest.mark.parametrize(
    ("variant", "count"),
    [("CVRPLTW", 12), ("OCVRPTW", 10), ("ECVRPTW", 12), ("SOP", 9), ("TSP", 7)],
)
def test_every_rule_has_probes(made: Made, variant: str, count: int) -> None:
    """All rules of a variant have confirmed probes, ends, waiting and late returns included."""
    reading = made(variant)[1]
    names = analyse(reading).names
    found = probe_set(reading, names)
    assert found.missing == {}
    assert {probe.constraint for probe in found.probes} == names
    assert len(found.probes) == count
    for probe in found.probes:
        check_probe(reading, names, probe)
    kinds = {probe.kind for probe in found.probes if probe.constraint == "time_windows"}
    if "time_windows" in names:
        assert kinds == LATE | ({"a late return to the depot"} if "closed" in names else set())


def test_only_implied_rules_break_too(made: Made) -> None:
    """In sequential ordering no way leads back, so that rejected plans of three kinds break two."""
    reading = made("SOP")[1]
    probes = make_probes(reading, analyse(reading).names)
    assert {probe.constraint for probe in probes if probe.also} == {"depot", "open"}


def test_same_probes_again(made: Made) -> None:
    """Probes of one file are the same each time."""
    reading = made("ECVRP")[1]
    first, second = (make_probes(reading, analyse(reading).names) for _ in range(2))
    assert [(p.title, p.text, p.rejected) for p in first] == [
        (p.title, p.text, p.rejected) for p in second
    ]


@pytest.mark.parametrize(
    ("file", "missing"),
    [
        ("mtvrp/mdvrpmbltw-1.vrp", set()),
        ("mtvrp/mdovrpbtw-1.vrp", {"multi_depot"}),
        ("mtvrp/vrpmbl-1.vrp", set()),
        ("cvrplib/C101.txt", set()),
        ("cvrplib/CMT6.vrp", set()),
        ("pyvrp_instances/MTVRPTWR/C201R0.25.vrp", {"release_times"}),
        ("pyvrp_instances/HFVRP/X115-HVRP.vrp", set()),
        ("pyvrp_instances/SDVRPTW/PR01.vrp", set()),
        ("pyvrp_instances/GVRP/G-n262-k25-C88-V9.vrp", set()),
        ("tsplib/gr17.tsp", set()),
    ],
)
def test_public_files(routing_files: Path, file: str, missing: set[str]) -> None:
    """Public files of many formats carry probes of all rules but those that are named."""
    reading = read_routing(routing_files / file)
    names = analyse(reading).names
    found = probe_set(reading, names)
    assert set(found.missing) == missing
    assert {probe.constraint for probe in found.probes} == names - missing
    for probe in found.probes:
        check_probe(reading, names, probe)


NODES = [{"id": "d", "kind": "depot", "x": 0, "y": 0}] + [
    {"id": f"c{i}", "x": 7 * i % 40 - 20, "y": 11 * i % 30, "delivery": 2 * (i % 2)}
    for i in range(8)
]
PAIRED = [{**node, "pickup": 2 - node.get("delivery", 2)} for node in NODES]
JSON = {
    "skills": {
        "nodes": [{**node, "skills": ["ice"] if i == 3 else []} for i, node in enumerate(NODES)],
        "vehicles": [{"skills": ["ice"]}, {"count": 3}],
    },
    "lifo": {"nodes": PAIRED, "pairs": [["c0", "c1"], ["c2", "c3"], ["c4", "c5"]], "lifo": True,
             "vehicles": [{"capacity": 9}]},
    "incompatible": {"nodes": NODES, "incompatible": [["c1", "c2"], ["c3", "c5"]]},
    "driving_limit": {"nodes": NODES, "vehicles": [{"max_driving": 300}]},
    "prizes": {"nodes": [{**n, "prize": 3, "required": False} for n in NODES], "min_prize": 12},
    "site_dependence": {"nodes": NODES, "vehicles": [{"forbidden": ["c1"]}, {"count": 2}]},
    "reloads": {"nodes": NODES, "vehicles": [
        {"capacity": 6, "count": 2, "max_trips": 3, "reload_depots": ["d"]}]},
    "groups": {"nodes": NODES, "groups": [["c1", "c2"], ["c3", "c4"]]},
}  # fmt: skip


@pytest.mark.parametrize("rule", JSON)
def test_rules_of_json(rule: str) -> None:
    """Rules that only JSON files hold have probes, searched for or the vocabulary's own."""
    reading = parse_routing(json.dumps(JSON[rule]))
    names = analyse(reading).names
    found = probe_set(reading, names)
    assert rule in names
    assert found.missing == {}
    for probe in found.probes:
        check_probe(reading, names, probe)


def test_rules_that_nothing_can_break_are_named() -> None:
    """Breaks and tables: each rule without a probe is reported with its reason."""
    reading = parse_routing("id,x,y\nd,0,0\na,1,1\nb,2,0\n", "t.csv")
    found = probe_set(reading, ["visit", "closed", "breaks"])
    assert found.probes == ()
    assert set(found.missing) == {"visit", "closed", "breaks"}
    assert "rests" in found.missing["breaks"]
    assert "tables" in found.missing["visit"]
