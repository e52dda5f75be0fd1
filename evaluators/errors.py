"""The one family of errors for what a user asks and cannot have."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(Exception):
    """The user's input cannot be used.

    The message is one sentence or two: what is wrong, where, and what to do. A command prints it
    as it is; it is never the fault of a candidate program.
    """


class UnknownProblem(InputError):
    """No problem of this name is installed."""


class UnknownDataset(InputError):
    """The problem has no data set of this name."""


class UnknownInterface(InputError):
    """The problem has no heuristic interface of this name."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message: close matches, or else every known name."""
    names = sorted(known)
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"choose one of: {', '.join(names)}." if names else "none is installed."
