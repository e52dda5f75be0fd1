"""Solvers created from raw files for the paper's 20 variants: do they run, keep the rules, what gap.

    python -m benchmarks afl --model openai/NAME [--variants CVRP SOP ...] [--customers 30]
    python -m benchmarks afl --programs examples/solvers

Every finished variant is a line of ``FOLDER/results.jsonl``: a second start does what is missing.
Without a model, ``--programs`` measures finished programs; with neither, only the reference solver
runs. What is missing is named in the table.
"""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from ..report import machine_facts, write_result
from .instances import VARIANTS
from .runs import Plan, do, read_lines
from .sources import Folder, Model, Nothing, Source
from .table import text


def main(arguments: Sequence[str] = ()) -> None:
    """Measure what is missing and write ``results/afl.md``."""
    from eurisko.sandbox import Sandbox

    chosen = _parser().parse_args(arguments)
    plan = Plan(
        tuple(chosen.variants), chosen.customers, chosen.instances, chosen.seconds, chosen.seed
    )
    path = chosen.folder / "results.jsonl"
    given = ("base_url", "api_key_env")
    settings = {name: getattr(chosen, name) for name in given if getattr(chosen, name)}
    with Sandbox(workers=1) as sandbox:
        source: Source = Nothing()
        if chosen.model:
            source = Model(chosen.model, sandbox, chosen.folder, settings)
        elif chosen.programs:
            source = Folder(chosen.programs)
        lines = do(plan, source, sandbox, path)
    command = shlex.join(["python", "-m", "benchmarks", "afl", *arguments])
    report = text(plan, lines, read_lines(path), command, machine_facts("numpy"))
    if chosen.print_only:
        print(report)
    else:
        write_result(chosen.name, report)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks afl",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--model", help="openai/NAME, PROVIDER/NAME, replay:FILE or manual:FOLDER")
    source.add_argument("--programs", type=Path, help="folder of finished programs, VARIANT.py")
    add("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS, metavar="VARIANT")
    add("--customers", type=int, default=30)
    add("--instances", type=int, default=3, help="of each variant (default 3)")
    add("--seconds", type=float, default=5.0, help="for each run and for the reference")
    add("--seed", type=int, default=0)
    add("--folder", type=Path, default=Path("runs/afl"), help="results and database")
    add("--name", default="afl", help="of the table in benchmarks/results")
    add("--print-only", action="store_true", help="write no table")
    add("--base-url")
    add("--api-key-env")
    return parser
