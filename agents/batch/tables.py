"""Results as CSV, Markdown, Parquet and data frames."""

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...evaluators import InputError
from .results import Comparison, Record, as_rows

COLUMNS = tuple(field.name for field in fields(Record))


def to_csv(found: Sequence[Record]) -> str:
    """Return one line for each item, with a header; numbers in full precision, empty where none."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(as_rows(found))
    return text.getvalue()


def to_frame(found: Sequence[Record]) -> Any:
    """Return the records as a pandas data frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd  # type: ignore[import-untyped,unused-ignore]
    except ModuleNotFoundError as error:
        raise InputError(
            "Data frames and Parquet need pandas and pyarrow: pip install 'eurisko[frames]'."
        ) from error
    return pd.DataFrame(as_rows(found), columns=list(COLUMNS))


def write_parquet(found: Sequence[Record], path: Path) -> None:
    """Write the records as a Parquet file.

    Raises:
        InputError: pandas or pyarrow is not installed.
    """
    frame = to_frame(found)
    try:
        frame.to_parquet(path, index=False)
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install 'eurisko[frames]'.") from error


def to_markdown(compared: Sequence[Comparison]) -> str:
    """Return a table for each problem: mean objective by program and data set, with mean ranks."""
    return "\n".join(_section(one) for one in compared)


def _section(one: Comparison) -> str:
    order = sorted(
        range(len(one.programs)), key=lambda row: (one.ranks[row] is None, one.ranks[row] or 0.0)
    )
    lines = [
        f"## {one.problem}",
        "",
        f"| program | {' | '.join(_plain(name) for name in one.datasets)} | rank |",
        f"|---|{'---:|' * (len(one.datasets) + 1)}",
    ]
    for row in order:
        values = [_value(cell.objective, cell.failed, cell.done) for cell in one.cells[row]]
        rank = one.ranks[row]
        shown = "–" if rank is None else f"{rank:.2f}"
        lines.append(f"| {_plain(one.programs[row])} | {' | '.join(values)} | {shown} |")
    note = f"Mean ranks over {one.blocks} blocks (data set, seed, device)"
    if one.critical_difference is not None:
        note += f"; critical difference at 5 % (Nemenyi): {one.critical_difference:.2f}"
    return "\n".join([*lines, "", f"{note}.", ""])


def _value(objective: float | None, failed: int, done: int) -> str:
    if objective is not None:
        return f"{objective:.4g}"
    return f"failed {failed} of {done}" if done else "–"


def _plain(text: str) -> str:
    """Return a name that cannot end its cell."""
    return " ".join(text.replace("|", "\\|").split())
