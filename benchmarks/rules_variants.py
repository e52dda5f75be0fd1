"""Which rules: variants of the embedded strategist beside static LogEI, from the same starts.

The problems and seeds are not those of the table in lmabo.md, so that the table tests what was chosen
here. Every run is one line of results/rules_variants.jsonl: the benchmark goes on where it stopped, and
EURISKO_BENCH_SECONDS ends it early. Ratios below 1 are better than static LogEI. Three more variants
(TS and UCB with patience 2 and 4, PosMean and UCB with patience 2) and one without other functions were
dropped, and "PosMean" alone added, after a look at the first two problems of the first seed: too few to
judge patience, and on the third problem the one without others was ahead. The second table leaves out
those two pairs. The lines of all variants are in the file.

    python -m benchmarks rules_variants
"""

import os
import random
import time
from collections.abc import Collection
from typing import Any

import torch

from eurisko.agents.acquisition.choice import Strategist
from eurisko.agents.acquisition.naming import CHEAP
from eurisko.agents.acquisition.observe import observe
from eurisko.agents.acquisition.posterior import EnginePosterior
from eurisko.agents.acquisition.strategists import Rules, Static
from eurisko.evaluators.bayesopt import Optimizer
from eurisko.evaluators.blackbox import get_blackbox

from .hifo_ablation.runs import Line, Results
from .lmabo.table import Pair, area, compare, regrets
from .report import RESULTS, machine_facts, markdown_table, write_result

BASE = "static:LogEI"
VARIANTS: dict[str, Strategist] = {
    BASE: Static("LogEI"),
    "TS UCB, patience 1": Rules(others=("TS", "UCB"), patience=1),
    "PosMean UCB, patience 1": Rules(others=("PosMean", "UCB"), patience=1),
    "PosMean TS, patience 1": Rules(others=("PosMean", "TS"), patience=1),
    "PosMean, patience 1": Rules(others=("PosMean",), patience=1),
}
PROBLEMS = (
    "bbob-f3-2",
    "bbob-f8-2",
    "bbob-f10-2",
    "bbob-f15-2",
    "bbob-f18-2",
    "bbob-f20-2",
    "bbob-f22-2",
    "hartmann3",
    "levy-4",
    "styblinskitang-4",
)
SEEDS = range(100, 105)
STEPS = 25
"""After the 2 D + 1 points of the initial design."""
PEEKED = tuple((problem, SEEDS[0]) for problem in PROBLEMS[:2])
PIECES = RESULTS / "rules_variants.jsonl"


def run(name: str, problem: str, seed: int) -> Line:
    """Return one run's values, turned so that small is good."""
    blackbox, strategist = get_blackbox(problem), VARIANTS[name]
    optimizer = Optimizer(blackbox.space, seed=seed, minimise=blackbox.minimise)
    budget = optimizer.initial + STEPS
    start, sign = time.process_time(), 1.0 if blackbox.minimise else -1.0
    values: list[float | None] = []
    while len(values) < budget:
        arm = None
        if len(values) >= optimizer.initial and (surrogate := optimizer.surrogate()) is not None:
            state = observe(optimizer, surrogate, budget, CHEAP)
            posterior, draw = EnginePosterior(optimizer, surrogate), random.Random(len(values))
            arm = strategist.choose(state, posterior, {}, draw).arm
        (suggestion,) = optimizer.ask(arm)
        value = blackbox.evaluate(suggestion.point).value
        optimizer.tell(suggestion.number, value)
        values.append(None if value is None else sign * value)
    return {
        "strategist": name,
        "problem": problem,
        "seed": seed,
        "initial": optimizer.initial,
        "optimum": None if blackbox.optimum is None else sign * blackbox.optimum,
        "values": values,
        "cpu_s": round(time.process_time() - start, 2),
    }


def table(lines: list[Line], without: Collection[Pair] = ()) -> str:
    """Return each variant's area and final regret beside static LogEI, over complete pairs."""
    curves = regrets(lines)
    pairs = set.intersection(*({p for n, p in curves if n == name} for name in VARIANTS))
    pairs -= set(without)
    if not pairs:
        return "(no pair of problem and seed is complete yet)"
    rows = []
    for name in VARIANTS:
        row = [name]
        for measure in (area, lambda curve: float(curve[-1])):
            base, other = (
                {pair: measure(curves[one, pair]) for pair in pairs} for one in (BASE, name)
            )
            found: dict[str, Any] = compare(base, other)
            row += [
                f"{found['ratio']:.3f}",
                f"{found['low']:.3f} to {found['high']:.3f}",
                f"{found['wins']:.0f}/{found['ties']:.0f}/{found['losses']:.0f}",
            ]
        rows.append(row)
    head = ["variant", "area", "95 %", "w/t/l", "final regret", "95 %", "w/t/l"]
    return f"{len(pairs)} pairs.\n\n" + markdown_table(head, rows)


def main() -> None:
    """Run what is missing, seed by seed, then write the table."""
    torch.set_num_threads(1)
    end = time.monotonic() + float(os.environ.get("EURISKO_BENCH_SECONDS", "inf"))
    results = Results(PIECES)
    for seed in SEEDS:
        for problem in PROBLEMS:
            for name in VARIANTS:
                mark = {"strategist": name, "problem": problem, "seed": seed}
                if results.find(mark) is None and time.monotonic() < end:
                    results.add(run(name, problem, seed))
    facts = "\n".join(f"- {line}" for line in machine_facts("torch", "botorch", "gpytorch"))
    text = "\n\n".join([f"# Variants of the rules\n\n{__doc__}", facts, table(results.lines)])
    text += "\n\n" + table(results.lines, without=PEEKED)
    write_result("rules_variants", text + "\n")
