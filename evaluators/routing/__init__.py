"""Vehicle-routing data: file readers, constraints, checkers."""

from .instance import Battery, Fleet, Kind, RoutingError, RoutingInstance, make_fleet, make_instance
from .plan import Plan, Route, plan_of_customers, read_solution
from .read import parse_routing, read_routing
from .reading import FileFacts, Reading
from .tsplib import TsplibError, TsplibInstance, TsplibTour, read_instance, read_tour

__all__ = [
    "Battery",
    "FileFacts",
    "Fleet",
    "Kind",
    "Plan",
    "Reading",
    "Route",
    "RoutingError",
    "RoutingInstance",
    "TsplibError",
    "TsplibInstance",
    "TsplibTour",
    "make_fleet",
    "make_instance",
    "parse_routing",
    "plan_of_customers",
    "read_instance",
    "read_routing",
    "read_solution",
    "read_tour",
]
