"""What a constraint is: one rule with its words, evidence, check and probes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..instance import Bools, Floats, Kind, RoutingInstance, make_instance
from ..plan import Plan, Route
from ..trace import Trace

TOLERANCE = 1e-9  # relative to the limit: sums of decimals that equal it must pass


@dataclass(frozen=True)
class Violation:
    """The first place where a plan breaks a constraint; None where it concerns the whole plan."""

    constraint: str
    message: str
    route: int | None = None
    position: int | None = None
    node: int | None = None


@dataclass(frozen=True)
class Verdict:
    """``slack`` is the smallest margin in the constraint's unit, negative where it is broken.

    Rules without a margin have slack 0 when kept and minus the number of faults when broken;
    infinite slack: nothing is limited.
    """

    constraint: str
    slack: float
    violation: Violation | None = None

    @property
    def kept(self) -> bool:
        """Whether the plan keeps the constraint."""
        return self.violation is None


@dataclass(frozen=True, eq=False)
class Context:
    """What a check may look at. ``counts`` is how often each node is visited ``[N]``."""

    instance: RoutingInstance
    trace: Trace
    names: frozenset[str]

    @property
    def counts(self) -> np.ndarray:
        """Visits of each node ``[N]``."""
        visited = self.trace.stops[self.trace.mask]
        return np.bincount(visited, minlength=self.instance.size)

    def node(self, route: int, position: int) -> str:
        """Return the name of a stop's node."""
        return self.instance.node_ids[int(self.trace.stops[route, position])]

    @property
    def place(self) -> tuple[np.ndarray, np.ndarray]:
        """Route and position of each node ``[N]``, -1 where it is not visited."""
        route = np.full(self.instance.size, -1)
        position = np.full(self.instance.size, -1)
        rows, columns = np.nonzero(self.trace.mask)
        nodes = self.trace.stops[rows, columns]
        route[nodes], position[nodes] = rows, columns
        return route, position


@dataclass(frozen=True)
class Probe:
    """An instance on which the constraint binds, a plan that keeps all, one that breaks only it."""

    instance: RoutingInstance
    names: frozenset[str]
    accepted: Plan
    rejected: Plan


@dataclass(frozen=True)
class Constraint:
    """One rule of the vocabulary.

    ``evidence`` says what in an instance's data shows the rule (None: the data do not show it);
    ``check`` judges a plan's course.
    """

    name: str
    title: str
    description: str
    unit: str
    evidence: Callable[[RoutingInstance], str | None]
    check: Callable[[Context], Verdict]
    probe: Callable[[], Probe]


def tolerance(limit: Floats | float) -> Floats:
    """Return how far a limit may be passed by rounding of sums."""
    finite = np.where(np.isfinite(limit), np.abs(limit), 1.0)
    return np.asarray(TOLERANCE * np.maximum(1.0, finite))


def judge(
    name: str, slack: Floats, limit: Floats | float, say: Callable[[tuple[int, ...]], Violation]
) -> Verdict:
    """Return the verdict of an array of margins; the first negative one is the violation.

    Args:
        name: the constraint.
        slack: margins ``[R, …]``, in order of routes and positions.
        limit: what they are margins of, for the tolerance; broadcasts to ``slack``.
        say: makes the violation from the index of the first broken margin.
    """
    if slack.size == 0:
        return Verdict(name, float("inf"))
    broken = slack < -tolerance(limit)
    least = float(slack.min())
    if not broken.any():
        return Verdict(name, max(least, 0.0))
    first = tuple(int(index) for index in np.argwhere(broken)[0])
    return Verdict(name, least, say(first))


def faults(name: str, broken: Bools, say: Callable[[tuple[int, ...]], Violation]) -> Verdict:
    """Return the verdict of a rule without margins; the first fault is the violation."""
    if not broken.any():
        return Verdict(name, 0.0)
    first = tuple(int(index) for index in np.argwhere(broken)[0])
    return Verdict(name, -float(broken.sum()), say(first))


def line_instance(places: ArrayLike, **given: Any) -> RoutingInstance:
    """Return a small instance of nodes on a line, the first a depot; for probes."""
    x = np.asarray(places, dtype=np.float64)
    kinds = given.pop("kinds", [Kind.DEPOT] + [Kind.CUSTOMER] * (len(x) - 1))
    distances = np.abs(x[:, None] - x[None, :])
    return make_instance(kinds, distances, coordinates=np.stack([x, 0 * x], axis=1), **given)


def plan(*routes: tuple[int, ...], vehicles: tuple[int, ...] = ()) -> Plan:
    """Return a plan from full routes; for probes."""
    types = vehicles or (0,) * len(routes)
    return Plan(tuple(Route(stops, kind) for stops, kind in zip(routes, types, strict=True)))


BASIC = frozenset({"visit", "depot", "closed"})
OPEN = frozenset({"visit", "depot", "open"})
