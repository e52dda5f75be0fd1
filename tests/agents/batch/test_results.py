"""Results: ranks, critical differences and tables, against published values and by hand."""

import csv
import io
from pathlib import Path

import pytest

from eurisko.agents.batch.results import Record, compare, critical_difference
from eurisko.agents.batch.tables import COLUMNS, to_csv, to_frame, to_markdown, write_parquet


def record(program: str, dataset: str, objective: float | None, **more: object) -> Record:
    fields: dict[str, object] = {
        "number": 0,
        "program": program,
        "program_hash": program,
        "problem": "p",
        "interface": "batched",
        "dataset": dataset,
        "instances": 10,
        "seed": 0,
        "device": "cpu",
        "status": "done",
        "outcome": "ok" if objective is not None else "timeout",
        "objective": objective,
        "cpu_s": 1.0,
        "wall_s": 1.0,
        "peak_mib": 1.0,
        "message": "",
    }
    return Record(**{**fields, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("programs", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)],
)
def test_critical_values_are_the_published_ones(programs: int, q: float) -> None:
    """Demšar 2006, table 5(a), Nemenyi test at 5 %."""
    blocks = 14
    expected = q * (programs * (programs + 1) / (6 * blocks)) ** 0.5
    assert critical_difference(programs, blocks) == pytest.approx(expected, rel=1e-3)


def test_ranks_by_hand() -> None:
    """Two data sets, three programs: ties share their ranks, a failure comes last."""
    found = [
        record("a", "x", 1.0),
        record("b", "x", 2.0),
        record("c", "x", 2.0),
        record("a", "y", 5.0),
        record("b", "y", 4.0),
        record("c", "y", None),
    ]
    (one,) = compare(found)
    assert one.ranks == (1.5, 1.75, 2.75)
    assert one.blocks == 2
    assert one.cells[2][1].objective is None and one.cells[2][1].failed == 1
    assert one.cells[0][0].seconds_per_instance == pytest.approx(0.1)


def test_only_common_blocks_are_ranked() -> None:
    """What one program has not finished counts for none."""
    found = [
        record("a", "x", 1.0),
        record("b", "x", 2.0),
        record("a", "y", 9.0),
        record("b", "y", None, status="pending", outcome=""),
    ]
    (one,) = compare(found)
    assert one.ranks == (1.0, 2.0) and one.blocks == 1


def test_nothing_common_gives_no_ranks() -> None:
    """And no critical difference."""
    (one,) = compare([record("a", "x", 1.0), record("b", "y", 1.0)])
    assert one.ranks == (None, None) and one.critical_difference is None


def test_the_table_names_failures_and_keeps_names_in_their_cells() -> None:
    """A bar in a name cannot break the table; the best comes first."""
    text = to_markdown(
        compare([record("b|d", "x", 2.0), record("a", "x", 1.0), record("c", "x", None)])
    )
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert [line.count("|") - line.count("\\|") for line in lines] == [4, 4, 4, 4]
    assert lines[1].startswith("| a ") and "failed 1 of 1" in lines[3]


def test_csv_keeps_every_number() -> None:
    """Full precision, one line an item, empty where there is none."""
    rows = list(
        csv.DictReader(io.StringIO(to_csv([record("a", "x", 1 / 3), record("b", "x", None)])))
    )
    assert tuple(rows[0]) == COLUMNS
    assert float(rows[0]["objective"]) == 1 / 3 and rows[1]["objective"] == ""


def test_frames_and_parquet_hold_the_same(tmp_path: Path) -> None:
    """Read back, the numbers are the same."""
    pandas = pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    pytest.importorskip("pyarrow", reason="Parquet needs the extra 'frames'")
    found = [record("a", "x", 1 / 3), record("b", "x", None)]
    write_parquet(found, tmp_path / "a.parquet")
    frame = pandas.read_parquet(tmp_path / "a.parquet")
    assert frame["objective"][0] == to_frame(found)["objective"][0] == 1 / 3
    assert frame["objective"].isna()[1]
