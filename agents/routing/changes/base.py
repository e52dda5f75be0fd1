"""What a change is, and the task that it changes: data, rules and the order of the objective."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from ....evaluators.errors import did_you_mean
from ....evaluators.routing import Fleet, Kind, RoutingError, RoutingInstance
from ....evaluators.routing.constraints import VOCABULARY
from ....evaluators.routing.generated.rule import GeneratedRule
from ....evaluators.routing.loads import unpaired
from ....evaluators.routing.objectives import MEASURES, Objective

# Rules that no data show: they stay what they were said to be.
LOAD_RULES = frozenset({"backhaul", "mixed_backhaul", "mixed_backhaul_staged"})
STATED = frozenset({"closed", "open"}) | LOAD_RULES


@dataclass(frozen=True, eq=False)
class RoutingTask:
    """A problem as it stands in a conversation.

    ``order`` are measures in order of priority; ``rounding`` is the convention of the distances (a
    key of ``ROUNDINGS``), or what else made them (``EXPLICIT``, ``GEO`` …); ``extra`` are rules
    outside the vocabulary.
    """

    instance: RoutingInstance
    names: frozenset[str]
    order: tuple[str, ...] = ("cost",)
    rounding: str = "none"
    extra: tuple[GeneratedRule, ...] = ()

    @property
    def objective(self) -> Objective:
        """The objective; prizes that are left behind count with the cost where there are any."""
        with_prizes = "prizes" in self.names
        return Objective(
            tuple(
                (("cost", 1.0), ("uncollected_prizes", 1.0))
                if measure == "cost" and with_prizes
                else ((measure, 1.0),)
                for measure in self.order
            )
        )

    def with_data(self, **fields: Any) -> "RoutingTask":
        """Return the task with fields of its instance replaced, and the rules that these show."""
        instance = replace(self.instance, **fields)
        return replace(self, instance=instance, names=shown_rules(instance, self.names))

    def with_fleet(self, fleet: Fleet, **fields: Any) -> "RoutingTask":
        """Return the task with a fleet, some of whose fields are replaced."""
        return self.with_data(fleet=replace(fleet, **fields))


def shown_rules(instance: RoutingInstance, names: Iterable[str]) -> frozenset[str]:
    """Return the rules that data show, and of ``names`` those that data cannot show.

    Where pickups appear, the physical load rule is taken, as the analysis does.
    """
    shown = {name for name, rule in VOCABULARY.items() if rule.evidence(instance) is not None}
    stated = STATED & set(names)
    if not unpaired(instance)[1].any():
        stated -= LOAD_RULES
    elif not stated & LOAD_RULES:
        stated |= {"mixed_backhaul"}
    return frozenset(shown | stated)


class Change(BaseModel, ABC):
    """One change of a task that a user may ask for; plain data, so that sessions can be saved.

    Nodes are named as the file names them, amounts are in the file's units.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: str  # each change gives it as a literal
    answers: ClassVar[str] = ""  # key of the analysis' question that the change settles

    @abstractmethod
    def apply(self, task: RoutingTask) -> RoutingTask:
        """Return the changed task; the given one stays as it is.

        Raises:
            RoutingError: the change names what is not there, or makes no sense here.
        """

    @abstractmethod
    def sentence(self, task: RoutingTask) -> str:
        """Return what the change does, for the user to confirm."""


def row_of(instance: RoutingInstance, name: str, *, customer: bool = True) -> int:
    """Return the row of a node.

    Raises:
        RoutingError: no such node, or it is no customer.
    """
    wanted = name.strip()
    names = instance.node_ids
    found = [row for row, one in enumerate(names) if one == wanted]
    found = found or [row for row, one in enumerate(names) if one.lower() == wanted.lower()]
    if not found:
        raise RoutingError(f"there is no node {wanted!r}; {_closest(wanted, names)}")
    row = found[0]
    if customer and instance.kinds[row] != Kind.CUSTOMER:
        kind = Kind(int(instance.kinds[row])).name.lower()
        raise RoutingError(f"node {names[row]} is a {kind}, not a customer.")
    return row


def _closest(name: str, names: Sequence[str]) -> str:
    if all(one.isdigit() for one in names):
        return f"they are numbered {names[0]} to {names[-1]}."
    return did_you_mean(name, names)


def rows_of(instance: RoutingInstance, names: Iterable[str]) -> list[int]:
    """Return the rows of several customers, in order and each once."""
    return list(dict.fromkeys(row_of(instance, name) for name in names))


def changed(values: Any, index: Any, value: Any) -> Any:
    """Return a copy of an array with some entries replaced."""
    copy = np.array(values)
    copy[index] = value
    return copy


def known_unit(instance: RoutingInstance, kind: str) -> str:
    """Return the unit of ``distance``, ``time`` or ``load``; empty where nobody said."""
    unit = instance.units.get(kind, "")
    return "" if unit == "file units" else unit


def amount(instance: RoutingInstance, value: float, kind: str) -> str:
    """Return an amount with its unit, times of minutes or seconds also in hours."""
    unit = known_unit(instance, kind)
    text = f"{value:g} {unit}".strip()
    per_hour = {"min": 60.0, "s": 3600.0}.get(unit)
    if kind == "time" and per_hour and value >= per_hour:
        text += f" ({hours(value / per_hour)})"
    return text


def hours(value: float) -> str:
    """Return hours as ``9 h`` or ``9 h 30 min``."""
    whole, minutes = divmod(round(value * 60.0), 60)
    return f"{whole} h {minutes} min" if minutes else f"{whole} h"


def time_of_day(instance: RoutingInstance, value: float) -> str:
    """Return a time in the file's unit, with the clock where that unit is known (0 is midnight)."""
    per_hour = {"s": 3600.0, "min": 60.0, "h": 1.0}.get(instance.units.get("time", ""))
    if per_hour is None:
        return f"{value:g}"
    hours, minutes = divmod(round(value / per_hour * 60.0), 60)
    return f"{value:g} ({hours:d}:{minutes:02d})"


def list_words(names: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    words = list(names)
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def upper(text: str) -> str:
    """Return a sentence with its first letter upper; names inside keep theirs."""
    return text[:1].upper() + text[1:]


def customers_words(names: Sequence[str]) -> str:
    """Return ``customer 7`` or ``customers 7 and 12``."""
    return f"customer{'s' if len(names) > 1 else ''} {list_words(names)}"


def of_vehicle(vehicle: int | None) -> str:
    """Return the words for one vehicle type, or for all."""
    return "each route" if vehicle is None else f"each route of vehicle {vehicle}"


def measure_words(name: str) -> str:
    """Return what an objective's measure means."""
    return MEASURES[name][0]
