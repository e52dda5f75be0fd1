"""Changes of vehicles: how many, how large, when, at what cost, with how many trips."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from ....evaluators.routing import RoutingError
from ....evaluators.routing.instance import UNLIMITED
from .base import Change, RoutingTask, amount, changed, of_vehicle, time_of_day, upper
from .vehicles import fleet_for


class FleetSize(Change):
    """How many vehicles there are at most (of one type); ``None`` is as many as wanted."""

    kind: Literal["fleet_size"] = "fleet_size"
    count: int | None = Field(default=None, ge=1)
    vehicle: int | None = None
    answers: ClassVar[str] = "fleet_size"

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the number."""
        fleet = task.instance.fleet
        if self.vehicle is None and fleet.types > 1 and self.count is not None:
            raise RoutingError(
                f"the fleet has {fleet.types} vehicle types; say of which there are {self.count}, "
                "such as 'at most 2 vehicles of type 1'."
            )
        if self.vehicle is not None and not 1 <= self.vehicle <= fleet.types:
            raise RoutingError(f"vehicle types are numbered 1 to {fleet.types}.")
        index = slice(None) if self.vehicle is None else [self.vehicle - 1]
        count = UNLIMITED if self.count is None else self.count
        return task.with_fleet(fleet, available=changed(fleet.available, index, count))

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        kind = "" if self.vehicle is None else f" of type {self.vehicle}"
        if self.count is None:
            return f"There are as many vehicles{kind} as wanted."
        if self.count == 1:
            return f"There is one vehicle{kind}."
        return f"There are at most {self.count} vehicles{kind}."


class Capacity(Change):
    """What a vehicle holds, in one load dimension; ``None`` lifts the limit."""

    kind: Literal["capacity"] = "capacity"
    capacity: float | None = Field(default=None, ge=0)
    dimension: int = Field(default=1, ge=1)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the capacity."""
        instance = task.instance
        if self.dimension > instance.load_dimensions:
            raise RoutingError(f"loads have {instance.load_dimensions} dimensions.")
        fleet, index = fleet_for(instance, self.vehicle)
        table = np.array(fleet.capacity)
        table[index, self.dimension - 1] = np.inf if self.capacity is None else self.capacity
        return task.with_fleet(fleet, capacity=table)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = "A vehicle" if self.vehicle is None else f"Vehicle {self.vehicle}"
        where = f" in load dimension {self.dimension}" if task.instance.load_dimensions > 1 else ""
        if self.capacity is None:
            return f"{who} holds any amount{where}."
        return f"{who} holds at most {amount(task.instance, self.capacity, 'load')}{where}."


class Shift(Change):
    """When vehicles leave at the earliest and are back at the latest; ``None`` leaves an end as is."""

    kind: Literal["shift"] = "shift"
    earliest: float | None = Field(default=None, ge=0)
    latest: float | None = Field(default=None, ge=0)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the ends that are given."""
        fleet, index = fleet_for(task.instance, self.vehicle)
        shift = np.array(fleet.shift)
        for place, value in enumerate((self.earliest, self.latest)):
            if value is not None:
                shift[index, place] = value
        if (shift[:, 0] > shift[:, 1]).any():
            raise RoutingError("a shift ends before it begins.")
        return task.with_fleet(fleet, shift=shift)

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        words = []
        if self.earliest is not None:
            words.append(f"leaves its depot not before {time_of_day(task.instance, self.earliest)}")
        if self.latest is not None:
            words.append(f"is back, where it returns, by {time_of_day(task.instance, self.latest)}")
        return f"{upper(of_vehicle(self.vehicle))} {' and '.join(words) or 'keeps its shift'}."


class VehicleCost(Change):
    """What a vehicle costs when it is used, per distance and per time; ``None`` leaves it."""

    kind: Literal["vehicle_cost"] = "vehicle_cost"
    fixed: float | None = Field(default=None, ge=0)
    distance: float | None = Field(default=None, ge=0)
    duration: float | None = Field(default=None, ge=0)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the costs."""
        fleet, index = fleet_for(task.instance, self.vehicle)
        given = {"fixed": self.fixed, "distance": self.distance, "duration": self.duration}
        return task.with_fleet(
            fleet,
            **{
                f"{key}_cost": changed(getattr(fleet, f"{key}_cost"), index, value)
                for key, value in given.items()
                if value is not None
            },
        )

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        given = (
            (self.fixed, "when used"),
            (self.distance, "per distance"),
            (self.duration, "per time"),
        )
        words = [f"{value:g} {what}" for value, what in given if value is not None]
        who = "A vehicle" if self.vehicle is None else f"Vehicle {self.vehicle}"
        return f"{who} costs {', '.join(words) or 'what it cost'}."


class Trips(Change):
    """How many trips a vehicle may make, reloading at its depot; ``None`` is any number."""

    kind: Literal["trips"] = "trips"
    trips: int | None = Field(default=None, ge=1)
    vehicle: int | None = None

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Set the number of trips and open the depots for reloads."""
        fleet, index = fleet_for(task.instance, self.vehicle)
        depots = np.zeros(task.instance.size, dtype=bool)
        depots[task.instance.depots] = True
        return task.with_fleet(
            fleet,
            max_trips=changed(
                fleet.max_trips, index, UNLIMITED if self.trips is None else self.trips
            ),
            reload_depots=changed(fleet.reload_depots, index, depots),
        )

    def sentence(self, task: RoutingTask) -> str:
        """Say it."""
        who = "a vehicle" if self.vehicle is None else f"vehicle {self.vehicle}"
        if self.trips == 1:
            return f"Reloading ends: {who} makes one trip."
        count = "any number of trips" if self.trips is None else f"at most {self.trips} trips"
        return f"On one route {who} may make {count}, reloading at a depot."
