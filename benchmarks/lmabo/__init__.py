"""Which strategist is worth what: paired starts, one inner optimiser for all, area and final regret.

    python -m benchmarks lmabo [--problems branin hartmann6 | --suite lmabo-50] [--seeds 10]
        [--strategists rules static:LogEI ...] [--budget 50] [--model openai/NAME]

Every finished run is a line of ``FOLDER/results.jsonl``: a second start does what is missing, so the
table can be made in pieces, also by several processes (``--part 1/4``). ``--model`` adds lmabo.
"""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from eurisko.evaluators.blackbox import suite, suite_names

from ..report import machine_facts, write_result
from .runs import Plan, do
from .table import text

BASE = "static:LogEI"
STRATEGISTS = (
    BASE,
    "rules",
    "static:EI",
    "static:UCB",
    "alternate",
    "random",
    "hedge",
    "no-past",
    "setup",
    "esp",
)
PROBLEMS = ("branin", "hartmann6", "ackley-2", "bbob-f21-5", "hpo-wine-svm")


def main(arguments: Sequence[str] = ()) -> None:
    """Do the missing runs and write ``results/lmabo.md``."""
    chosen = _parser().parse_args(arguments)
    problems = chosen.problems or [one.name for name in chosen.suite for one in suite(name)]
    strategists = list(chosen.strategists)
    if chosen.model and "lmabo" not in strategists:
        strategists.append("lmabo")
    given = ("model", "base_url", "api_key_env", "recall")
    plan = Plan(
        problems=tuple(problems or PROBLEMS),
        strategists=tuple(dict.fromkeys([BASE, *strategists])),
        seeds=tuple(range(chosen.first_seed, chosen.first_seed + chosen.seeds)),
        budget=chosen.budget,
        part=chosen.part,
        model={name: getattr(chosen, name) for name in given if getattr(chosen, name)},
    )
    lines = do(plan, chosen.folder)
    command = shlex.join(["python", "-m", "benchmarks", "lmabo", *arguments])
    facts = machine_facts("torch", "botorch", "gpytorch", "scipy")
    report = text(plan, lines, command, facts, BASE)
    if chosen.print_only:
        print(report)
    else:
        write_result(chosen.name, report)


def _part(value: str) -> tuple[int, int]:
    index, _, count = value.partition("/")
    part = (int(index), int(count))
    if not 1 <= part[0] <= part[1]:
        raise ValueError(value)
    return part


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks lmabo",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--problems", nargs="+", default=[], help=f"default: {' '.join(PROBLEMS)}")
    add("--suite", nargs="+", default=[], choices=suite_names(), help="problems by suite")
    add("--strategists", nargs="+", default=list(STRATEGISTS))
    add("--seeds", type=int, default=5, help="how many (default 5)")
    add("--first-seed", type=int, default=0)
    add("--budget", type=int, help="evaluations; default: 2 D + 1 and 50 more, 100 beyond 10 D")
    add("--part", type=_part, default=(1, 1), help="do only this share of the runs, such as 2/4")
    add("--folder", type=Path, default=Path("runs/lmabo"), help="results and database")
    add("--name", default="lmabo", help="of the table in benchmarks/results")
    add("--print-only", action="store_true", help="write no table")
    add("--model", help="openai/NAME, PROVIDER/NAME, replay:FILE or manual:FOLDER: adds lmabo")
    add("--base-url")
    add("--api-key-env")
    add("--recall", choices=("recent", "full"))
    return parser
