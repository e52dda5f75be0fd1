"""What a text can mean: changes, a question, a command, or nothing that is understood."""

from dataclasses import dataclass

from ..changes import Change


class NotUnderstood(Exception):
    """A text is not clear; the message says why, and what would be."""


class UnitUnknown(NotUnderstood):
    """A text has a unit where the file's own is not known; clear as soon as it is said."""


@dataclass(frozen=True)
class Ask:
    """A question about the problem or the plan.

    ``topic``: ``why``, ``cost``, ``vehicles``, ``slack``, ``schedule``, ``routes``, ``visit`` (of
    ``nodes``), ``gap``, ``problem`` or ``open`` (what is still to be answered).
    """

    topic: str
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """Something to do: ``solve`` for seconds, ``take`` a numbered way, ``undo``, ``quit``, ``help``."""

    name: str
    seconds: float | None = None
    number: int | None = None


@dataclass(frozen=True)
class Unclear:
    """A part of a text that is not understood, why, and what would be.

    ``needs_unit``: clear as soon as the file's unit is said.
    """

    text: str
    why: str
    examples: tuple[str, ...] = ()
    needs_unit: bool = False


@dataclass(frozen=True)
class Interpretation:
    """All that a text means, in order; ``said`` is what a model adds in words."""

    changes: tuple[Change, ...] = ()
    asks: tuple[Ask, ...] = ()
    command: Command | None = None
    unclear: tuple[Unclear, ...] = ()
    by: str = "rules"
    said: str = ""

    @property
    def understood(self) -> bool:
        """Whether the whole text means something."""
        return not self.unclear and bool(self.changes or self.asks or self.command)
