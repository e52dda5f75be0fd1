"""Candidates and instances per second by device, and how far operators are from its bandwidth.

    python -m benchmarks gpu [--problems NAME ...] [--instances 64,512] [--sizes 50,200]
                             [--devices cpu,cuda] [--seconds 10] [--candidates 1,4] [--name NAME]

Every problem that generates data sets, on the processor and on each graphics processor at hand. The
table is written again after each problem, so an interrupted run leaves what it has measured.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..report import RESULTS


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and write ``results/gpu-NAME.md``."""
    from .run import run

    parser = argument_parser()
    given = parser.parse_args(arguments)
    run(given, parser.error, arguments)


def argument_parser() -> argparse.ArgumentParser:
    """Return what the command line understands."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--problems", nargs="+", default=[], metavar="NAME", help="default: all that generate data")
    add("--instances", type=numbers, default=(), help="default 64,512,4096, on a GPU 8192, too")
    add(
        "--sizes", type=numbers, default=(50, 200, 1000), help="values of N; shops: N x 10 machines"
    )
    add(
        "--devices", default="", help="of cpu, cuda (all) and cuda:N; default cpu and what is there"
    )
    add("--seconds", type=positive, default=None, help="for each cell; default 10, on a GPU 30")
    add("--candidates", type=numbers, default=(1, 4), help="at once (default 1,4)")
    add("--memory", type=int, default=None, metavar="MIB", help="of the host for each program")
    add("--name", help="of the table; default: what the first GPU calls itself, else cpu")
    add("--folder", type=Path, default=RESULTS, help="of the table")
    add("--no-kernels", action="store_true", help="leave the operators out")
    return parser


def numbers(text: str) -> tuple[int, ...]:
    """Read positive whole numbers with commas between them."""
    found = sorted({int(one) for one in text.split(",")})
    if found[0] < 1:
        raise argparse.ArgumentTypeError("wanted positive whole numbers, like 64,512")
    return tuple(found)


def positive(text: str) -> float:
    """Read a positive number."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("wanted a positive number of seconds")
    return value
