"""Analysis of files: constraint sets against a hand-made table, contradictions, questions."""

from pathlib import Path

import pytest

from eurisko.evaluators.routing import RoutingError, parse_routing, read_routing
from eurisko.evaluators.routing.analysis import Analysis, Severity, analyse

# Written by hand from the files and from what their comments say; visit and depot are always there.
# c capacity, r closed, o open, m several depots, b backhaul, p mixed (physical, as no comment gives
# the rule), s mixed (staged: a comment gives it), l length limit, t time windows.
LETTERS = {
    "c": "capacity",
    "r": "closed",
    "o": "open",
    "m": "multi_depot",
    "b": "backhaul",
    "p": "mixed_backhaul",
    "s": "mixed_backhaul_staged",
    "l": "distance_limit",
    "d": "duration_limit",
    "t": "time_windows",
    "e": "battery",
    "f": "fleet",
    "a": "arcs",
    "q": "precedence",
}
TABLE = {
    "mtvrp": {
        "cvrp": "cr", "vrpl": "crl", "vrptw": "crt", "vrpltw": "crlt",
        "vrpb": "crb", "vrpbl": "crbl", "vrpbtw": "crbt", "vrpbltw": "crblt",
        "vrpmb": "crp", "vrpmbl": "crpl", "vrpmbtw": "crpt", "vrpmbltw": "crslt",
        "ovrp": "co", "ovrpl": "col", "ovrptw": "cot", "ovrpltw": "colt",
        "ovrpb": "cob", "ovrpbl": "cobl", "ovrpbtw": "cobt", "ovrpbltw": "coblt",
        "ovrpmb": "cos", "ovrpmbl": "cosl", "ovrpmbtw": "cost", "ovrpmbltw": "coslt",
        "mdcvrp": "crm", "mdvrpl": "crml", "mdvrptw": "crmt", "mdvrpltw": "crmlt",
        "mdvrpb": "crmb", "mdvrpbl": "crmbl", "mdvrpbtw": "crmbt", "mdvrpbltw": "crmblt",
        "mdvrpmb": "crms", "mdvrpmbl": "crmsl", "mdvrpmbtw": "crmst", "mdvrpmbltw": "crmslt",
        "mdovrp": "com", "mdovrpl": "coml", "mdovrptw": "comt", "mdovrpltw": "comlt",
        "mdovrpb": "comb", "mdovrpbl": "combl", "mdovrpbtw": "combt", "mdovrpbltw": "comblt",
        "mdovrpmb": "coms", "mdovrpmbl": "comsl", "mdovrpmbtw": "comst", "mdovrpmbltw": "comslt",
    },
    "evrptw": {"evrp": "cer", "evrptw": "cert", "evrpltw": "cerlt", "eovrptw": "ceot"},
    "sop": dict.fromkeys(
        ("ESC07", "ESC12", "ESC47", "br17.10", "ft53.1", "p43.2", "rbg050c"), "oafq"
    ),
    "tsplib": dict.fromkeys(("att532", "gr17", "gr666", "pcb442"), "rf"),
    "cvrplib": {
        **dict.fromkeys(("A-n32-k5", "B-n31-k5", "E-n13-k4", "F-n72-k4", "M-n101-k10"), "cr"),
        **dict.fromkeys(("ORTEC-n242-k12", "P-n16-k8", "X-n101-k25", "X-n200-k36"), "cr"),
        "X-n502-k39": "cr", "CMT6": "crd", "Golden_1": "crl",
        **dict.fromkeys(("C101", "C201", "R101", "R112", "R201", "RC101", "RC208"), "crtf"),
    },
}  # fmt: skip


def files(folder: Path, kind: str, name: str) -> list[Path]:
    """Return the files of one line of the table."""
    pattern = f"{name}-*" if kind in ("mtvrp", "evrptw") else f"{name}.*"
    endings = (".vrp", ".sop", ".txt", ".tsp")
    return [path for path in sorted((folder / kind).glob(pattern)) if path.suffix in endings]


@pytest.mark.parametrize("kind", TABLE)
def test_constraint_sets(routing_files: Path, kind: str) -> None:
    """Analysis alone finds the hand-made set of each file, and the table covers the folder."""
    seen = 0
    for name, letters in TABLE[kind].items():
        for path in files(routing_files, kind, name):
            wanted = {LETTERS[letter] for letter in letters} | {"visit", "depot"}
            assert analyse(read_routing(path)).names == wanted, path.name
            seen += 1
    assert seen == {"mtvrp": 48, "evrptw": 16, "sop": 7, "tsplib": 4, "cvrplib": 19}[kind]


def test_public_files_contradict_themselves(routing_files: Path) -> None:
    """One comment speaks of a limit that is not there; one SOP line holds two headers."""
    warned = {}
    for path in sorted((routing_files / "mtvrp").iterdir()):
        found = analyse(read_routing(path)).findings
        loud = [finding.message for finding in found if finding.severity != Severity.NOTE]
        warned.update({path.stem: loud} if loud else {})
    assert list(warned) == ["mdvrpmbtw-1"]
    assert "a comment speaks of a limit" in warned["mdvrpmbtw-1"][0]
    found = analyse(read_routing(routing_files / "sop" / "ESC07.sop")).findings
    assert any("shares its line" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("vrpl-1", "TYPE : CVRPL", "TYPE : MDCVRPL", "claims several depots"),
        ("mdvrpmbltw-1", "TYPE : MDCVRPMBLTW", "TYPE : MDCVRPBLTW", None),
        ("cvrp-1", "TYPE : CVRP", "TYPE : CVRPTW", "claims time windows"),
        ("vrptw-1", "TYPE : CVRPTW", "TYPE : CVRP", "the sections have time windows"),
        ("cvrp-1", "TYPE : CVRP", "TYPE : XYZ", "not a known name"),
        ("cvrp-1", "CAPACITY : 1", "CAPACTIY : 1", "did it mean CAPACITY"),
        ("cvrp-1", "CAPACITY : 1", "CAPACITY : 0.1", "more than the largest vehicle holds"),
        ("cvrp-1", "DIMENSION : 51", "VEHICLES : 2\nDIMENSION : 51", "exceed the fleet's 2"),
        ("cvrp-1", "DIMENSION : 51", "DIMENSION : 50", "DIMENSION is 50"),
        ("vrpl-1", "LIMIT : 2.72", "LIMIT : 0.72", "a route is longer than"),
    ],
)
def test_contradictions(
    routing_files: Path, file: str, old: str, new: str, message: str | None
) -> None:
    """A header changed by hand is caught, and the sections still decide."""
    text = (routing_files / "mtvrp" / f"{file}.vrp").read_text()
    assert old in text
    analysis = analyse(parse_routing(text.replace(old, new, 1)))
    messages = [finding.message for finding in analysis.findings]
    if message is None:  # a comment contradicts the header: the header's load rule is used
        assert "backhaul" in analysis.names
    else:
        assert any(message in text for text in messages), messages


def small(**changes: object) -> Analysis:
    """Return the analysis of a small JSON instance with changes."""
    import json

    nodes = [
        {"id": "depot", "kind": "depot", "x": 0, "y": 0, "windows": [[0, 1440]]},
        {"id": "a", "x": 30, "y": 0, "delivery": 2, "windows": [[100, 200]], "service": 10},
        {"id": "b", "x": 0, "y": 40, "delivery": 2, "windows": [[300, 500]], "service": 10},
    ]
    content = {"nodes": nodes, "vehicles": [{"capacity": 4}], **changes}
    return analyse(parse_routing(json.dumps(content)))


def test_nothing_is_wrong() -> None:
    """A sound instance has no warning and no error."""
    assert [one for one in small().findings if one.severity != Severity.NOTE] == []


def test_unit_mistake() -> None:
    """Windows in minutes and travel in seconds are caught (PyVRP issue 876)."""
    seconds = [[0, 1800, 2400], [1800, 0, 3000], [2400, 3000, 0]]
    errors = [one for one in small(durations=seconds).findings if one.severity == Severity.ERROR]
    assert {one.topic for one in errors} == {"units", "windows"}
    assert "are the units of time the same?" in errors[0].message


def test_integer_truncation(routing_files: Path) -> None:
    """Rounding the unit square to integers is an error; unrounded it is not."""
    path = routing_files / "mtvrp" / "cvrp-1.vrp"
    topics = [one.topic for one in analyse(read_routing(path, rounding="nearest")).findings]
    assert "units" in topics
    assert "units" not in [one.topic for one in analyse(read_routing(path)).findings]


def test_late_return_is_seen() -> None:
    """A customer whose return is after the depot closes cannot be served."""
    nodes = [
        {"id": "depot", "kind": "depot", "x": 0, "y": 0, "windows": [[0, 300]]},
        {"id": "a", "x": 30, "y": 0, "windows": [[290, 299]]},
        *({"id": f"n{i}", "x": 1, "y": i} for i in range(6)),
    ]
    errors = [one for one in small(nodes=nodes).findings if one.severity == Severity.ERROR]
    assert [one.nodes for one in errors] == [("a",)]
    assert "the return from there" in errors[0].message


def test_unreachable_and_unservable() -> None:
    """A missing way, a circle of precedences and a missing skill are each named."""
    matrix = [[0, 5, None], [5, 0, None], [4, 3, 0]]
    assert any(one.topic == "unreachable" for one in small(distances=matrix).findings)
    circle = small(precedence=[["a", "b"], ["b", "a"]]).findings
    assert any("run in a circle" in one.message for one in circle)
    nodes = [
        {"id": "depot", "kind": "depot", "x": 0, "y": 0},
        {"id": "a", "x": 3, "y": 4, "skills": ["crane"]},
    ]
    skills = small(nodes=nodes).findings
    assert any("no vehicle may serve" in one.message and one.nodes == ("a",) for one in skills)


def test_stranded_battery() -> None:
    """A customer that the battery cannot reach and leave again is named."""
    findings = small(battery={"capacity": 70, "consumption": 1}).findings
    assert [one.nodes for one in findings if one.topic == "energy"] == [("b",)]


def test_asymmetric_and_not_metric() -> None:
    """Direction-dependent distances and shorter detours are noted."""
    matrix = [[0, 50, 4], [5, 0, 3], [4, 3, 0]]
    analysis = small(distances=matrix)
    assert len([one for one in analysis.findings if one.topic == "matrix"]) == 1
    text = """TYPE: ACVRP\nDIMENSION: 3\nCAPACITY: 5\nEDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 50 4\n5 0 3\n4 3 0
DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\n"""
    messages = [one.message for one in analyse(parse_routing(text)).findings]
    assert any("up to 43 shorter" in message for message in messages)


def test_questions_and_answers() -> None:
    """What data cannot show is asked; answers change the rules; wrong ones are refused."""
    analysis = small()
    assert {question.key for question in analysis.questions} == {
        "return",
        "fleet_size",
        "objective",
    }
    answered = analysis.answered({"return": "open"})
    assert "open" in answered.names
    assert "closed" not in answered.names
    assert "return" not in [question.key for question in answered.questions]
    with pytest.raises(RoutingError, match="is none of"):
        analysis.answered({"return": "sideways"})


def test_load_rule_is_asked() -> None:
    """Pickups without a rule: three rules are offered, the physical one is the default."""
    nodes = [
        {"id": "depot", "kind": "depot", "x": 0, "y": 0},
        {"id": "a", "x": 30, "y": 0, "delivery": 2},
        {"id": "b", "x": 0, "y": 40, "pickup": 2},
    ]
    analysis = small(nodes=nodes)
    asked = {question.key: question for question in analysis.questions}["load_rule"]
    assert asked.options == ("backhaul", "mixed_backhaul", "mixed_backhaul_staged")
    assert "mixed_backhaul" in analysis.names
    staged = analysis.answered({"load_rule": "mixed_backhaul_staged"}).names
    assert "mixed_backhaul" not in staged
    assert "load_rule" not in [q.key for q in small(nodes=nodes, load_rule="backhaul").questions]
