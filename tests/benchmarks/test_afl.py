"""The benchmark of created solvers: its instances, its resumable results, its table."""

from pathlib import Path

import pytest

from benchmarks.afl.instances import VARIANTS, make_text
from benchmarks.afl.runs import Plan, do, read_lines
from benchmarks.afl.sources import Folder, Nothing
from benchmarks.afl.table import gap, row
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import Severity, analyse
from eurisko.sandbox import Sandbox

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "solvers"


@pytest.mark.parametrize("variant", VARIANTS)
def test_instances_are_what_their_names_say(variant: str) -> None:
    """Analysis finds the rules of the variant's name in the made file, and nothing wrong."""
    analysis = analyse(parse_routing(make_text(variant, 12, 3)))
    names = analysis.names
    loud = [one.message for one in analysis.findings if one.severity != Severity.NOTE]
    assert loud == []
    assert ("battery" in names) == variant.startswith("E")
    assert ("open" in names) == ("O" in variant.split("CVRP")[0] or variant == "SOP")
    assert ("capacity" in names) == ("CVRP" in variant)
    if "CVRP" in variant:
        tail = variant.partition("CVRP")[2]
        assert ("time_windows" in names) == tail.endswith("TW")
        assert ("distance_limit" in names) == tail.startswith("L")
    assert ("precedence" in names) == (variant == "SOP")
    assert make_text(variant, 12, 3) == make_text(variant, 12, 3)
    assert make_text(variant, 12, 3) != make_text(variant, 12, 4)


def test_results_are_kept_and_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finished variant is read from the file; a cut line is done again; rows say what is missing."""
    monkeypatch.setattr("benchmarks.afl.runs.reference", _reference)
    plan = Plan(("CVRP", "TSP"), customers=6, instances=2, seconds=0.2)
    path = tmp_path / "results.jsonl"
    with Sandbox(workers=1) as sandbox:
        first = do(plan, Folder(PROGRAMS), sandbox, path)
        assert first == do(plan, Folder(PROGRAMS), sandbox, path) == read_lines(path)
        kept = path.read_text()
        path.write_text(kept[: len(kept) - 9])
        again = do(plan, Folder(PROGRAMS), sandbox, path)
    assert [line["variant"] for line in again] == ["CVRP", "TSP"]
    created, missing = (row(line, first) for line in first)
    assert created[:4] == ["CVRP", "yes", "0", "100"]
    assert missing[1:4] == ["no", "-", "-"]
    assert missing[-1] == "there is no program of this variant"


def _reference(reading: object, seconds: float, seed: int) -> dict[str, object]:
    return {"reference": 2.0, "reference_by": "a stand-in"}


def test_gaps() -> None:
    """The gap is to the reference, else to the best plan of another source, else there is none."""

    def line(source: str, costs: list[float | None], reference: float | None) -> dict:
        results = [
            {"instance": at, "cost": cost, "reference": reference, "reference_by": "X"}
            for at, cost in enumerate(costs)
        ]
        return {"key": ["CVRP", source, 5], "results": results}

    assert gap(line("a", [11.0, None], 10.0), []) == ([pytest.approx(10.0)], "X")
    one, two = line("a", [11.0, 8.0], None), line("b", [10.0, 16.0], None)
    assert gap(one, [one, two]) == ([pytest.approx(10.0), 0.0], "best of all")
    assert gap(two, [one, two])[0] == [0.0, pytest.approx(100.0)]
    assert gap(one, [one]) == ([], "-")


def test_without_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With neither model nor programs the row says so, and the reference still stands."""
    monkeypatch.setattr("benchmarks.afl.runs.reference", _reference)
    plan = Plan(("SOP",), customers=5, instances=1, seconds=0.1)
    with Sandbox(workers=1) as sandbox:  # never started
        lines = do(plan, Nothing(), sandbox, tmp_path / "r.jsonl")
    assert lines[0]["message"] == "no model was given"
    assert lines[0]["results"] == [{"instance": 1, "reference": 2.0, "reference_by": "a stand-in"}]
