"""The sources of plans that a session has, in order of preference."""

from .sources import Source


def make_sources() -> tuple[Source, ...]:
    """Return the sources that work here."""
    return ()
