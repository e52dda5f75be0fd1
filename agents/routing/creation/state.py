"""What the graph of a creation carries from step to step; small, and plain JSON."""

from typing import Any, TypedDict


class CreationState(TypedDict):
    """The state between two steps."""

    description: dict[str, Any] | None
    confirmed: bool
    functions: dict[str, str]
    """The functions that there are, by name."""
    todo: list[str]
    """Which functions are to be written next, in this order."""
    reasons: dict[str, str]
    """Of functions to be revised: why."""
    verified: dict[str, Any] | None
    """What the checks said of the present program; None while it has not been checked."""
    best: dict[str, Any] | None
    """The best program so far, ``functions`` and ``verified``."""
    repairs: int
    advice: str
    """The last diagnosis, for the next one."""
    unread: int
    """Answers that could not be read, even at the second try."""
    stop: str
    """Why the creation ends early; empty otherwise."""


def initial_state() -> CreationState:
    """Return the state before the first step."""
    return CreationState(
        description=None,
        confirmed=False,
        functions={},
        todo=[],
        reasons={},
        verified=None,
        best=None,
        repairs=0,
        advice="",
        unread=0,
        stop="",
    )
