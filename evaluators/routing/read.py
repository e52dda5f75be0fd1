"""Reads any supported file: looks at the text, not at the name's ending, where it can."""

from pathlib import Path
from typing import Any

from .instance import RoutingError
from .reading import Reading

_LONGEST_MIB = 512
FORMATS = ("vrplib", "solomon", "json", "csv")


def guess_format(text: str) -> str:
    """Return the format that a text looks like."""
    from .read_solomon import looks_like_solomon

    start = text.lstrip()
    if start.startswith("{"):
        return "json"
    if looks_like_solomon(text[:2000]):
        return "solomon"
    first = start.splitlines()[0] if start else ""
    cells = max(first.count(mark) for mark in ",;\t") if first else 0
    return "csv" if cells >= 2 and ":" not in first else "vrplib"


def parse_routing(
    text: str, path: str | Path = "text", *, form: str = "auto", **options: Any
) -> Reading:
    """Read text in any format.

    Args:
        text: the whole file.
        path: its name, for messages.
        form: one of ``FORMATS``, or ``auto``.
        options: of the format's reader (``rounding``; ``columns`` and others of CSV).

    Raises:
        RoutingError: the text is not of the format, or contradicts itself beyond reading.
    """
    chosen = guess_format(text) if form == "auto" else form
    if chosen == "json":
        from .read_json import parse_json

        return parse_json(text, path, **options)
    if chosen == "csv":
        from .read_csv import parse_csv

        return parse_csv(text, path, **options)
    if chosen == "solomon":
        from .read_solomon import parse_solomon

        return parse_solomon(text, path, **options)
    if chosen != "vrplib":
        raise RoutingError(f"format {chosen!r} is not known; use one of {', '.join(FORMATS)}.")
    from .read_vrplib import parse_vrplib

    return parse_vrplib(text, path, **options)


def read_routing(path: str | Path, *, form: str = "auto", **options: Any) -> Reading:
    """Read a file in any format; see ``parse_routing``.

    Raises:
        RoutingError: the file cannot be read, is too large, or ``parse_routing`` refuses it.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _LONGEST_MIB << 20:
            raise RoutingError(f"{path} is larger than {_LONGEST_MIB} MiB.")
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RoutingError(f"{path} cannot be read: {error.strerror}.") from error
    if not text.strip():
        raise RoutingError(f"{path} is empty.")
    return parse_routing(text, file, form=form, **options)
