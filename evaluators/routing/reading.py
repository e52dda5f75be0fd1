"""What a reader returns: the instance, and what the file said in its own words."""

from dataclasses import dataclass, field

from .instance import RoutingInstance
from .vrplib_text import Unknown


@dataclass(frozen=True)
class FileFacts:
    """The words of a file that arrays do not keep; evidence for the analysis.

    ``fields`` are the headers, sections, columns or keys that are there; ``rounding`` is a key of
    ``ROUNDINGS`` or the name of the weight type that fixes it; ``assumed`` names what the reader
    had to choose, with its reason; ``mismatches`` are contradictions met while reading.
    """

    format: str
    path: str
    type_name: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    mismatches: tuple[str, ...] = ()
    rounding: str = "none"
    assumed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """An instance with the facts of its file."""

    instance: RoutingInstance
    facts: FileFacts
