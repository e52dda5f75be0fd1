"""Typed changes of a routing problem: plain data with an effect and a sentence."""

from typing import Annotated

from pydantic import Field, TypeAdapter

from .base import Change, RoutingTask, known_unit, row_of, shown_rules, time_of_day
from .customers import (
    Demand,
    DropCustomers,
    Optional,
    Release,
    Required,
    ServiceTime,
    Windows,
)
from .fleet import Capacity, FleetSize, Shift, Trips, VehicleCost
from .generated import Generated
from .relations import Incompatible, Lifo, Pair, Precedence, SiteRule, Skill
from .routes import (
    Breaks,
    LoadRule,
    ObjectiveOrder,
    ReturnRule,
    Rounding,
    RouteLimit,
    Speed,
    Units,
    Without,
)

CHANGES: tuple[type[Change], ...] = (
    *(RouteLimit, Breaks, ReturnRule, LoadRule, ObjectiveOrder, Rounding, Speed, Units, Without),
    *(FleetSize, Capacity, Shift, VehicleCost, Trips),
    *(Windows, ServiceTime, Demand, Optional, Required, DropCustomers, Release),
    *(Incompatible, Precedence, Pair, Lifo, SiteRule, Skill),
)

AnyChange = Annotated[
    RouteLimit
    | Breaks
    | ReturnRule
    | LoadRule
    | ObjectiveOrder
    | Rounding
    | Speed
    | Units
    | Without
    | FleetSize
    | Capacity
    | Shift
    | VehicleCost
    | Trips
    | Windows
    | ServiceTime
    | Demand
    | Optional
    | Required
    | DropCustomers
    | Release
    | Incompatible
    | Precedence
    | Pair
    | Lifo
    | SiteRule
    | Skill
    | Generated,
    Field(discriminator="kind"),
]

ANY_CHANGE: TypeAdapter[Change] = TypeAdapter(AnyChange)

__all__ = [
    "ANY_CHANGE",
    "CHANGES",
    "AnyChange",
    "Breaks",
    "Capacity",
    "Change",
    "Demand",
    "DropCustomers",
    "FleetSize",
    "Generated",
    "Incompatible",
    "Lifo",
    "LoadRule",
    "ObjectiveOrder",
    "Optional",
    "Pair",
    "Precedence",
    "Release",
    "Required",
    "ReturnRule",
    "Rounding",
    "RouteLimit",
    "RoutingTask",
    "ServiceTime",
    "Shift",
    "SiteRule",
    "Skill",
    "Speed",
    "Trips",
    "Units",
    "VehicleCost",
    "Windows",
    "Without",
    "known_unit",
    "row_of",
    "shown_rules",
    "time_of_day",
]
