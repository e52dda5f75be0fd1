"""``eurisko solve``: one file to one verified plan, and an exit status for each way it can end."""

import json
import os
from pathlib import Path

import pytest
from support.scripted_endpoint import ScriptedEndpoint
from typer.testing import CliRunner, Result

from eurisko.agents.routing.session import Answer, Request, origins
from eurisko.cli.main import app
from eurisko.evaluators.routing import plan_of_customers

NODES = [{"id": "depot", "kind": "depot", "x": 0, "y": 0, "windows": [[0, 500]]}]
NODES += [{"id": str(n), "x": 10 * n, "y": 0, "delivery": n} for n in range(1, 5)]


class Each:
    """A solver that gives each customer its own route."""

    name = "reference"

    def solve(self, request: Request) -> Answer:
        instance = request.task.instance
        routes = [[int(row)] for row in instance.customers]
        closed = "closed" in request.task.names
        return Answer("each alone", plan_of_customers(instance, routes, closed=closed))


@pytest.fixture
def solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run ``eurisko solve`` in this process with that solver, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("EURISKO_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(origins, "make_sources", lambda *args, **more: (Each(),))
    write(tmp_path, {})

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(app, ["solve", "line.json", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        return result

    return call


def write(folder: Path, more: dict) -> None:
    content = {"name": "line", "nodes": NODES, "vehicles": [{"capacity": 10}], **more}
    (folder / "line.json").write_text(json.dumps(content))


def test_one_json_object(solve) -> None:
    """--json prints the analysis, the changes in words, and the plan with schedule and slack."""
    result = solve(
        "distances are in km; no route over 100 km", "--yes", "--json", "--return", "open"
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["solution"]["verified"] is True
    assert (found["solution"]["source"], found["solution"]["cost"]) == ("reference", 100)
    assert found["solution"]["slack"]["distance_limit"] == 60
    assert [one["change"]["kind"] for one in found["changes"]] == ["return", "units", "route_limit"]
    assert "Each route is at most 100 km long" in found["changes"][2]["sentence"]
    assert found["solution"]["routes"][3]["schedule"][1]["arrival"] == 40
    assert "return" not in [one["key"] for one in found["questions"]]


def test_for_people(solve, tmp_path: Path) -> None:
    """Without --json: rules, the plan, slack, and the files that were written."""
    result = solve("--yes", "--out", "plans")
    assert result.exit_code == 0, result.output
    for words in (
        "capacity 10 and demands up to 4",
        "Verified plan",
        "each alone",
        "plans/line.sol",
    ):
        assert words in result.stdout
    assert "Cost 200" in (tmp_path / "plans" / "line.sol").read_text()


def test_questions_need_an_answer(solve) -> None:
    """Without --yes and without a terminal open questions end it: nothing is assumed silently."""
    result = solve()
    assert result.exit_code == 2
    assert "return (closed or open)" in result.stderr
    answers = ("--return", "closed", "--fleet-size", "4", "--objective", "cost")
    assert solve(*answers).exit_code == 0
    wrong = solve("--return", "sideways", "--yes")
    assert wrong.exit_code == 1
    assert "none of closed, open" in wrong.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("make it nicer", "'make it nicer' is not understood."),
        ("no route over 9", "a duration, a driving time or a length"),
        ("no driver over 9 hours", "does not say its unit of time"),
        ("at most 4 vehicles. Paint them red", "'Paint them red' is not understood"),
    ],
)
def test_text_that_is_not_clear(solve, text: str, words: str) -> None:
    """One unclear part ends it, even with --yes; with --json the error is in the object."""
    result = solve(text, "--yes")
    assert result.exit_code == 4
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    as_json = solve(text, "--yes", "--json")
    assert as_json.exit_code == 4
    assert words in json.loads(as_json.stdout)["error"]


def test_contradictions_stop_unless_told(solve, tmp_path: Path) -> None:
    """A demand that no vehicle holds is one sentence; --anyway goes on to the solvers."""
    write(tmp_path, {"vehicles": [{"capacity": 3}]})
    result = solve("--yes")
    assert result.exit_code == 5
    assert "customers need more than the largest vehicle holds (nodes 4)" in result.stderr
    result = solve("--yes", "--anyway", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert "the checker rejects its plan: capacity" in found["error"]
    assert found["why"]["errors"][0]["topic"] == "demand"


def test_a_model_reads_what_rules_do_not(solve) -> None:
    """With a model the text is read by it, within the budget of calls."""
    reply = '{"changes": [{"kind": "fleet_size", "count": 4}]}'
    with ScriptedEndpoint([reply]) as endpoint:
        model = ("--model", "openai/scripted", "--base-url", endpoint.base_url)
        result = solve("four of our people can drive", "--yes", "--json", *model)
        assert result.exit_code == 0, result.output
        assert (
            json.loads(result.stdout)["changes"][0]["sentence"] == "There are at most 4 vehicles."
        )
        agreed = solve("four of our people can drive", "--yes", *model, "--budget-calls", "1")
        assert agreed.exit_code == 0
        plain = solve("at most 4 vehicles", "--yes", *model)
        assert plain.exit_code == 0
        assert len(endpoint.requests) == 2
        unasked = solve("four of our people can drive", *model)
        assert unasked.exit_code == 2
        assert "There are at most 4 vehicles. --yes agrees beforehand" in unasked.stderr


def test_tables_with_columns_of_their_own(solve, tmp_path: Path) -> None:
    """Columns are mapped by --column; one that means nothing stops until it is named."""
    table = "stop,x,y,boxes,colour\nbase,0,0,0,red\nA1,3,4,2,blue\nA2,6,8,3,red\n"
    (tmp_path / "stops.csv").write_text(table)
    run = CliRunner()
    base = ["solve", "stops.csv", "--yes", "--json", "--column", "delivery=boxes"]
    stopped = run.invoke(app, base)
    assert stopped.exit_code == 5
    assert "colour (line 1) is not known" in json.loads(stopped.stdout)["error"]
    solved = run.invoke(app, [*base, "--ignore-column", "colour"])
    assert solved.exit_code == 0, solved.output
    assert json.loads(solved.stdout)["solution"]["cost"] == 30
    wrong = run.invoke(app, [*base, "--column", "x"])
    assert wrong.exit_code == 1
    assert "write FIELD=COLUMN" in wrong.stderr
