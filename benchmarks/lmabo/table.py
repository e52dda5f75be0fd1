"""From results to a table: area and final regret beside the base, paired by problem and seed.

The area is that under the incumbent's distance from the optimum, from the end of the initial design
to the end of the budget (trapezoids); where the optimum is unknown, the best value of any run on the
problem stands for it. Ratios are floored at a millionth of the starting distance.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..hifo_ablation.runs import Line
from ..hifo_ablation.table import holm
from ..report import markdown_table
from .runs import Plan

Values = NDArray[np.float64]
FLOOR = 1e-6
TIE = 0.01
"""Areas or regrets within one per cent of each other count as equal."""
Pair = tuple[str, int]


def regrets(lines: Sequence[Line]) -> dict[tuple[str, Pair], Values]:
    """Return the incumbent's distance from the optimum after each step, by strategist and pair."""
    curves: dict[tuple[str, Pair], Values] = {}
    best = best_known(lines)
    for line in lines:
        values = np.array([np.inf if v is None else v for v in line["values"]])
        curve = np.minimum.accumulate(values)[max(0, line["initial"] - 1) :] - best[line["problem"]]
        floor = FLOOR * max(float(curve[0]), 1e-12)
        key = (line["strategist"], (line["problem"], line["seed"]))
        curves[key] = np.maximum(curve, floor)
    return curves


def best_known(lines: Sequence[Line]) -> dict[str, float]:
    """Return the optimum of each problem, or the best value that any run found."""
    best: dict[str, float] = {}
    for line in lines:
        found = min(v for v in line["values"] if v is not None)
        optimum = line["optimum"]
        here = found if optimum is None else optimum
        best[line["problem"]] = min(here, best.get(line["problem"], np.inf))
    return best


def area(curve: Values) -> float:
    """Return the area under a curve of unit steps."""
    return float(np.trapezoid(curve)) if len(curve) > 1 else float(curve[0])


def compare(base: Mapping[Pair, float], other: Mapping[Pair, float]) -> dict[str, float]:
    """Compare pairs by the logarithm of their ratio; the mean is over problems, each weighing alike.

    The interval is a bootstrap of 2000 over the seeds within each problem.
    """
    from scipy.stats import wilcoxon

    pairs = sorted(set(base) & set(other))
    logs = {pair: float(np.log(other[pair] / base[pair])) for pair in pairs}
    problems = sorted({problem for problem, _ in pairs})
    groups = [np.array([logs[p] for p in pairs if p[0] == name]) for name in problems]
    rng = np.random.default_rng(0)
    draws = np.zeros(2000)
    for group in groups:
        draws += group[rng.integers(len(group), size=(2000, len(group)))].mean(axis=1)
    low, high = np.exp(np.quantile(draws / max(1, len(groups)), [0.025, 0.975]))
    differences = np.array(list(logs.values()))
    tied = np.abs(differences) <= np.log1p(TIE)
    p = float(wilcoxon(differences).pvalue) if np.any(differences != 0) else 1.0
    return {
        "ratio": float(np.exp(np.mean([group.mean() for group in groups]))),
        "low": float(low),
        "high": float(high),
        "wins": float(((differences < 0) & ~tied).sum()),
        "ties": float(tied.sum()),
        "losses": float(((differences > 0) & ~tied).sum()),
        "p": p,
    }


def mean_ranks(measure: Mapping[str, Mapping[Pair, float]]) -> dict[str, float]:
    """Return each strategist's mean rank over the pairs that all have, equal values sharing one."""
    from scipy.stats import rankdata

    names = list(measure)
    pairs = sorted(set.intersection(*(set(measure[name]) for name in names)))
    if not pairs:
        return dict.fromkeys(names, float("nan"))
    matrix = np.array([[measure[name][pair] for name in names] for pair in pairs])
    return dict(zip(names, rankdata(matrix, axis=1).mean(axis=0).tolist(), strict=True))


def text(plan: Plan, lines: Sequence[Line], command: str, facts: Sequence[str], base: str) -> str:
    """Return the whole result as Markdown."""
    curves = regrets(lines)
    names = [one for one in plan.strategists if any(key[0] == one for key in curves)]
    parts = [
        "# Strategists beside one acquisition function",
        f"Command: `{command}`",
        "\n".join(f"- {fact}" for fact in facts),
        f"{len(lines)} runs of {sum(1 for _ in plan.jobs())} planned; {len(plan.problems)} problems, "
        f"{len(plan.seeds)} seeds. Runs of one problem and seed share their initial design and all "
        "settings of the engine. Ratios below 1 are better than the base; ties are within 1 %.",
    ]
    for title, measure in (("Area under the regret", area), ("Final regret", _last)):
        table = {
            name: {key[1]: measure(curve) for key, curve in curves.items() if key[0] == name}
            for name in names
        }
        parts += [f"## {title}, beside {base}", _table(table, base)]
    parts += ["## Median final regret by problem", _medians(plan, curves, names)]
    parts += ["## Costs and choices", _costs(lines, names)]
    return "\n\n".join(parts) + "\n"


def _last(curve: Values) -> float:
    return float(curve[-1])


def _table(measure: Mapping[str, Mapping[Pair, float]], base: str) -> str:
    if base not in measure:
        return "(the base has no runs yet)"
    ranks = mean_ranks(measure)
    others = [one for one in measure if one != base and set(measure[one]) & set(measure[base])]
    found = {name: compare(measure[base], measure[name]) for name in others}
    adjusted = dict(zip(others, holm([found[name]["p"] for name in others]), strict=True))
    rows = [[base, "1.000", "", "", "", "", f"{ranks[base]:.2f}"]]
    for name, one in found.items():
        counts = f"{one['wins']:.0f}/{one['ties']:.0f}/{one['losses']:.0f}"
        interval = f"{one['low']:.3f} to {one['high']:.3f}"
        p = [f"{one['p']:.3g}", f"{adjusted[name]:.3g}"]
        rows.append([name, f"{one['ratio']:.3f}", interval, counts, *p, f"{ranks[name]:.2f}"])
    head = ["strategist", "ratio (geometric)", "95 %", "wins/ties/losses", "p", "Holm", "mean rank"]
    return markdown_table(head, rows)


def _medians(plan: Plan, curves: Mapping[tuple[str, Pair], Values], names: Sequence[str]) -> str:
    rows = []
    for problem in plan.problems:
        row = [problem]
        for name in names:
            last = [
                _last(c) for key, c in curves.items() if key[0] == name and key[1][0] == problem
            ]
            row.append(f"{np.median(last):.3g}" if last else "–")
        rows.append(row)
    return markdown_table(["problem", *names], rows)


def _costs(lines: Sequence[Line], names: Sequence[str]) -> str:
    rows = []
    for name in names:
        mine = [line for line in lines if line["strategist"] == name]
        arms: dict[str, int] = {}
        for line in mine:
            for arm, count in line["arms"].items():
                arms[arm] = arms.get(arm, 0) + count
        total = max(1, sum(arms.values()))
        shares = ", ".join(
            f"{arm} {100 * count / total:.0f} %"
            for arm, count in sorted(arms.items(), key=lambda item: -item[1])
        )
        fallbacks = sum(line["sources"].get("fallback", 0) for line in mine)
        steps = max(1, sum(len(line["values"]) - line["initial"] for line in mine))
        cpu = sum(line["cpu_s"] for line in mine) / steps
        unread = sum(line["unread"] for line in mine)
        tokens = sum(line["tokens"] for line in mine)
        rows.append([name, f"{cpu:.2f}", str(unread), str(fallbacks), str(tokens), shares])
    head = ["strategist", "CPU s per step", "unread answers", "fallbacks", "tokens", "choices"]
    return markdown_table(head, rows)
