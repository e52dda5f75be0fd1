"""Sessions: nothing a solver says is believed, everything can be undone, saved and restored."""

import json
import os
from pathlib import Path

import pytest

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.interpret import interpret
from eurisko.agents.routing.session import (
    Answer,
    NoPlan,
    Request,
    RoutingSession,
    SessionData,
)
from eurisko.agents.routing.session.exporting import export
from eurisko.agents.routing.session.summary import plan_summary, problem_summary
from eurisko.evaluators.routing import Plan, Route, RoutingError, plan_of_customers, read_solution

NODES = [{"id": "depot", "kind": "depot", "x": 0, "y": 0}]
NODES += [{"id": str(n), "x": 10 * n, "y": 0, "delivery": n} for n in range(1, 5)]
TEXT = json.dumps({"name": "line", "nodes": NODES, "vehicles": [{"capacity": 10}]})


class Fixed:
    """A solver that always answers the same."""

    def __init__(self, name: str, plan: Plan | None, why: str = "") -> None:
        self.name = name
        self.plan = plan
        self.why = why
        self.asked: list[Request] = []

    def solve(self, request: Request) -> Answer:
        self.asked.append(request)
        return Answer(f"{self.name} solver", self.plan, self.why, claimed=1.0, seconds=0.5)


class Each:
    """A solver that gives each customer its own route, as the rules ask: open or closed."""

    name = "reference"

    def solve(self, request: Request) -> Answer:
        instance = request.task.instance
        routes = [[int(row)] for row in instance.customers]
        plan = plan_of_customers(instance, routes, closed="closed" in request.task.names)
        return Answer("each", plan)


GOOD = Plan((Route((0, 1, 2, 3, 4, 0)),))
LOST = Plan((Route((0, 1, 2, 3, 0)),))


def start(*sources: object) -> RoutingSession:
    return RoutingSession(SessionData(path="line.json", text=TEXT), sources)  # type: ignore[arg-type]


def change(session: RoutingSession, **given: object):
    return session.change(ANY_CHANGE.validate_python(given))


def test_questions_are_answered_and_gone() -> None:
    """An answer changes the rules and says where they come from; defaults hold before."""
    session = start()
    assert {one.key for one in session.questions} == {"return", "fleet_size", "objective"}
    assert "closed" in session.task.names
    assert session.answer("return", "Open").sentence.startswith("Routes end at their last")
    session.answer("fleet_size", "3")
    session.answer("objective", "vehicles, then cost")
    assert session.questions == ()
    sources = {one.name: one.source for one in session.analysis.constraints}
    assert sources["open"] == "answer"
    assert sources["capacity"] == "data"
    assert sources["fleet"] == "change"
    assert session.task.order == ("vehicles", "cost")
    assert session.task.names == {one.name for one in session.analysis.constraints}


@pytest.mark.parametrize(
    ("key", "option", "reason"),
    [
        ("retrun", "open", "did you mean return"),
        ("return", "sideways", "none of closed, open"),
        ("fleet_size", "0", "a number from 1"),
        ("objective", "beauty", "none of cost"),
        ("rounding", "banker", "none of none"),
    ],
)
def test_wrong_answers_change_nothing(key: str, option: str, reason: str) -> None:
    """A misspelt question or option is refused with what would be right."""
    session = start()
    with pytest.raises(RoutingError, match=reason):
        session.answer(key, option)
    assert session.data.steps == ()


def test_a_plan_is_believed_only_after_the_checker() -> None:
    """Solvers are asked in order; a violating plan is rejected by rule, the next solver is asked."""
    none = Fixed("memory", None, "nothing fits")
    liar, good = Fixed("created", LOST), Fixed("reference", GOOD)
    session = start(none, liar, good)
    solved, report = session.solve(seconds=2.0, seed=7)
    assert report.feasible
    assert (solved.source, solved.values, solved.claimed) == ("reference", (80.0,), 1.0)
    assert solved.notes == ("the solver claims a cost of 1; its routes cost 80",)
    assert [one.why for one in solved.tried] == [
        "nothing fits",
        "the checker rejects its plan: visit: customer 4 is not visited",
    ]
    assert (good.asked[0].seconds, good.asked[0].seed) == (2.0, 7)


def test_the_gap_is_to_the_reference() -> None:
    """A created solver's plan is compared with the reference's on the same problem."""
    session = start(Fixed("created", GOOD), Each())
    solved, _ = session.solve()
    assert solved.reference == (200.0,)
    assert solved.gap == pytest.approx(100 * (80 - 200) / 200)
    assert start(Each()).solve()[0].gap is None


def test_no_plan_says_what_was_tried() -> None:
    """Without any right plan the reasons of all solvers are in the error, and nothing is stored."""
    session = start(Fixed("memory", None, "nothing fits"), Fixed("reference", LOST))
    with pytest.raises(NoPlan, match=r"nothing fits.*customer 4 is not visited"):
        session.solve()
    assert session.latest is None
    with pytest.raises(RoutingError, match="did you mean memory"):
        session.solve(only="memoir")


def test_a_change_tells_how_the_plan_fares_and_undo_brings_it_back() -> None:
    """The latest plan is checked under each change; a plan made after a change goes with it."""
    session = start(Each())
    session.solve()
    kept = change(session, kind="route_limit", measure="distance", limit=100)
    assert kept.report is not None
    assert kept.report.feasible
    broken = change(session, kind="fleet_size", count=2)
    assert broken.report is not None
    assert broken.report.broken == {"fleet"}
    assert session.current is None
    lost = change(session, kind="drop", customers=["4"])
    assert lost.report is None
    assert "no longer part" in lost.lost
    for _ in range(3):
        session.undo()
    assert session.current is not None
    change(session, kind="return", rule="open")
    solved, _ = session.solve()
    assert solved.values == (100.0,)
    session.undo()
    assert session.latest is not None
    assert session.latest.values == (200.0,)


def test_saved_sessions_go_on(tmp_path: Path) -> None:
    """A session file holds the problem itself: changes, plans and the conversation survive."""
    session = start(Each())
    session.answer("return", "open")
    session.solve()
    session.say("user", "hello")
    path = session.save(tmp_path / "deep" / "one.json")
    again = RoutingSession.load(path, (Each(),))
    assert again.data == session.data
    assert again.task.names == session.task.names
    assert again.solve()[0].values == (100.0,)
    assert again.undo() is not None
    assert "closed" in again.task.names


@pytest.mark.parametrize(
    "damage", ['{"eurisko_session": 1}', '{"eurisko_session": 1, "path": "x", "text": "y", "z": 1}']
)
def test_a_damaged_session_is_refused(tmp_path: Path, damage: str) -> None:
    """A file that only looks like a session is one sentence, not a traceback."""
    path = tmp_path / "broken.json"
    path.write_text(damage)
    with pytest.raises(RoutingError, match="no saved session"):
        RoutingSession.load(path)


def test_exports_are_read_back(tmp_path: Path) -> None:
    """Formats name the file's nodes and rows, also after a customer was dropped."""
    session = start(Each())
    change(session, kind="drop", customers=["1"])
    solved, report = session.solve()
    files, _ = export(session, tmp_path, ["sol", "json", "session"])
    assert [file.suffix for file in files] == [".sol", ".json", ".json"]
    plan, cost = read_solution(tmp_path / "line.sol", session.reading.instance)
    assert [route.stops for route in plan.routes] == [(0, 2, 0), (0, 3, 0), (0, 4, 0)]
    assert cost == solved.values[0] == report.values[0]
    assert json.loads((tmp_path / "line.json").read_text())["routes"][0]["stops"] == [
        "depot",
        "2",
        "depot",
    ]
    assert RoutingSession.load(tmp_path / "line.session.json").data == session.data
    files, left = export(session, tmp_path / "all")
    assert {file.suffix for file in files} == {".sol", ".json", ".csv", ".png", ".svg", ".html"}
    assert left == ["program: this plan was not made by a created solver, so there is no program."]
    assert (tmp_path / "all" / "line.csv").read_text().startswith("route,vehicle,stop,node")
    changed = RoutingSession.load(tmp_path / "all" / "line.instance.json")
    assert changed.task.instance.node_ids == ("depot", "2", "3", "4")
    (tmp_path / "file").write_text("")
    with pytest.raises(RoutingError, match="cannot be written"):
        export(session, tmp_path / "file", ["sol"])


def test_only_a_plan_of_the_present_problem_is_exported(tmp_path: Path) -> None:
    """After a change the old plan is not written, and an unknown format is refused by name."""
    session = start(Each())
    session.solve()
    with pytest.raises(RoutingError, match="did you mean sol"):
        export(session, tmp_path, ["soll"])
    change(session, kind="fleet_size", count=9)
    with pytest.raises(RoutingError, match="solve it first"):
        export(session, tmp_path, ["sol"])


def test_summaries_are_plain_data() -> None:
    """Problem and plan are one JSON object; the schedule adds up to the duration."""
    session = start(Each())
    change(session, kind="service_time", time=3)
    solved, report = session.solve()
    problem, plan = problem_summary(session), plan_summary(session, solved, report)
    json.dumps([problem, plan])
    assert problem["changes"][0]["sentence"] == "Service at each customer takes 3."
    assert {one["name"] for one in problem["rules"]} == session.task.names
    route = plan["routes"][3]
    assert (route["stops"], route["distance"], route["duration"]) == (
        ["depot", "4", "depot"],
        80,
        83,
    )
    schedule = route["schedule"]
    assert schedule[1]["departure"] - schedule[1]["start"] == 3
    assert schedule[2]["arrival"] - schedule[0]["departure"] == route["duration"]
    assert plan["slack"]["capacity"] == 6
    assert (plan["cost"], plan["vehicles"], plan["unvisited"]) == (200, 4, [])


def test_every_public_variant_can_be_talked_about() -> None:
    """All 48 variants: rules of task and analysis agree, defaults settle all, undo restores."""
    shared = Path(os.environ.get("EURISKO_SHARED", Path(__file__).resolve().parents[4] / "shared"))
    files = sorted((shared / "data" / "mtvrp").glob("*.vrp"))
    if not files:
        pytest.skip(f"no public instance files at {shared}; set EURISKO_SHARED")
    for file in files:
        session = RoutingSession.load(file)
        names = session.task.names
        assert names == session.analysis.names, file.name
        text = "customers 8 and 9 not together. At most 9 vehicles; customer 12 is optional"
        for one in interpret(text, session.task).changes:
            session.change(one)
        assert {"incompatible", "fleet", "prizes"} <= session.task.names
        for question in session.questions:
            session.answer(question.key, question.default)
        assert session.questions == (), file.name
        assert session.task.names == session.analysis.names, file.name
        while session.undo():
            pass
        assert session.task.names == names
