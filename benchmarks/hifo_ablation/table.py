"""Paired comparisons of strategies, and the text that shows them.

Runs of one seed are pairs: they share the problem, the seed and thereby the first generation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..report import markdown_table
from .plan import Plan
from .runs import Line

Values = NDArray[np.float64]
MEASURES = ("search", "test")


@dataclass(frozen=True)
class Comparison:
    """A strategy beside the base; lower objectives win.

    Args:
        wins, ties, losses: seeds in which the strategy is better than, equal to, worse than the base.
        difference: median of strategy minus base, in objective units.
        p: two-sided Wilcoxon signed rank; 1 where all pairs are equal.
    """

    wins: int
    ties: int
    losses: int
    difference: float
    p: float


def compare(base: Values, other: Values) -> Comparison:
    """Compare pairs; equal pairs count by Pratt's method."""
    from scipy.stats import wilcoxon

    difference = other - base
    p = 1.0
    if np.any(difference != 0):
        p = float(wilcoxon(difference, zero_method="pratt").pvalue)
    return Comparison(
        wins=int((difference < 0).sum()),
        ties=int((difference == 0).sum()),
        losses=int((difference > 0).sum()),
        difference=float(np.median(difference)),
        p=p,
    )


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number by Holm's step-down method."""
    adjusted = [1.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def text(plan: Plan, lines: Sequence[Line], command: str, facts: Sequence[str]) -> str:
    """Return the page: how it was made, one table for each measure, what it cost."""
    parts = ["# Ablation of foresight and hindsight", _method(plan, command)]
    by = {(one["problem"], one["strategy"], one["seed"]): one for one in lines}
    for measure in MEASURES:
        parts += [f"## Objective on the {measure} split", _table(plan, by, measure)]
    parts += ["## Cost", _cost(lines), "\n".join(f"- {fact}" for fact in facts)]
    return "\n\n".join(parts) + "\n"


def _method(plan: Plan, command: str) -> str:
    if plan.model is None:
        what = (
            f"{plan.candidates} candidates besides the problem's own heuristic, proposed by typed "
            "genetic programming, without tuning of constants"
        )
    else:
        what = f"{plan.budget} requests to `{plan.model}`, whatever they are for"
    same = [f"`{s}` is `{plan.twin(s)}`" for s in plan.strategies if plan.twin(s) != s]
    note = (
        " Insights are texts, which this proposer does not read: without a model "
        f"{' and '.join(same)}, by construction the same runs, which are not done twice."
        if same
        else ""
    )
    return (
        f"Each strategy has the same budget for a run: {what}; population {plan.population}, "
        f"{len(plan.seeds)} seeds ({plan.seeds[0]} to {plan.seeds[-1]}), no insights of earlier "
        f"runs.{note} Objectives are those of the champion, chosen on the validation split, averaged "
        f"over the data sets of a split; lower is better. Comparisons with `{plan.strategies[0]}` "
        "are paired by seed: two-sided Wilcoxon signed rank test, Holm's correction over all "
        f"comparisons of a table. Made by `{command}`."
    )


def _table(plan: Plan, by: Mapping[tuple[str, str, int], Line], measure: str) -> str:
    base, others = plan.strategies[0], [s for s in plan.strategies[1:] if plan.twin(s) == s]
    comparisons: dict[tuple[str, str], Comparison] = {}
    for problem in plan.problems:
        for other in others:
            pairs = _pairs(plan, by, measure, (problem, base), (problem, other))
            if len(pairs):
                comparisons[problem, other] = compare(pairs[:, 0], pairs[:, 1])
    adjusted = dict(zip(comparisons, holm([c.p for c in comparisons.values()]), strict=True))
    rows = []
    for problem in plan.problems:
        for strategy in plan.strategies:
            label = f"{Path(problem).name}, `{strategy}`"
            twin = plan.twin(strategy)
            if twin != strategy:
                rows.append([label, f"as `{twin}`", *[""] * 6])
                continue
            found = _values(plan, by, measure, problem, strategy)
            row = [label, *_spread(found)]
            one = comparisons.get((problem, strategy))
            if one is None:
                rows.append([*row, "", "", "", ""])
                continue
            rows.append(
                [
                    *row,
                    f"{one.difference:+.3f}",
                    f"{one.wins}/{one.ties}/{one.losses}",
                    f"{one.p:.3f}",
                    f"{adjusted[problem, strategy]:.3f}",
                ]
            )
    head = (
        "problem, strategy",
        "median",
        "quartiles",
        "runs",
        "median difference",
        "better/equal/worse",
        "p",
        "p (Holm)",
    )
    return markdown_table(head, rows)


def _spread(found: Mapping[int, float]) -> list[str]:
    if not found:
        return ["none", "", "0"]
    low, median, high = np.percentile(list(found.values()), [25, 50, 75])
    return [f"{median:.3f}", f"{low:.3f} to {high:.3f}", str(len(found))]


def _values(
    plan: Plan,
    by: Mapping[tuple[str, str, int], Line],
    measure: str,
    problem: str,
    strategy: str,
) -> dict[int, float]:
    """Return the objective by seed, of the runs that have one."""
    title = Path(problem).name
    lines = {seed: by.get((title, strategy, seed)) for seed in plan.seeds}
    return {
        seed: line[measure]
        for seed, line in lines.items()
        if line is not None and line[measure] is not None
    }


def _pairs(
    plan: Plan,
    by: Mapping[tuple[str, str, int], Line],
    measure: str,
    base: tuple[str, str],
    other: tuple[str, str],
) -> Values:
    """Return ``[pairs, 2]``: the objectives of seeds that both have."""
    ours, theirs = (_values(plan, by, measure, *one) for one in (base, other))
    both = [[ours[seed], theirs[seed]] for seed in plan.seeds if seed in ours and seed in theirs]
    return np.array(both, dtype=np.float64).reshape(-1, 2)


def _cost(lines: Sequence[Line]) -> str:
    cells: dict[str, list[Line]] = {}
    for line in lines:
        cells.setdefault(line["problem"], []).append(line)
    rows = [
        [
            problem,
            str(len(some)),
            f"{np.mean([one['candidates'] for one in some]):.0f}",
            f"{np.mean([one['calls'] for one in some]):.0f}",
            f"{sum(one['failed'] for one in some)}",
            f"{some[0]['seed_search']:.3f}",
            f"{some[0]['seed_test']:.3f}",
            f"{sum(one['wall_s'] for one in some):.0f}",
        ]
        for problem, some in cells.items()
    ]
    head = (
        "problem",
        "runs",
        "candidates per run",
        "calls per run",
        "failed candidates",
        "own heuristic, search",
        "own heuristic, test",
        "wall s in all",
    )
    return markdown_table(head, rows)
