"""Changes of what routes may do: limits, return, breaks, rounding, and rules taken away."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from ....evaluators.routing import RoutingError
from ....evaluators.routing.constraints import VOCABULARY
from ....evaluators.routing.instance import UNLIMITED
from ....evaluators.routing.rounding import ROUNDINGS, euclidean
from .base import (
    Change,
    RoutingTask,
    amount,
    changed,
    list_words,
    measure_words,
    of_vehicle,
)
from .vehicles import fleet_for

_LIMITS = {
    "duration": ("max_duration", "time", "lasts", "from departure to return, waiting included"),
    "driving": ("max_driving", "time", "is at the wheel for", "waiting and service do not count"),
    "distance": ("max_distance", "distance", "is", "the way back counts where routes return"),
}


class RouteLimit(Change):
    """A limit of each route's duration, time at the wheel or length; ``None`` lifts it."""

    kind: Literal["route_limit"] = "route_limit"
    measure: Literal["duration", "driving", "distance"]
    limit: float | None = Field(default=None, ge=0)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the limit."""
        field = _LIMITS[self.measure][0]
        fleet, index = fleet_for(task.instance, self.vehicle)
        limit = np.inf if self.limit is None else self.limit
        return task.with_fleet(fleet, **{field: changed(getattr(fleet, field), index, limit)})

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        _, unit, verb, note = _LIMITS[self.measure]
        if self.limit is None:
            return f"The {self.measure} of {of_vehicle(self.vehicle)} is no longer limited."
        limit = amount(task.instance, self.limit, unit)
        which = of_vehicle(self.vehicle).capitalize()
        return f"{which} {verb} at most {limit}{' long' * (unit == 'distance')} ({note})."


class Breaks(Change):
    """A break before the time at the wheel since the last one exceeds ``after``."""

    kind: Literal["breaks"] = "breaks"
    after: float = Field(gt=0)
    length: float = Field(gt=0)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the limit of unbroken driving and the length of a break."""
        fleet, index = fleet_for(task.instance, self.vehicle)
        return task.with_fleet(
            fleet,
            max_driving_unbroken=changed(fleet.max_driving_unbroken, index, self.after),
            break_length=changed(fleet.break_length, index, self.length),
        )

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        after, length = (amount(task.instance, one, "time") for one in (self.after, self.length))
        which = of_vehicle(self.vehicle)
        return f"On {which} a driver rests {length} after at most {after} of driving."


class ReturnRule(Change):
    """Whether vehicles return."""

    kind: Literal["return"] = "return"
    rule: Literal["closed", "open"]
    answers: ClassVar[str] = "return"

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the rule."""
        return replace(task, names=(task.names - {"closed", "open"}) | {self.rule})

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        if self.rule == "open":
            return "Routes end at their last customer; the way back does not count."
        return "Routes end at a depot; the way back counts."


class LoadRule(Change):
    """How deliveries and pickups share a vehicle."""

    kind: Literal["load_rule"] = "load_rule"
    rule: Literal["backhaul", "mixed_backhaul", "mixed_backhaul_staged"]
    answers: ClassVar[str] = "load_rule"

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the rule."""
        if not task.instance.pickups.any():
            raise RoutingError("no customer has anything to pick up, so there is no load rule.")
        rules = {"backhaul", "mixed_backhaul", "mixed_backhaul_staged"}
        return replace(task, names=(task.names - rules) | {self.rule})

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        return VOCABULARY[self.rule].description


class ObjectiveOrder(Change):
    """What is minimised first, second, …"""

    kind: Literal["objective"] = "objective"
    order: tuple[str, ...] = Field(min_length=1)
    answers: ClassVar[str] = "objective"

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the order; the objective checks the names."""
        ordered = replace(task, order=self.order)
        _ = ordered.objective
        return ordered

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        words = [f"{name} ({measure_words(name)})" for name in self.order]
        return f"Minimise {', then '.join(words)}."


class Rounding(Change):
    """How Euclidean distances are rounded; travel times keep their ratio to distances."""

    kind: Literal["rounding"] = "rounding"
    rule: str
    answers: ClassVar[str] = "rounding"

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Compute the distances again."""
        instance = task.instance
        if instance.coordinates is None or task.rounding not in ROUNDINGS:
            raise RoutingError("the distances do not come from coordinates by a rounding rule.")
        distances = euclidean(instance.coordinates, self.rule)
        distances = np.where(np.isfinite(instance.distances), distances, np.inf)
        speed = _speed(instance.distances, instance.durations)
        again = replace(task, rounding=self.rule)
        return again.with_data(distances=distances, durations=distances / speed)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        words = ROUNDINGS[self.rule][0] if self.rule in ROUNDINGS else self.rule
        return f"Distances are taken {words}."


def _speed(distances: Any, durations: Any) -> float:
    """Return the one speed that leads from distances to times.

    Raises:
        RoutingError: there is none.
    """
    moving = np.isfinite(distances) & (distances > 0) & np.isfinite(durations)
    if np.array_equal(distances, durations) or not moving.any():
        return 1.0
    ratios = durations[moving] / distances[moving]
    if not np.allclose(ratios, ratios[0], rtol=1e-9) or ratios[0] <= 0:
        raise RoutingError("travel times are given apart from distances; rounding would part them.")
    return float(1.0 / ratios[0])


class Speed(Change):
    """Travel times follow from distances at this speed."""

    kind: Literal["speed"] = "speed"
    speed: float = Field(gt=0)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Compute the travel times again."""
        return task.with_data(durations=task.instance.distances / self.speed)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        return f"Vehicles travel {self.speed:g} units of distance in a unit of time."


class Units(Change):
    """What the file's numbers mean; nothing is converted."""

    kind: Literal["units"] = "units"
    time: Literal["", "s", "min", "h"] = ""
    distance: Literal["", "m", "km", "mi"] = ""
    load: str = Field(default="", max_length=40)

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Note the units."""
        given = {key: value for key, value in self._given().items() if value}
        instance = replace(task.instance, units={**task.instance.units, **given})
        return replace(task, instance=instance)

    def _given(self) -> dict[str, str]:
        return {"time": self.time, "distance": self.distance, "load": self.load}

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        words = [f"{key} in {unit}" for key, unit in self._given().items() if unit]
        return f"The file's numbers give {list_words(words)}; nothing is converted."


def _lift(field: str, value: Any) -> Callable[[RoutingTask], RoutingTask]:
    def lift(task: RoutingTask) -> RoutingTask:
        old = getattr(task.instance.fleet, field)
        return task.with_fleet(task.instance.fleet, **{field: np.full_like(old, value)})

    return lift


def _no_windows(task: RoutingTask) -> RoutingTask:
    shift = np.tile((0.0, np.inf), (task.instance.fleet.types, 1))
    windows = np.tile((0.0, np.inf), (task.instance.size, 1, 1))
    return task.with_data(windows=windows, fleet=replace(task.instance.fleet, shift=shift))


def _emptied(field: str, value: Any) -> Callable[[RoutingTask], RoutingTask]:
    return lambda task: task.with_data(**{field: value})


_NONE = np.zeros((0, 2), dtype=np.int64)
_WITHOUT: dict[str, Callable[[RoutingTask], RoutingTask]] = {
    "capacity": _lift("capacity", np.inf),
    "fleet": _lift("available", UNLIMITED),
    "time_windows": _no_windows,
    "distance_limit": _lift("max_distance", np.inf),
    "duration_limit": _lift("max_duration", np.inf),
    "driving_limit": _lift("max_driving", np.inf),
    "breaks": _lift("max_driving_unbroken", np.inf),
    "site_dependence": _lift("allowed", True),
    "skills": lambda task: task.with_data(skills=np.zeros_like(task.instance.skills)),
    "incompatible": _emptied("incompatible", _NONE),
    "precedence": _emptied("precedence", _NONE),
    "lifo": _emptied("lifo", False),
    "release_times": lambda task: task.with_data(release=np.zeros(task.instance.size)),
    "reloads": _lift("max_trips", 1),
}


class Without(Change):
    """Take a rule away, by taking away the data that show it."""

    kind: Literal["without"] = "without"
    rule: str

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Take it away."""
        if self.rule not in _WITHOUT:
            able = list_words(sorted(_WITHOUT))
            raise RoutingError(f"the rule {self.rule!r} cannot be taken away; these can: {able}.")
        if self.rule not in task.names:
            raise RoutingError(f"the rule {self.rule!r} is not part of the problem.")
        return _WITHOUT[self.rule](task)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        title = VOCABULARY[self.rule].title if self.rule in VOCABULARY else self.rule
        return f"The rule '{title}' no longer holds."
