"""How an optimisation is shown on a terminal: a live table, and the result."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from ..agents.acquisition import Report
    from ..agents.acquisition.events import Listener, Progress

_ROWS = 12  # of the live table
_WIDEST = 60  # characters of a reason


@contextmanager
def watch(quiet: bool = False) -> Iterator["Listener"]:
    """Yield a listener that shows progress on standard error: live on a terminal, else as lines."""
    from rich.console import Console

    console = Console(stderr=True)
    seen: list[Progress] = []
    if quiet:
        yield lambda kind, progress: None
    elif console.is_terminal:
        from rich.live import Live

        with Live(console=console, refresh_per_second=4, transient=True) as live:

            def listen(kind: str, progress: "Progress") -> None:
                if kind == "evaluated":
                    seen.append(replace(progress))
                live.update(_live_table(seen[-_ROWS:], progress))

            yield listen
    else:

        def lines(kind: str, progress: "Progress") -> None:
            if kind == "evaluated":
                console.print(_line(progress), highlight=False, soft_wrap=True, markup=False)

        yield lines


def _line(progress: "Progress") -> str:
    value = "failed" if progress.value is None else f"{progress.value:.6g}"
    cost = f"  {progress.tokens} tokens" if progress.calls else ""
    why = progress.message or progress.reason
    return (
        f"{progress.number:>4}/{progress.budget}  {value:>12}  best {_number(progress.incumbent):>12}"
        f"{' *' if progress.improved else '  '} {progress.arm or 'start':<8} "
        f"{progress.choice_s + progress.evaluation_s:6.1f} s{cost}  {why}"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _live_table(rows: list["Progress"], now: "Progress") -> "Table":
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table

    title = f"eurisko {now.run}   {now.strategist}   {now.number}/{now.budget}"
    table = Table(title=escape(title), title_justify="left", box=SIMPLE, pad_edge=False)
    for column in ("n", "value", "incumbent", "arm", "by", "reason", "s", "tokens"):
        right = column in ("n", "value", "incumbent", "s", "tokens")
        table.add_column(column, justify="right" if right else "left", no_wrap=column != "reason")
    for one in rows:
        table.add_row(
            str(one.number),
            "failed" if one.value is None else _number(one.value),
            _number(one.incumbent),
            one.arm or "start",
            one.source,
            escape((one.message or one.reason)[:_WIDEST]),
            f"{one.choice_s + one.evaluation_s:.1f}",
            str(one.tokens) if one.calls else "",
            style="bold green" if one.improved else None,
        )
    return table


def print_report(report: "Report", every: bool = False) -> None:
    """Print what came of an optimisation; ``every``: all its trials too."""
    from rich.console import Console

    console = Console()
    run, result = report.run, report.result()

    def say(text: str, **style: Any) -> None:
        console.print(text, highlight=False, soft_wrap=True, markup=False, **style)

    if run.status == "stopped":
        say(f"Stopped early: {run.status_reason}", style="yellow")
    if every:
        console.print(_trials(report))
    goal = "least" if report.minimise else "greatest"
    say(f"{goal} value {_number(report.value)} after {result['evaluations']} evaluations")
    if report.regret is not None:
        say(f"regret  {report.regret:.3g} (optimum {report.optimum:.6g})")
    for name, value in (report.point or {}).items():
        say(f"  {name} = {value!r}")
    if result["failed"]:
        say(f"failed  {result['failed']} evaluations")
    if result["arms"]:
        say("arms    " + ", ".join(f"{arm} {count}" for arm, count in result["arms"].items()))
        say("by      " + ", ".join(f"{who} {count}" for who, count in result["sources"].items()))
    if report.spent.calls:
        spent = report.spent
        money = "price unknown" if spent.usd is None else f"${spent.usd:.4f}"
        say(
            f"model   {spent.calls} calls, {spent.tokens} tokens, {money}; "
            f"{report.unread} answers could not be read"
        )
    say(f"see     eurisko show {run.id}\nfiles   {run.folder}")
    if run.status != "finished":
        say(f"go on   eurisko resume {run.id}")


def _trials(report: "Report") -> "Table":
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table

    run = report.run
    title = f"{run.id}  {run.problem}  {run.config['strategist']}  seed {run.seed}  {run.status}"
    table = Table(title=escape(title), title_justify="left", box=SIMPLE, pad_edge=False)
    for column in ("n", "value", "incumbent", "predicted"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("arm", "by", "reason"):
        table.add_column(column)
    for trial, best in zip(report.trials, report.incumbents, strict=True):
        predicted = "" if trial.predicted_mean is None else f"{trial.predicted_mean:.4g}"
        table.add_row(
            str(trial.number),
            _number(trial.value) if trial.status == "done" else trial.status,
            _number(best),
            predicted,
            trial.arm or "start",
            trial.source,
            escape(trial.message or trial.reason),
        )
    return table
