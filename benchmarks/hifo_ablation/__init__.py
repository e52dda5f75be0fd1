"""What foresight and hindsight are worth: all strategies at equal budgets, paired by seed.

    python -m benchmarks hifo_ablation [--problems ...] [--strategies ...] [--seeds 10] [--budget 128]

Without ``--model`` typed genetic programming proposes. Every finished run is a line of
``FOLDER/results.jsonl``: a second start does what is missing, so the table can be made in pieces.
"""

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from eurisko.agents.evolution.strategies import STRATEGIES

from ..report import machine_facts, write_result
from .plan import BASE, PROBLEMS, Plan
from .runs import Results, do
from .table import text


def main(arguments: Sequence[str] = ()) -> None:
    """Do the missing runs and write ``results/hifo_ablation.md``."""
    chosen = _parser().parse_args(arguments)
    plan = make_plan(chosen)
    lines = do(plan, Results(chosen.folder / "results.jsonl"), chosen.folder, chosen.workers)
    command = shlex.join(["python", "-m", "benchmarks", "hifo_ablation", *arguments])
    write_result(chosen.name, text(plan, lines, command, machine_facts("numpy", "scipy", "torch")))


def make_plan(chosen: argparse.Namespace) -> Plan:
    """Return the plan that the arguments ask for; the base strategy comes first."""
    names = ("base_url", "api_key_env", "temperature", "concurrency")
    given = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    strategies = sorted(chosen.strategies, key=lambda name: name != BASE)
    return Plan(
        problems=tuple(chosen.problems),
        strategies=tuple(strategies),
        seeds=tuple(range(chosen.first_seed, chosen.first_seed + chosen.seeds)),
        budget=chosen.budget,
        population=chosen.population,
        model=chosen.model,
        options=tuple(given.items()),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks hifo_ablation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--problems", nargs="+", default=list(PROBLEMS), help="names of problems, or folders")
    add("--strategies", nargs="+", default=list(STRATEGIES), choices=list(STRATEGIES))
    add("--seeds", type=int, default=10, help="how many (default 10)")
    add("--first-seed", type=int, default=0)
    add("--budget", type=int, default=128, help="candidates of a run; with a model: its calls")
    add("--population", type=int, default=4)
    add("--workers", type=int, default=os.cpu_count() or 1, help="candidates evaluated at once")
    add("--folder", type=Path, default=Path("runs/hifo_ablation"), help="results and database")
    add("--name", default="hifo_ablation", help="of the table in benchmarks/results")
    add("--model", help="openai/NAME, PROVIDER/NAME, replay:FILE or manual:FOLDER")
    add("--base-url")
    add("--api-key-env")
    add("--temperature", type=float)
    add("--concurrency", type=int)
    return parser
