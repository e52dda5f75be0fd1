"""Long work on a terminal: progress, Ctrl-C that saves, and what to do after an error."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from .output import fail, known_errors, print_json
from .watch import stop_on_signals


class Reported(Protocol):
    """What a run gives back."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        ...


Report = TypeVar("Report", bound=Reported)
Listen = Callable[[Any, Any], None]


def watched(
    work: Callable[[Listen, threading.Event], Report],
    shown: AbstractContextManager[Listen],
    show: Callable[[Report], None],
    interrupted: type[Exception],
    as_json: bool,
) -> None:
    """Run ``work`` with live progress and print its report; whatever ends it early says how to go on.

    Args:
        work: takes a listener, and an event that asks it to save and stop.
        shown: yields the listener that shows progress.
        show: prints the report for people.
        interrupted: what ``work`` raises after it has saved and stopped.
        as_json: print the report as JSON instead.

    """
    name = ""

    def remember(listener: Listen) -> Listen:
        def listen(kind: Any, progress: Any) -> None:
            nonlocal name
            name = progress.run
            listener(kind, progress)

        return listen

    try:
        with stop_on_signals() as stop, shown as listener:
            report = work(remember(listener), stop)
    except (interrupted, KeyboardInterrupt):
        fail(
            "The run was interrupted; what was done is saved. "
            f"Go on with: eurisko resume {name or 'last'}",
            as_json=as_json,
            code=130,
        )
    except known_errors() as error:
        if not name:
            raise
        message = " ".join(str(error).split()).rstrip(".")
        fail(f"{message}. What was done is saved: eurisko resume {name}", as_json=as_json)
    if as_json:
        print_json(report.to_json())
    else:
        show(report)
