"""A session as plain data: the file's text, what was changed, what was solved, what was said."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ....evaluators.routing import Plan, Route, RoutingError, RoutingInstance
from ..changes import AnyChange

VERSION = 1


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(_Plain):
    """One change that was applied; ``said`` is the text that led to it."""

    change: AnyChange
    said: str = ""


class RouteData(_Plain):
    """A route by names of the file, so that it outlives changes of rows."""

    stops: tuple[str, ...]
    vehicle: int = 0
    breaks: tuple[int, ...] = ()
    departures: tuple[float, ...] = ()


class Tried(_Plain):
    """A solver that gave nothing, and why."""

    solver: str
    why: str


class Solved(_Plain):
    """A verified plan for the problem as it stood after ``steps`` changes.

    ``source``: where the solver came from (``memory``, ``created``, ``reference``); ``claimed`` is
    what it says the plan costs, ``reference`` the values of the reference solver's plan; ``code``
    and ``description`` are of a created solver.
    """

    steps: int
    source: str
    solver: str
    routes: tuple[RouteData, ...]
    values: tuple[float, ...]
    seconds: float
    claimed: float | None = None
    reference: tuple[float, ...] | None = None
    reference_solver: str = ""
    notes: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()
    code: str = ""
    description: str = ""
    checked_by: Literal["vocabulary", "generated rules"] = "vocabulary"

    @property
    def gap(self) -> float | None:
        """How far the first level lies above the reference's, in per cent; None without one."""
        if self.reference is None or self.source == "reference" or self.reference[0] == 0:
            return None
        return 100.0 * (self.values[0] - self.reference[0]) / abs(self.reference[0])


class Turn(_Plain):
    """One line of the conversation."""

    who: Literal["user", "eurisko"]
    text: str


class SessionData(_Plain):
    """All of a session; nothing else is needed to restore it."""

    eurisko_session: int = VERSION
    path: str
    text: str
    form: str = "auto"
    options: dict[str, Any] = Field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    solved: tuple[Solved, ...] = ()
    history: tuple[Turn, ...] = ()


def routes_of(plan: Plan, instance: RoutingInstance) -> tuple[RouteData, ...]:
    """Return a plan's routes by names."""
    return tuple(
        RouteData(
            stops=tuple(instance.node_ids[stop] for stop in route.stops),
            vehicle=route.vehicle,
            breaks=route.breaks,
            departures=route.departures,
        )
        for route in plan.routes
    )


def plan_of(routes: tuple[RouteData, ...], instance: RoutingInstance) -> Plan:
    """Return routes by names as a plan of an instance.

    Raises:
        RoutingError: a stop is not in the instance.
    """
    rows = {name: row for row, name in enumerate(instance.node_ids)}
    missing = next((stop for route in routes for stop in route.stops if stop not in rows), None)
    if missing is not None:
        raise RoutingError(f"the plan visits {missing}, which is no longer part of the problem.")
    return Plan(
        tuple(
            Route(
                tuple(rows[stop] for stop in route.stops),
                route.vehicle,
                route.breaks,
                route.departures,
            )
            for route in routes
        )
    )
