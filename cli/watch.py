"""Live progress of a run, and Ctrl-C that saves."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ..agents.evolution.events import Listener, Progress


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C or SIGTERM sets; a second Ctrl-C interrupts at once."""
    stop = threading.Event()

    def handler(number: int, _frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        # Not through sys.stderr: the signal may have come in the middle of a write to it.
        os.write(2, "\nStopping: saving what is done (Ctrl-C again to stop at once) …\n".encode())

    previous = {
        number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, old in previous.items():
            signal.signal(number, old)


@contextmanager
def watch(quiet: bool = False) -> Iterator["Listener"]:
    """Yield a listener that shows progress on standard error: live on a terminal, else as lines."""
    from rich.console import Console

    console = Console(stderr=True)
    seen = [0]

    def line_when_due(kind: str, progress: "Progress", target: "Console") -> None:
        if kind == "started":
            seen[0] = len(progress.history)
            target.print(progress.sandbox, highlight=False, soft_wrap=True)
            if "L1" in progress.sandbox:
                target.print(
                    "These programs are NOT confined: they can read your files and use the network.",
                    style="bold white on red",
                )
        elif kind == "begun" and progress.inherited:
            target.print(
                f"begins with {progress.inherited} insights of earlier runs "
                "(eurisko insights list; --fresh-insights begins without)",
                highlight=False,
                soft_wrap=True,
            )
        elif kind == "selected" and len(progress.history) > seen[0]:
            seen[0] = len(progress.history)
            target.print(_line(progress), highlight=False, soft_wrap=True)

    if quiet:
        yield lambda kind, progress: None
    elif console.is_terminal:
        from rich.live import Live

        with Live(console=console, refresh_per_second=8, transient=True) as live:

            def listen(kind: str, progress: "Progress") -> None:
                live.update(_panel(progress))
                line_when_due(kind, progress, live.console)

            yield listen
    else:
        yield lambda kind, progress: line_when_due(kind, progress, console)


def _line(progress: "Progress") -> str:
    best, mean = progress.history[-1]
    return (
        f"generation {len(progress.history) - 1:>3}/{progress.generations}  best {best:8.3f}  "
        f"mean {mean:8.3f}  {progress.regime:<8}  candidates {progress.candidates}"
        f"{_failed(progress)}{_cost(progress)}"
    )


def _failed(progress: "Progress") -> str:
    if not progress.failures:
        return ""
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(progress.failures.items()))
    return f"  failed {sum(progress.failures.values())} ({kinds})"


def _cost(progress: "Progress") -> str:
    if not progress.calls:
        return ""
    money = "price unknown" if progress.usd is None else f"${progress.usd:.4f}"
    return f"  calls {progress.calls}  tokens {progress.tokens}  {money}"


def _panel(progress: "Progress") -> "RenderableType":
    from rich.panel import Panel
    from rich.table import Table

    table = Table.grid(padding=(0, 3))
    best = "–" if progress.best is None else f"{progress.best:.3f}"
    mean = "–" if progress.mean is None else f"{progress.mean:.3f}"
    seed = "–" if progress.baseline is None else f"{progress.baseline:.3f}"
    table.add_row(
        f"generation [bold]{min(progress.generation, progress.generations)}/{progress.generations}[/]",
        f"operator [bold]{progress.operator}[/] {progress.regime}",
        f"best [bold green]{best}[/]",
        f"mean {mean}",
        f"seed {seed}",
    )
    table.add_row(
        f"candidates {progress.candidates}",
        f"evaluated {progress.evaluations}",
        f"known before {progress.reused}",
        _failed(progress).strip() or "failed 0",
        _cost(progress).strip() or "no model calls",
    )
    return Panel(table, title=f"eurisko {progress.run}", title_align="left", expand=False)
