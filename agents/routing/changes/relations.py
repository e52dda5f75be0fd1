"""Changes that relate customers to one another and to vehicles."""

from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
from pydantic import Field

from ....evaluators.routing import RoutingError
from .base import Change, RoutingTask, changed, customers_words, list_words, row_of, rows_of, upper
from .vehicles import parted

Names = tuple[str, ...]


class Incompatible(Change):
    """Customers of whom no two may be in one vehicle."""

    kind: Literal["incompatible"] = "incompatible"
    customers: Names = Field(min_length=2)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Add the pairs."""
        rows = rows_of(task.instance, self.customers)
        if len(rows) < 2:
            raise RoutingError("that names one customer only.")
        old = {tuple(sorted(map(int, pair))) for pair in task.instance.incompatible}
        new = [pair for pair in combinations(sorted(rows), 2) if pair not in old]
        table = np.array(new, dtype=np.int64).reshape(-1, 2)
        return task.with_data(incompatible=np.concatenate([task.instance.incompatible, table]))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        which = "" if len(self.customers) == 2 else "no two of "
        verb = "are never" if len(self.customers) == 2 else "are ever"
        text = f"{which}{customers_words(self.customers)} {verb} in one vehicle."
        return upper(text)


class Precedence(Change):
    """One customer is served before another."""

    kind: Literal["precedence"] = "precedence"
    before: str
    after: str

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Add the precedence."""
        pair = [row_of(task.instance, self.before), row_of(task.instance, self.after)]
        if pair[0] == pair[1]:
            raise RoutingError("a customer cannot come before itself.")
        return task.with_data(precedence=np.concatenate([task.instance.precedence, [pair]]))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        return (
            f"Customer {self.before} is served before customer {self.after}: by order in one route, "
            "by time between routes."
        )


class Pair(Change):
    """What one customer gives is brought to the other by the same vehicle."""

    kind: Literal["pair"] = "pair"
    pickup: str
    delivery: str

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Add the pair; the amount is what the receiver's demand says."""
        instance = task.instance
        one, other = row_of(instance, self.pickup), row_of(instance, self.delivery)
        if one == other:
            raise RoutingError("a customer cannot deliver to itself.")
        taken = next((row for row in (one, other) if (instance.pairs == row).any()), None)
        if taken is not None:
            raise RoutingError(f"customer {instance.node_ids[taken]} is in a pair already.")
        deliveries = changed(instance.deliveries, one, 0.0)
        pickups = changed(instance.pickups, other, 0.0)
        pickups[one] = instance.deliveries[other]
        pairs = np.concatenate([instance.pairs, [[one, other]]])
        return task.with_data(pairs=pairs, deliveries=deliveries, pickups=pickups)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        row = row_of(task.instance, self.delivery)
        load = ", ".join(f"{one:g}" for one in task.instance.deliveries[row])
        return (
            f"A vehicle picks up {load} at customer {self.pickup} and then brings it to customer "
            f"{self.delivery}; customer {self.pickup} receives nothing from the depot."
        )


class Lifo(Change):
    """Whether loads of pairs are unloaded last in, first out."""

    kind: Literal["lifo"] = "lifo"
    on: bool = True

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the rule."""
        if self.on and not len(task.instance.pairs):
            raise RoutingError(
                "there are no pickup and delivery pairs to unload last in, first out."
            )
        return task.with_data(lifo=self.on)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        if self.on:
            return "What was loaded last is unloaded first (last in, first out)."
        return "Loads may be unloaded in any order."


class SiteRule(Change):
    """Which vehicles may (``only``) or may not visit customers."""

    kind: Literal["site_rule"] = "site_rule"
    customers: Names = Field(min_length=1)
    vehicles: tuple[int, ...] = Field(min_length=1)
    only: bool = True

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set who may visit them; one type of several vehicles is parted first."""
        rows = rows_of(task.instance, self.customers)
        fleet = parted(task.instance.fleet, self.vehicles)
        named = np.isin(np.arange(fleet.types), [number - 1 for number in self.vehicles])
        allowed = np.array(fleet.allowed)
        for row in rows:
            allowed[:, row] &= named if self.only else ~named
        alone = next((row for row in rows if not allowed[:, row].any()), None)
        if alone is not None:
            name = task.instance.node_ids[alone]
            raise RoutingError(f"then no vehicle could visit customer {name}.")
        return task.with_data(fleet=replace(fleet, allowed=allowed))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = (
            f"vehicle{'s' * (len(self.vehicles) > 1)} {list_words([str(v) for v in self.vehicles])}"
        )
        if self.only:
            return f"Only {who} may visit {customers_words(self.customers)}."
        return f"{who.capitalize()} may not visit {customers_words(self.customers)}."


class Skill(Change):
    """Customers need something that only some vehicles have."""

    kind: Literal["skill"] = "skill"
    customers: Names = Field(min_length=1)
    vehicles: tuple[int, ...] = Field(min_length=1)
    skill: str = Field(min_length=1, max_length=40)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Add the skill."""
        rows = rows_of(task.instance, self.customers)
        fleet = parted(task.instance.fleet, self.vehicles)
        needs = np.isin(np.arange(task.instance.size), rows)[:, None]
        owns = np.isin(np.arange(fleet.types), [number - 1 for number in self.vehicles])[:, None]
        return task.with_data(
            skills=np.concatenate([task.instance.skills, needs], axis=1),
            fleet=replace(fleet, skills=np.concatenate([fleet.skills, owns], axis=1)),
        )

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = list_words([str(number) for number in self.vehicles])
        several = len(self.customers) > 1
        return (
            f"{upper(customers_words(self.customers))} {'need' if several else 'needs'} "
            f"{self.skill!r}, which only vehicle{'s' * (len(self.vehicles) > 1)} {who} "
            f"{'have' if len(self.vehicles) > 1 else 'has'}."
        )
