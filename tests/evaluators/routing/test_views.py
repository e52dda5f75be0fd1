"""Tables, exports, pictures and the map page of plans, names as hostile as a file can make them."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from support.browser import Seen, look

from eurisko.evaluators.routing import (
    Kind,
    Plan,
    Route,
    RoutingError,
    RoutingInstance,
    make_fleet,
    make_instance,
)
from eurisko.evaluators.routing.checker import Report, check
from eurisko.evaluators.routing.views import (
    map_page,
    plot_routes,
    render_page,
    routes_csv,
    routes_json,
    schedule_table,
    slack_table,
)

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"><b>$x_$</b>"
RULES = frozenset(
    {"visit", "depot", "open", "capacity", "time_windows", "reloads", "mixed_backhaul"}
)


def case() -> tuple[RoutingInstance, Plan, Report]:
    """Return two open routes on a line, one with a reload and a late stop; one customer is missed."""
    kinds = [Kind.DEPOT, *[Kind.CUSTOMER] * 5, Kind.STATION]
    x = np.array([0.0, 2.0, 5.0, -3.0, -4.0, 9.0, 7.0])
    fleet = make_fleet(7, capacity=4.0, max_trips=2, reload_depots=np.arange(7)[None] == 0)
    windows = np.tile((0.0, 100.0), (7, 1))
    windows[1] = (3, 20)
    windows[3] = (0, 12)
    instance = make_instance(
        kinds,
        np.abs(x[:, None] - x[None, :]),
        coordinates=np.stack([x, 0 * x], axis=1),
        node_ids=["depot", ATTACK, "=SUM(A1)", "c", "d", "missed", "station"],
        deliveries=[0, 1, 3, 2, 0, 1, 0],
        pickups=[0, 0, 0, 0, 2, 0, 0],
        service=[0, 1, 1, 1, 1, 1, 0],
        windows=windows,
        name=ATTACK,
        fleet=fleet,
    )
    plan = Plan((Route((0, 1, 2, 0, 3)), Route((0, 4))))
    return instance, plan, check(instance, plan, RULES)


def test_schedule() -> None:
    """Times, waiting, loads by trip and lateness are those worked out by hand."""
    instance, _, report = case()
    rows = schedule_table(instance, report).records()
    assert [row["node"] for row in rows[:5]] == ["depot", ATTACK, "=SUM(A1)", "depot", "c"]
    first = rows[:5]
    assert [row["start"] for row in first] == [1, 3, 7, 13, 16]
    assert [row["departure"] for row in first] == [1, 4, 8, 13, 17]
    assert [row["load"] for row in first] == [4, 3, 0, 2, 0]
    assert [row["distance"] for row in first] == [0, 2, 5, 10, 13]
    assert (first[3]["note"], first[4]["note"]) == ("reload", "late by 4")
    assert first[4]["slack"] == -4
    assert [row["load"] for row in rows[5:]] == [0, 2]


def test_slack_names_what_is_broken() -> None:
    """Every rule has a line; broken ones say where, infinite margins are left empty."""
    table = slack_table(case()[2])
    by_rule = {row["rule"]: row for row in table.records()}
    assert set(by_rule) == RULES
    assert by_rule["visit"]["where"] == "customer missed is not visited"
    assert by_rule["time_windows"]["slack"] == -4 and by_rule["capacity"]["state"] == "kept"
    lines = table.text().splitlines()
    assert len(lines) == len(RULES) + 1 and "customer missed is not visited" in table.text()


def test_exports_hold_the_same_schedule() -> None:
    """CSV and JSON can be read back; a name is no formula for a spreadsheet."""
    instance, plan, report = case()
    rows = list(csv.DictReader(io.StringIO(routes_csv(instance, plan, report))))
    assert [row["node"] for row in rows][:3] == ["depot", ATTACK, "'=SUM(A1)"]
    found = json.loads(routes_json(instance, plan, report))
    assert [route["stops"][-1] for route in found["routes"]] == ["c", "d"]
    assert not found["feasible"] and found["objective"] == [report.cost]
    times = [row["start"] for route in found["routes"] for row in route["schedule"]]
    assert times == [float(row["start"]) for row in rows]


def test_a_plan_without_a_course_is_refused() -> None:
    """A plan that names unknown nodes has slack, but no schedule."""
    instance, _, _ = case()
    report = check(instance, Plan((Route((0, 99)),)), RULES)
    assert (
        slack_table(report).records()[-1]["where"] == "route 1 visits node 99, which does not exist"
    )
    with pytest.raises(RoutingError, match="no schedule: route 1 visits node 99"):
        schedule_table(instance, report)


def test_pictures(tmp_path: Path) -> None:
    """The SVG holds the names as text and repeats; the PNG is one; other endings are refused."""
    instance, plan, _ = case()
    first = plot_routes(instance, plan, tmp_path / "a.svg").read_bytes()
    assert first == plot_routes(instance, plan, tmp_path / "b.svg").read_bytes()
    texts = [one.text or "" for one in ET.fromstring(first).iter() if one.tag.endswith("text")]
    said = " ".join(texts)
    for word in ("1: vehicle 0, 3 customers", "not visited", "station", "depot", "missed"):
        assert word in said
    assert plot_routes(instance, plan, tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(RoutingError, match=r"ends in \.png"):
        plot_routes(instance, plan, tmp_path / "a.txt")


def test_places_without_coordinates(tmp_path: Path) -> None:
    """From distances on a line alone, nodes lie in the order of the line."""
    x = np.array([0.0, 4.0, 1.0, 9.0])
    kinds = [Kind.DEPOT, *[Kind.CUSTOMER] * 3]
    instance = make_instance(kinds, np.abs(x[:, None] - x[None, :]))
    plan = Plan((Route((0, 2, 1, 3, 0)),))
    text = plot_routes(instance, plan, tmp_path / "a.svg").read_text()
    assert "only nearness means something" in text
    from eurisko.evaluators.routing.views.layout import positions

    places, made_up = positions(instance)
    order = np.argsort(places[:, 0]).tolist()
    assert made_up and order in ([0, 2, 1, 3], [3, 1, 2, 0])


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Open the page once in Chromium."""
    instance, plan, report = case()
    return look(map_page(instance, plan, report, tmp_path_factory.mktemp("map") / "map.html"))


def test_the_page_draws_without_network(seen: Seen) -> None:
    """All routes, arrows, open ends and nodes are drawn; nothing is fetched, nothing complains."""
    lines, arrows, ends, nodes = 2 * 2, 5, 2, 7  # lines are in the legend as well
    assert seen.marks["chart-map"] == lines + arrows + ends + nodes
    assert not seen.wrong and not seen.dialogs
    assert {one.split(":")[0] for one in seen.asked} <= {"file", "data", "blob"}
    assert seen.wide == {1280: 1280, 390: 390}


def test_hostile_names_stay_text(seen: Seen) -> None:
    """Names of nodes and of the instance do nothing, and are shown as they are."""
    assert seen.title.startswith(ATTACK) and seen.images == 0
    assert seen.text.count(ATTACK) >= 2
    for word in ("rules are broken", "late by 4", "customer missed is not visited", "reload"):
        assert word in seen.text


def test_only_our_scripts_may_run() -> None:
    """The policy allows the page's own scripts by their hashes and nothing else."""
    page = render_page(*case())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None and "default-src 'none'" in policy.group(1)
    assert len(re.findall("'sha256-", policy.group(1))) == len(re.findall("<script>", page)) == 2
