"""Numbers, units and times of day in text, and their values in a file's units."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....evaluators.routing import RoutingInstance
from ..changes import known_unit
from .results import NotUnderstood, UnitUnknown

if TYPE_CHECKING:
    from .slots import Slots

_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = {word: value for value, word in enumerate(_COUNTED.split())}
# seconds, metres
TIME_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0}
DISTANCE_UNITS = {"m": 1.0, "km": 1000.0, "mi": 1609.344}
_UNIT = {
    r"hours?|hrs?|h": "h",
    r"minutes?|mins?": "min",
    r"seconds?|secs?|s": "s",
    r"days?": "day",
    r"kilomet(?:er|re)s?|kms?": "km",
    r"met(?:er|re)s?|m": "m",
    r"miles?|mi": "mi",
}
_ANY_UNIT = "|".join(_UNIT)
_NUMBER = r"\d+(?:[.,]\d+)?|\d{1,3}(?:[ ,]\d{3})+"
_BEFORE = r"(?<![\w<:.])"
_COUNTABLE = "vehicles?|trucks?|vans?|drivers?|routes?|trips?"
_PLURALS = {"s": "seconds", "min": "minutes", "h": "hours"}


@dataclass(frozen=True)
class Quantity:
    """A number with its unit as it was said; ``clock``: minutes after midnight."""

    value: float
    unit: str = ""
    clock: bool = False

    @property
    def kind(self) -> str:
        """``time``, ``distance``, or nothing where no unit was said."""
        if self.clock or self.unit in TIME_UNITS:
            return "time"
        return "distance" if self.unit in DISTANCE_UNITS else ""

    def value_in(self, instance: RoutingInstance, kind: str) -> float:
        """Return the value in the file's unit of ``time`` or ``distance``.

        Raises:
            NotUnderstood: it is of another kind, or the file's unit is not known.
        """
        if not self.kind:
            return self.value
        if self.kind != kind:
            raise NotUnderstood(f"{self.value:g} {self.unit} is no {kind}.")
        table = TIME_UNITS if kind == "time" else DISTANCE_UNITS
        unit = known_unit(instance, kind)
        if unit not in table:
            example = "times are in minutes" if kind == "time" else "distances are in km"
            raise UnitUnknown(
                f"the file does not say its unit of {kind}: say for example '{example}' first, "
                "or give the number in the file's own unit, without a unit."
            )
        value = self.value * table["min" if self.clock else self.unit] / table[unit]
        return round(value, 9)


def find_times(slots: "Slots") -> None:
    """Replace clock times, then numbers with and without units, by ``<q…>``."""

    def add(quantity: Quantity) -> str:
        slots.quantities.append(quantity)
        return f"<q{len(slots.quantities) - 1}>"

    slots.text = re.sub(
        rf"\b({'|'.join(NUMBER_WORDS)})\b(?=\s+(?:at |of |more |fewer |less |extra )?"
        rf"(?:{_ANY_UNIT}|{_COUNTABLE})\b)",
        lambda found: str(NUMBER_WORDS[found.group(1)]),
        slots.text,
    )
    slots.text = re.sub(r"\bhalf an hour\b", "30 min", slots.text)
    slots.text = re.sub(r"\ban hour\b", "1 h", slots.text)
    _clock(slots, add)
    compound = r"(?<![\w<.])(\d+) ?(?:hours?|hrs?|h)(?: and)? ?(\d+)(?: ?(?:minutes?|mins?|m))?\b"
    slots.text = re.sub(
        compound,
        lambda found: add(Quantity(int(found.group(1)) * 60.0 + int(found.group(2)), "min")),
        slots.text,
    )

    def quantity(found: re.Match[str]) -> str:
        number = found.group(1).replace(" ", "")
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+", number):
            number = number.replace(",", "")
        said = found.group(2) or ""
        unit = next((name for words, name in _UNIT.items() if re.fullmatch(words, said)), "")
        return add(Quantity(float(number.replace(",", ".")), unit))

    slots.text = re.sub(
        rf"(?<![\w<.])({_NUMBER})(?:[ -]?({_ANY_UNIT})\b(?!\s*/))?(?![\w>])", quantity, slots.text
    )


def _clock(slots: "Slots", add: Callable[[Quantity], str]) -> None:
    """Replace ``9:30``, ``9 am`` and ``9:30 pm``; ``9.30`` may be a decimal and stays."""

    def clock(found: re.Match[str]) -> str:
        hour, minute = int(found.group(1)), int(found.group(2) or 0)
        half = (found.group(3) or "").replace(".", "")
        if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
            return found.group(0)
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
        return add(Quantity(hour * 60.0 + minute, "min", clock=True))

    text = re.sub(r"\bnoon\b", "12:00", slots.text)
    text = re.sub(r"\bmidnight\b", "24:00", text)
    text = re.sub(r"(?<=\d) ?o'clock\b", ":00", text)
    text = re.sub(rf"{_BEFORE}(\d{{1,2}})(?::(\d{{2}}))? ?([ap]\.?m\b\.?)", clock, text)
    slots.text = re.sub(rf"{_BEFORE}(\d{{1,2}}):(\d{{2}})()(?![\d:>])", clock, text)


def plural(unit: str) -> str:
    """Return the word for a unit of time."""
    return _PLURALS.get(unit, unit)
