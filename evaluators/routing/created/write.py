"""Writes an instance in the format, and with exactly the fields, of the user's file."""

from collections.abc import Iterator

import numpy as np

from ..instance import RoutingError, RoutingInstance
from ..read import parse_routing
from ..reading import Reading
from ..rounding import ROUNDINGS


def write_like(reading: Reading, instance: RoutingInstance) -> str:
    """Return an instance as text; reading it gives the instance again.

    Args:
        reading: the user's file: its format, headers, sections and keys are used.
        instance: what to write; by default the reading's own, or a smaller one like it.

    Raises:
        RoutingError: the format or the file's fields cannot hold something of the instance.
    """
    if reading.facts.format == "json":
        from .write_json import write_json

        return write_json(reading, instance)
    if reading.facts.format == "solomon":
        from .write_solomon import write_solomon

        return write_solomon(instance)
    if reading.facts.format == "csv":
        raise RoutingError("tables are not written; use the portable form of the reading.")
    from .write_vrplib import write_vrplib

    return write_vrplib(reading, instance)


def portable(reading: Reading) -> tuple[str, Reading]:
    """Return any reading as JSON text that says everything, and the reading of that text.

    A table of nodes leaves vehicles and rules to the command line; a created solver, which sees one
    text only, is made for this form instead.
    """
    from .write_json import write_everything

    text = write_everything(reading)
    return text, parse_routing(text, reading.facts.path, form="json")


def read_like(reading: Reading, text: str) -> Reading:
    """Read text that ``write_like`` wrote, under the rounding of the user's file."""
    forms = {"json": "json", "solomon": "solomon", "csv": "csv"}
    form = forms.get(reading.facts.format, "vrplib")
    rounding = reading.facts.rounding if reading.facts.rounding in ROUNDINGS else "auto"
    return parse_routing(text, reading.facts.path, form=form, rounding=rounding)


def differences(one: RoutingInstance, other: RoutingInstance) -> Iterator[str]:
    """Yield the names of the fields in which two instances differ."""
    for part, first, second in (("", one, other), ("fleet.", one.fleet, other.fleet)):
        for key, value in vars(first).items():
            if key == "fleet":
                continue
            if isinstance(value, np.ndarray):
                same = np.array_equal(value, getattr(second, key))
            elif key == "battery" and value is not None and other.battery is not None:
                same = vars(value) == vars(other.battery)
            else:
                same = value == getattr(second, key)
            if not same:
                yield f"{part}{key}"
