"""Changes of single customers: windows, service, demand, whether they are served at all."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ....evaluators.routing import Fleet, Kind, RoutingError, RoutingInstance
from .base import (
    Change,
    RoutingTask,
    amount,
    changed,
    customers_words,
    list_words,
    row_of,
    rows_of,
    time_of_day,
    upper,
)

Names = tuple[str, ...]


class Windows(Change):
    """When service of customers may start, or depots are open; several intervals are alternatives,
    none lifts the limit.
    """

    kind: Literal["windows"] = "windows"
    customers: Names = Field(min_length=1)
    intervals: tuple[tuple[float | None, float | None], ...] = ()

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Replace the windows of the customers."""
        instance = task.instance
        rows = [row_of(instance, name, customer=False) for name in self.customers]
        pairs = sorted(
            (0.0 if low is None else low, np.inf if high is None else high)
            for low, high in (self.intervals or ((None, None),))
        )
        if any(low > high for low, high in pairs):
            raise RoutingError("a window closes before it opens.")
        most = max(instance.windows.shape[1], len(pairs))
        windows = np.empty((instance.size, most, 2))
        windows[:] = (np.inf, -np.inf)
        windows[:, : instance.windows.shape[1]] = instance.windows
        windows[rows] = (np.inf, -np.inf)
        windows[np.ix_(rows, range(len(pairs)))] = np.array(pairs)
        return task.with_data(windows=windows)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        instance = task.instance
        words = [_interval(instance, low, high) for low, high in self.intervals]
        when = " or ".join(words) or "at any time"
        rows = [row_of(instance, name, customer=False) for name in self.customers]
        if (instance.kinds[rows] == Kind.DEPOT).all():
            several = len(rows) > 1
            verb = "are" if several else "is"
            return f"Depot{'s' * several} {list_words(self.customers)} {verb} open {when}."
        verb = "starts" if words else "may start"
        return f"The service of {customers_words(self.customers)} {verb} {when}."


def _interval(instance: RoutingInstance, low: float | None, high: float | None) -> str:
    if high is None:
        return f"not before {time_of_day(instance, low or 0.0)}"
    if low is None:
        return f"by {time_of_day(instance, high)}"
    return f"between {time_of_day(instance, low)} and {time_of_day(instance, high)}"


class ServiceTime(Change):
    """Time at customers; no names: at all of them."""

    kind: Literal["service_time"] = "service_time"
    customers: Names = ()
    time: float = Field(ge=0)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the service times."""
        rows = rows_of(task.instance, self.customers)
        index = rows if self.customers else task.instance.customers
        return task.with_data(service=changed(task.instance.service, index, self.time))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = customers_words(self.customers) if self.customers else "each customer"
        return f"Service at {who} takes {amount(task.instance, self.time, 'time')}."


class Demand(Change):
    """What customers receive (or give), in one load dimension."""

    kind: Literal["demand"] = "demand"
    customers: Names = Field(min_length=1)
    amount: float = Field(ge=0)
    pickup: bool = False
    dimension: int = Field(default=1, ge=1)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the demands."""
        instance = task.instance
        if self.dimension > instance.load_dimensions:
            raise RoutingError(f"loads have {instance.load_dimensions} dimensions.")
        field = "pickups" if self.pickup else "deliveries"
        table = np.array(getattr(instance, field))
        table[rows_of(instance, self.customers), self.dimension - 1] = self.amount
        return task.with_data(**{field: table})

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        verb = "give" if self.pickup else "receive"
        load = amount(task.instance, self.amount, "load")
        if len(self.customers) == 1:
            return f"Customer {self.customers[0]} {verb}s {load}."
        return f"{upper(customers_words(self.customers))} {verb} {load} each."


class Optional(Change):
    """Customers may be left out, at a penalty (a prize not collected); no names: all of them."""

    kind: Literal["optional"] = "optional"
    customers: Names = ()
    penalty: float = Field(default=0.0, ge=0)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Make them optional."""
        instance = task.instance
        rows = rows_of(instance, self.customers) if self.customers else list(instance.customers)
        return task.with_data(
            required=changed(task.instance.required, rows, False),
            prizes=changed(task.instance.prizes, rows, self.penalty),
        )

    def sentence(self, task: RoutingTask) -> str:
        """Say it, with the usual surprise."""
        several = len(self.customers) != 1
        who = customers_words(self.customers) if self.customers else "all customers"
        text = f"{upper(who)} {'are' if several else 'is'} optional"
        if self.penalty > 0:
            return f"{text}; leaving {'each' if several else 'it'} out costs {self.penalty:g}."
        return (
            f"{text} at no penalty: a solver leaves {'them' if several else 'it'} out wherever that "
            "is cheaper."
        )


class Required(Change):
    """Customers must be visited; no names: all of them."""

    kind: Literal["required"] = "required"
    customers: Names = ()

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Make them required."""
        instance = task.instance
        rows = rows_of(instance, self.customers) if self.customers else list(instance.customers)
        grouped = {node for group in instance.groups for node in group}
        taken = next((row for row in rows if row in grouped), None)
        if taken is not None and self.customers:
            name = instance.node_ids[taken]
            raise RoutingError(f"customer {name} belongs to a group of which one is visited.")
        rows = [row for row in rows if row not in grouped]
        return task.with_data(required=changed(instance.required, rows, True))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = customers_words(self.customers) if self.customers else "every customer"
        return f"A plan must visit {who}."


class DropCustomers(Change):
    """Customers are no longer part of the problem."""

    kind: Literal["drop"] = "drop"
    customers: Names = Field(min_length=1)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Take the rows out; relations to them go, except pairs, which must go whole."""
        instance = task.instance
        rows = rows_of(instance, self.customers)
        if len(rows) == len(instance.customers):
            raise RoutingError("that would leave no customer.")
        if task.extra:
            label = task.extra[0].label
            raise RoutingError(f"{label} may count on the rows of customers; undo it first.")
        keep = np.ones(instance.size, dtype=bool)
        keep[rows] = False
        for pair in instance.pairs:
            if keep[pair].sum() == 1:
                names = [instance.node_ids[int(node)] for node in pair]
                raise RoutingError(f"{names[0]} and {names[1]} are a pair; drop both.")
        return task.with_data(**_without_rows(instance, keep))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        several = len(self.customers) > 1
        who = upper(customers_words(self.customers))
        return f"{who} {'are' if several else 'is'} taken out of the problem."


def _without_rows(instance: RoutingInstance, keep: Any) -> dict[str, Any]:
    """Return the fields of an instance with only some of its nodes ``keep [N]``."""
    place = np.cumsum(keep) - 1
    fields: dict[str, Any] = {
        key: getattr(instance, key)[keep]
        for key in (
            *("kinds", "deliveries", "pickups", "windows", "service"),
            *("release", "prizes", "required", "skills"),
        )
    }
    for key in ("distances", "durations"):
        fields[key] = getattr(instance, key)[np.ix_(keep, keep)]
    for key in ("pairs", "precedence", "incompatible"):
        table = getattr(instance, key)
        fields[key] = place[table[keep[table].all(axis=1)]].reshape(-1, 2)
    if instance.coordinates is not None:
        fields["coordinates"] = instance.coordinates[keep]
    fields["node_ids"] = tuple(
        name for name, kept in zip(instance.node_ids, keep, strict=True) if kept
    )
    groups = (tuple(int(place[node]) for node in group if keep[node]) for group in instance.groups)
    fields["groups"] = tuple(group for group in groups if group)
    fields["fleet"] = _fleet_without(instance.fleet, keep, place)
    return fields


def _fleet_without(fleet: Fleet, keep: Any, place: Any) -> Fleet:
    depots = {
        key: np.where(getattr(fleet, key) >= 0, place[getattr(fleet, key)], getattr(fleet, key))
        for key in ("start_depot", "end_depot")
    }
    return replace(
        fleet, allowed=fleet.allowed[:, keep], reload_depots=fleet.reload_depots[:, keep], **depots
    )


class Release(Change):
    """When the goods of customers are ready at the depot."""

    kind: Literal["release"] = "release"
    customers: Names = Field(min_length=1)
    time: float = Field(ge=0)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the release times."""
        rows = [row_of(task.instance, name) for name in self.customers]
        return task.with_data(release=changed(task.instance.release, rows, self.time))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        when = time_of_day(task.instance, self.time)
        return f"Goods for {customers_words(self.customers)} leave the depot not before {when}."
