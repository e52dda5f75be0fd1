"""How a job at work is shown: a bar on a terminal, else a line now and then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..agents.batch import Progress
    from ..agents.batch.events import Listener

_EVERY_S = 5.0


@contextmanager
def watch(quiet: bool = False) -> Iterator["Listener"]:
    """Yield a listener that shows progress on standard error."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield lambda kind, progress: None
        return
    if not console.is_terminal:
        yield _Lines(console.print)
        return
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("batch", total=None, label="")

        def listen(kind: str, progress: "Progress") -> None:
            waiting = "waiting for the knowledge base" if kind == "waiting" else progress.label
            bar.update(
                task,
                description=escape(progress.run),
                total=progress.total,
                completed=progress.done + progress.failed,
                label=escape(waiting[:60]),
            )

        yield listen


class _Lines:
    """Prints how far a job is, at most every few seconds."""

    def __init__(self, show: object) -> None:
        self._show = show
        self._last = float("-inf")

    def __call__(self, kind: str, progress: "Progress") -> None:
        """Hear of progress."""
        due = time.monotonic() - self._last > _EVERY_S
        if kind in ("started", "ended") or (kind == "stored" and due):
            self._last = time.monotonic()
            failed = f", {progress.failed} failed" if progress.failed else ""
            self._show(  # type: ignore[operator]
                f"{progress.run}: {progress.done}/{progress.total} done{failed}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
