"""A conversation about one routing problem, free of any terminal."""

from .data import RouteData, SessionData, Solved, Step, Tried, Turn
from .session import Changed, NoPlan, RoutingSession
from .sources import Answer, Listener, Request, Source

__all__ = [
    "Answer",
    "Changed",
    "Listener",
    "NoPlan",
    "Request",
    "RouteData",
    "RoutingSession",
    "SessionData",
    "Solved",
    "Source",
    "Step",
    "Tried",
    "Turn",
]
