"""A job of 3,000 items through everything that can go wrong, compared item by item with a quiet run.

    python -m benchmarks batch_endurance [--items 3000] [--ray] [--database URL] [--coordinators 4]

50 programs, made by short offline runs, for each of three problems, times 20 seeds. The same job is
done once undisturbed in a fresh SQLite file and once under disturbances (see ``disturb``), in another
fresh file or in the empty knowledge base of ``--database``; with ``--ray`` on a cluster started here.
Programs and the undisturbed run are kept in ``--folder`` and used again.
"""

import argparse
import math
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..report import machine_facts, markdown_table, write_result
from .disturb import Disturbed, disturbed_run, undisturbed_run
from .outcome import Found, differences, found
from .programs import PROBLEMS, job_file, make_programs

SEEDS = 20


@dataclass(frozen=True)
class Endured:
    """What came of a job in peace (``expected``) and under disturbances (``got``)."""

    expected: Found
    got: Found
    met: Disturbed
    quiet_s: float | None
    took_s: float
    url: str


def endure(
    folder: Path,
    items: int = 3000,
    database: str | None = None,
    ray: bool = False,
    coordinators: int = 1,
) -> Endured:
    """Do a job of about so many items in peace and under disturbances.

    Args:
        folder: where programs and the undisturbed run are kept and used again.
        items: rounded up to whole programs.
        database: an empty knowledge base; None for a new SQLite file.
        ray: on a Ray cluster started here.
        coordinators: how many processes work on it at once.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    count = math.ceil(items / (SEEDS * len(PROBLEMS)))
    make_programs(folder, count)
    job = job_file(folder, count, range(SEEDS))
    quiet = folder / f"undisturbed-{count}.db"
    if not quiet.exists():
        undisturbed_run(job, quiet, folder)
    expected, seconds = found(f"sqlite:///{quiet}")
    started = time.monotonic()
    url = database or f"sqlite:///{folder / f'disturbed-{int(time.time())}.db'}"
    met = disturbed_run(job, url, folder, len(expected), ray, coordinators)
    took = time.monotonic() - started
    return Endured(expected, found(url)[0], met, seconds, took, url)


def main(arguments: Sequence[str] = ()) -> None:
    """Do both runs and write ``results/batch_endurance[-NAME].md``."""
    chosen = _parser().parse_args(arguments)
    ended = endure(chosen.folder, chosen.items, chosen.database, chosen.ray, chosen.coordinators)
    command = shlex.join(["python", "-m", "benchmarks", "batch_endurance", *arguments])
    write_result(
        f"batch_endurance{f'-{chosen.name}' if chosen.name else ''}", _report(command, ended)
    )


def _report(command: str, ended: Endured) -> str:
    expected, got, met = ended.expected, ended.got, ended.met
    took_s, quiet_s, url = ended.took_s, ended.quiet_s, ended.url
    lost, doubled, differing = differences(expected, got)
    rows = [
        ["items of the job", f"{len(expected):,}"],
        ["items done under disturbances", f"{sum(one.status == 'done' for one in got.items):,}"],
        ["lost", f"{lost}"],
        ["stored twice", f"{doubled}"],
        ["different from the undisturbed run", f"{differing}"],
        ["items that an evaluation was made for more than once", f"{got.tried_again:,}"],
        ["results that are faults of the program", f"{got.faults:,}"],
        ["seconds under disturbances, pauses included", f"{took_s:.0f}"],
        ["items/s under disturbances", f"{len(expected) / took_s:.1f}"],
    ]
    if quiet_s:
        rows.append(["items/s undisturbed, two workers", f"{len(expected) / quiet_s:.1f}"])
    happened = "\n".join(f"- at {at:,} items: {what}" for at, what in met.events)
    left_out = "".join(f"- left out: {what}\n" for what in met.left_out)
    facts = "\n".join(f"- {fact}" for fact in machine_facts("sqlalchemy", "torch"))
    return (
        "# Endurance of batch jobs\n\n"
        f"A job of {len(expected):,} items, disturbed, against the same job left in peace. "
        f"Database: {url.partition(':')[0]}; {met.coordinators} coordinator(s), {met.executor}. "
        f"Made by `{command}`.\n\n{markdown_table(['', ''], rows)}\n\n"
        f"What happened:\n\n{happened}\n{left_out}\n{facts}\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks batch_endurance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--items", type=int, default=3000)
    parser.add_argument("--ray", action="store_true", help="on a Ray cluster started here")
    parser.add_argument("--database", help="an empty knowledge base; default: a new SQLite file")
    parser.add_argument("--coordinators", type=int, default=1, help="at once")
    parser.add_argument("--folder", type=Path, default=Path("runs/batch_endurance"))
    parser.add_argument("--name", default="", help="suffix of the table's name")
    return parser
