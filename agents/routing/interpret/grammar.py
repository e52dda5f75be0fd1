"""Rules of plain English: a pattern of canonical words and slots, and what it builds.

A rule must match a whole clause. In a pattern ``{n}``, ``{v}`` and ``{q}`` are slots; what they
hold comes to the builder in order.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....evaluators.routing import RoutingInstance
from ..changes import Change, known_unit
from .amounts import Quantity
from .results import Ask, Command, NotUnderstood
from .slots import Slots

Meaning = Change | Ask | Command
_SLOT = re.compile(r"<[nvq]\d+>")


@dataclass(frozen=True)
class Match:
    """What a rule matched: slots in order, words of named groups, and the instance for units."""

    values: tuple[Any, ...]
    words: dict[str, str]
    instance: RoutingInstance

    def time(self, index: int) -> float:
        """Return a slot's time in the file's unit."""
        return self._quantity(index).value_in(self.instance, "time")

    def moment(self, index: int) -> float:
        """Return a slot's time of day in the file's unit (0 is midnight).

        Raises:
            NotUnderstood: a small bare number may be an hour or the file's unit.
        """
        quantity = self._quantity(index)
        unit = known_unit(self.instance, "time")
        if not quantity.unit and quantity.value <= 24 and unit in ("min", "s"):
            number = f"{quantity.value:g}"
            raise NotUnderstood(
                f"is {number} an hour or in {unit}? Say '{number}:00' or '{number} {unit}'."
            )
        return quantity.value_in(self.instance, "time")

    def distance(self, index: int) -> float:
        """Return a slot's distance in the file's unit."""
        return self._quantity(index).value_in(self.instance, "distance")

    def number(self, index: int) -> float:
        """Return a slot's number.

        Raises:
            NotUnderstood: it has a unit, which a load, a cost or a count has not.
        """
        quantity = self._quantity(index)
        if quantity.unit:
            raise NotUnderstood("a load, a cost or a count is a plain number, without a unit.")
        return quantity.value

    def nodes(self, index: int) -> tuple[str, ...]:
        """Return a slot's nodes."""
        found = self.values[index]
        assert isinstance(found, tuple)
        return tuple(str(one) for one in found)

    def vehicles(self, index: int) -> tuple[int, ...]:
        """Return a slot's vehicles."""
        found = self.values[index]
        assert isinstance(found, tuple)
        return tuple(int(one) for one in found)

    def _quantity(self, index: int) -> Quantity:
        found = self.values[index]
        assert isinstance(found, Quantity)
        return found


Build = Callable[[Match], Meaning | tuple[Meaning, ...]]


@dataclass(frozen=True)
class Rule:
    """One way to say something; ``example`` is shown where a text is not understood."""

    pattern: re.Pattern[str]
    build: Build
    example: str

    def read(self, slots: Slots, instance: RoutingInstance) -> tuple[Meaning, ...] | None:
        """Return what the clause means by this rule, or None where it does not match.

        Raises:
            NotUnderstood: it matches, but a unit or a word in it makes no sense.
        """
        found = self.pattern.fullmatch(slots.text)
        if found is None:
            return None
        values = tuple(slots.value(slot) for slot in _SLOT.findall(found.group(0)))
        words = {key: value for key, value in found.groupdict().items() if value is not None}
        built = self.build(Match(values, words, instance))
        return built if isinstance(built, tuple) else (built,)


_ROUTE = (
    r"(?:(?:each|every|any|all|no|our|my|single|one|of) )*"
    r"(?:routes?|tours?|drivers?|vehicles?|trucks?|vans?|cars?|lorry|lorries|crews?|fleet)"
)
_MACROS = {
    "{n}": r"<n\d+>",
    "{v}": r"<v\d+>",
    "{q}": r"<q\d+>",
    "{route}": _ROUTE,
    "{visit}": r"(?:visit|serve|reach|deliver to|go to|supply)",
    "{visited}": r"(?:visited|served|reached|delivered(?: to)?|supplied|on plan|in plan)",
    "{all}": r"(?:all|each|every|any)(?: of (?:our|my))?",
}


def rule(pattern: str, build: Build, example: str) -> Rule:
    """Return a rule from a pattern with macros."""
    for macro, text in _MACROS.items():
        pattern = pattern.replace(macro, text)
    return Rule(re.compile(pattern), build, example)
