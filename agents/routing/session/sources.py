"""Where plans come from: the interface, and what a session does with an answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ....evaluators.routing import Plan, Reading, RoutingError, parse_routing
from ....evaluators.routing.analysis import Analysis
from ..changes import RoutingTask
from .as_file import same_data, task_json

Listener = Callable[[str], None]  # one line of progress


@dataclass(frozen=True, eq=False)
class Request:
    """A problem to be solved within ``seconds``.

    ``text`` is the user's file; ``analysis`` is of the problem as changed; ``said`` are the changes
    in words.
    """

    text: str
    analysis: Analysis
    task: RoutingTask
    seconds: float
    seed: int
    listener: Listener
    data_changed: bool = False
    said: str = ""

    def file(self) -> tuple[str, Reading]:
        """Return a file of the problem as it stands, and what our reader makes of it.

        It is the user's own while its data are unchanged; then one of the same format and fields,
        where these can hold the changes; else JSON, which can hold every rule (a table of nodes
        alone says nothing of vehicles).
        """
        reading = self.analysis.reading
        if reading.facts.format != "csv":
            if not self.data_changed:
                return self.text, reading
            alike = _alike(reading)
            if alike is not None:
                return alike
        text = task_json(self.task)
        return text, parse_routing(text, "changed.json", form="json")


def _alike(reading: Reading) -> tuple[str, Reading] | None:
    """Write an instance in its file's own format; None where that loses something."""
    from ....evaluators.routing.created.write import read_like, write_like

    try:
        text = write_like(reading, reading.instance)
        again = read_like(reading, text)
    except RoutingError:
        return None
    return (text, again) if same_data(again.instance, reading.instance) else None


@dataclass(frozen=True, eq=False)
class Answer:
    """A plan that nobody has checked yet, or the reason why there is none.

    ``quiet``: that there is none is nothing that a user need hear of.
    """

    solver: str
    plan: Plan | None = None
    why: str = ""
    claimed: float | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    code: str = ""
    description: str = ""
    quiet: bool = False


class Source(Protocol):
    """One origin of plans: ``memory``, ``created`` or ``reference``."""

    name: str

    def solve(self, request: Request) -> Answer:
        """Return a plan or the reason why there is none; never believed without the checker."""
        ...
