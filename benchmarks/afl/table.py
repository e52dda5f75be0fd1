"""From results to a table: error rate, success rate, gap, calls, tokens and minutes by variant."""

from collections.abc import Sequence
from statistics import fmean

from ..report import markdown_table
from .runs import Line, Plan, totals

COLUMNS = (
    "variant", "created", "runtime errors %", "success %", "gap %", "gap to", "run s",
    "calls", "tokens", "minutes", "note",
)  # fmt: skip


def row(line: Line, others: Sequence[Line]) -> list[str]:
    """Return one variant's row; without a reference the gap is to the best plan of another source."""
    runs = [one for one in line["results"] if "outcome" in one]
    errors = [one["outcome"] != "ok" for one in runs]
    right = [one["right"] for one in runs]
    gaps, against = gap(line, others)
    notes = [line["message"], *(one["failure"] for one in runs), *_without(line)]
    return [
        line["variant"],
        "yes" if line["created"] else "no",
        f"{100 * fmean(errors):.0f}" if runs else "-",
        f"{100 * fmean(right):.0f}" if runs else "-",
        f"{fmean(gaps):.2f}" if gaps else "-",
        against,
        f"{fmean(one['seconds'] for one in runs):.1f}" if runs else "-",
        str(line["calls"]),
        str(line["tokens"]),
        f"{line['seconds'] / 60:.1f}",
        "; ".join(text for text in notes if text).replace("|", "/")[:160],
    ]


def _without(line: Line) -> list[str]:
    """Return why instances have no reference, each reason once."""
    missing = {one["reference_by"] for one in line["results"] if one["reference"] is None}
    return [f"reference {reason}" for reason in sorted(missing)]


def gap(line: Line, others: Sequence[Line]) -> tuple[list[float], str]:
    """Return gaps in % of the feasible runs, and what they are measured against."""
    known = {
        one["instance"]: one["reference"] for one in line["results"] if one["reference"] is not None
    }
    solvers = {one["reference_by"] for one in line["results"] if one["reference"] is not None}
    against = ", ".join(sorted(solvers))
    if not known:
        against = "best of all"
        for other in others:
            if other["key"][0] == line["key"][0] and other["key"][2:] == line["key"][2:]:
                for one in other["results"]:
                    if one.get("cost") is not None:
                        number = one["instance"]
                        known[number] = min(one["cost"], known.get(number, float("inf")))
        if not any(_rival(line, other) for other in others):
            known = {}
    gaps = [
        100 * (one["cost"] / known[one["instance"]] - 1)
        for one in line["results"]
        if one.get("cost") is not None and one["instance"] in known
    ]
    return gaps, against if known else "-"


def _rival(line: Line, other: Line) -> bool:
    """Whether another source measured the same instances."""
    one, two = line["key"], other["key"]
    return bool(one[0] == two[0] and one[1] != two[1] and one[2:] == two[2:])


def text(
    plan: Plan,
    lines: Sequence[Line],
    every: Sequence[Line],
    command: str,
    facts: Sequence[str],
) -> str:
    """Return the report."""
    runs = totals(lines)
    made = sum(line["created"] for line in lines)
    errors = 100 * fmean(one["outcome"] != "ok" for one in runs) if runs else 0.0
    right = 100 * fmean(one["right"] for one in runs) if runs else 0.0
    head = [
        "# Created solvers: the paper's 20 variants",
        "",
        f"`{command}`",
        "",
        *(f"- {fact}" for fact in facts),
        f"- Programs from {lines[0]['source'] if lines else 'nowhere'}; each variant "
        f"{plan.instances} instances of {plan.customers} customers made by the project, "
        f"{plan.seconds:g} s for each run and for the reference solver.",
        "- Success: the independent checker finds the plan feasible and the claimed cost right.",
        "",
        f"{made} of {len(lines)} variants have a program. Of its runs {errors:.0f} % ended in a "
        f"runtime error and {right:.0f} % succeeded.",
        "",
    ]
    table = markdown_table(COLUMNS, [row(line, every) for line in lines])
    return "\n".join([*head, table, ""])
