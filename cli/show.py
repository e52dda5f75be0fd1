"""How a run is shown on a terminal."""

from collections import Counter
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..agents.evolution.report import RunReport


def print_result(report: "RunReport") -> None:
    """Print what a run found and what to do with it next."""
    console = Console()
    if report.run.status == "stopped":
        console.print(f"Stopped early: {report.run.status_reason}", style="yellow", highlight=False)
    console.print(_gaps(report))
    _print_cost(console, report)
    if report.insights["inherited"] or report.insights["members"]:
        console.print(_learnt(report), highlight=False)
    if report.schedule_note:
        console.print(report.schedule_note, highlight=False)
    run = report.run.id
    console.print(
        f"\nsee     eurisko show {run}\n"
        f"page    eurisko report {run} --open\n"
        f"export  eurisko export {run} -o best.py\n"
        f"reuse   eurisko evaluate best.py --problem {report.run.problem} --split test\n"
        f"files   {report.run.folder}",
        highlight=False,
        soft_wrap=True,
    )
    if report.run.status == "stopped":
        console.print(f"go on   eurisko resume {run} with a larger budget", highlight=False)


def print_run(report: "RunReport") -> None:
    """Print all that is known of a run: best code, gaps on every split, lineage, cost."""
    console = Console()
    run = report.run
    console.print(
        f"[bold]{run.id}[/]  {run.problem} ({run.interface})  proposed by {run.proposer}  "
        f"strategy {report.strategy}  seed {run.seed}  [bold]{run.status}[/] {run.status_reason}",
        highlight=False,
    )
    if report.best is None:
        console.print("No heuristic has been evaluated yet.")
    else:
        best = report.best
        console.print(Text(f"\n{best.thought}\n", style="italic"))
        title = f"best: {best.operator} in generation {best.generation}, {best.hash[:12]}"
        code = Syntax(best.code.strip(), "python", theme="ansi_dark", word_wrap=True)
        console.print(Panel(code, title=title, title_align="left"))
        console.print(_gaps(report))
        console.print(_lineage(report))
        console.print(_front(report))
    if report.foresight:
        console.print(_regimes(report))
    if report.insights["members"]:
        console.print(_ledger(report))
    console.print(_learnt(report), highlight=False)
    _print_cost(console, report)
    console.print(f"files   {run.folder}", highlight=False, soft_wrap=True)


def _gaps(report: "RunReport") -> Table:
    table = Table(
        title="mean gap to the reference in %", title_justify="left", title_style="bold", box=SIMPLE
    )
    table.add_column("split", no_wrap=True)
    table.add_column("data set", no_wrap=True)
    for column in ("seed", "best", report.measure.split()[-1], "ms/inst"):
        table.add_column(column, justify="right", no_wrap=True)
    for split, results in report.splits.items():
        for one in results:
            table.add_row(
                split,
                f"{one.instances} × {one.dataset}",
                _number(one.seed_objective, 2),
                Text(_number(one.objective, 2), style="bold green"),
                _number(one.measure, 4),
                milliseconds(one.seconds_per_instance),
            )
    return table


def _lineage(report: "RunReport") -> Table:
    table = Table(
        title="lineage of the best",
        title_justify="left",
        title_style="bold",
        box=SIMPLE,
        expand=True,
    )
    table.add_column("gen", justify="right", no_wrap=True)
    table.add_column("by", no_wrap=True)
    table.add_column("program", no_wrap=True)
    table.add_column("gap", justify="right", no_wrap=True)
    table.add_column("idea", no_wrap=True, overflow="ellipsis", ratio=1)
    for one, objective in zip(report.lineage, report.lineage_objectives, strict=True):
        table.add_row(
            str(one.generation),
            one.operator,
            one.hash[:8],
            _number(objective, 2),
            Text(" ".join(one.thought.split())),
        )
    return table


def _front(report: "RunReport") -> Table:
    """What quality costs: of all candidates those that none beats in both gap and time."""
    allowed = milliseconds(report.seconds_per_instance)
    table = Table(
        title=f"gap against time on the search split (limit: {allowed} ms per instance)",
        title_justify="left",
        title_style="bold",
        box=SIMPLE,
        expand=True,
    )
    for column in ("candidate", "gen", "ms/inst", "gap"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("by", no_wrap=True)
    table.add_column("idea", no_wrap=True, overflow="ellipsis", ratio=1)
    for one in report.front:
        table.add_row(
            str(one["candidate"]),
            str(one["generation"]),
            milliseconds(one["seconds_per_instance"]),
            _number(one["objective"], 2),
            one["operator"],
            Text(" ".join(one["thought"].split())),
        )
    return table


def _regimes(report: "RunReport") -> Table:
    table = _table("what the navigator decided")
    table.add_column("gen", justify="right", no_wrap=True)
    table.add_column("regime", no_wrap=True)
    table.add_column("because", overflow="fold")
    table.add_column("with attention to", overflow="fold")
    for one in report.foresight:
        table.add_row(str(one["generation"]), one["regime"], one["reason"], one["directive"])
    return table


def _ledger(report: "RunReport") -> Table:
    """The insights of the run, the most effective first."""
    table = _table("insights")
    table.add_column("id", justify="right", no_wrap=True)
    table.add_column("from", no_wrap=True)
    table.add_column("uses", justify="right", no_wrap=True)
    table.add_column("effect", justify="right", no_wrap=True)
    table.add_column("insight", overflow="fold")
    members = report.insights["members"]
    for one in sorted(members, key=lambda member: -member["effectiveness"]):
        gone = "" if one["evicted"] is None else f" (evicted in generation {one['evicted']})"
        table.add_row(
            str(one["id"]),
            f"gen {one['generation']}" if one["entered"] == "admitted" else str(one["entered"]),
            str(one["uses"]),
            f"{one['effectiveness']:+.3f}",
            Text(f"{one['kind']}: {one['text']}{gone}"),
        )
    return table


def _learnt(report: "RunReport") -> str:
    verdicts = Counter(one["verdict"] for one in report.insights["events"])
    stated = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    return str(report.insights["note"]) + (f" Stated in this run: {stated}." if stated else "")


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=SIMPLE)


def _print_cost(console: Console, report: "RunReport") -> None:
    failures = ", ".join(f"{kind} {count}" for kind, count in sorted(report.failures.items()))
    spent = report.spent
    money = "price unknown" if spent.usd is None else f"${spent.usd:.4f}"
    console.print(
        f"{report.candidates} candidates, {sum(report.failures.values())} failed"
        f"{f' ({failures})' if failures else ''}; "
        f"{spent.calls} model calls, {spent.tokens} tokens, {money}",
        highlight=False,
    )
    tuning = report.tuning
    if tuning.get("moments"):
        console.print(
            f"tuned {tuning['moments']} candidates with {tuning['evaluations']} evaluations "
            f"({tuning['failed']} failed): {tuning['improved']} got better",
            highlight=False,
        )
    for doubt in report.doubts:
        console.print(f"not to be believed: {doubt}", style="yellow", highlight=False)


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def milliseconds(seconds: float | None) -> str:
    """Return a time in milliseconds to three digits."""
    return "–" if seconds is None else f"{1000 * seconds:.3g}"
