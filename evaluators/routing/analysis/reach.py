"""Can each customer be served alone: ways, limits, windows, energy; units and magnitudes."""

import numpy as np

from ..instance import Bools, Floats, Kind, RoutingInstance
from .findings import named
from .results import Finding, Severity

_MANY = 0.2  # of the customers: that so many cannot be served is a mistake of units
_METRIC_NODES = 300
_COARSE = 10.0  # rounding to integers changes distances below this by 5 % and more


def reach_findings(instance: RoutingInstance, closed: bool) -> list[Finding]:
    """Return customers that no route of their own can serve, with the reason."""
    customers = instance.kinds == Kind.CUSTOMER
    depots = instance.depots
    out = instance.distances[depots].min(axis=0)
    back = instance.distances[:, depots].min(axis=1) if closed else np.zeros(instance.size)
    found = _windows(instance, closed)
    if not len(instance.precedence):
        home = _through(instance, False) if closed else back
        lost = customers & ~(np.isfinite(_through(instance, True)) & np.isfinite(home))
        found += _say(instance, lost, "unreachable", "no way leads from the depot and back")
    if instance.battery is None:
        limit = float(instance.fleet.max_distance.max())
        far = customers & (out + back > limit * (1 + 1e-9)) & np.isfinite(out + back)
        found += _say(instance, far, "distance", f"alone, a route is longer than {limit:g}")
    else:
        found += _say(
            instance, customers & ~_charged(instance, closed), "energy", "the battery does not last"
        )
    return found


def _say(instance: RoutingInstance, mask: Bools, topic: str, why: str) -> list[Finding]:
    if not mask.any():
        return []
    message = f"{int(mask.sum())} customers cannot be served: {why}"
    return [Finding(Severity.ERROR, topic, message, named(instance, mask))]


def _through(instance: RoutingInstance, outward: bool) -> Floats:
    """Shortest ways from the depots, by Bellman's iteration (few rounds where arcs are missing)."""
    matrix = instance.distances if outward else instance.distances.T
    way: Floats = matrix[instance.depots].min(axis=0)
    for _ in range(instance.size):
        if np.isfinite(way).all():
            return way
        shorter = np.minimum(way, (way[:, None] + matrix).min(axis=0))
        if np.array_equal(shorter, way):
            return way
        way = shorter
    return way


def _windows(instance: RoutingInstance, closed: bool) -> list[Finding]:
    """Check windows against travel times from and to the depot."""
    opening, closing = instance.windows[:, :, 0], instance.windows[:, :, 1]
    used = opening < np.inf
    reversed_: Bools = np.any(used & (opening > closing), axis=1)
    found = _say(instance, reversed_, "windows", "a window closes before it opens")
    customers = instance.kinds == Kind.CUSTOMER
    depots = instance.depots
    leave = np.maximum(opening[depots, 0], instance.fleet.shift[:, 0].min())
    arrive = (leave[:, None] + instance.durations[depots]).min(axis=0)
    last = np.where(used, closing, -np.inf).max(axis=1)
    late = customers & (arrive > last * (1 + 1e-9)) & np.isfinite(arrive)
    home = np.full(instance.size, -np.inf)
    if closed and not instance.stations.size:
        starts = np.where(
            used & (closing >= arrive[:, None]), np.maximum(opening, arrive[:, None]), np.inf
        )
        begin = np.where(late, arrive, starts.min(axis=1)) + instance.service
        shut = np.minimum(closing[depots].max(axis=1), instance.fleet.shift[:, 1].max())
        home = (begin[:, None] + instance.durations[:, depots] - shut[None, :]).min(axis=1)
    tardy = customers & ~late & (home > 1e-9) & np.isfinite(home)
    share = float((late | tardy)[customers].mean()) if customers.any() else 0.0
    if share > _MANY:
        longest = float(instance.durations[np.isfinite(instance.durations)].max())
        horizon = float(last[np.isfinite(last)].max(initial=0.0))
        message = (
            f"{share:.0%} of the customers cannot be reached in time: travel takes up to "
            f"{longest:g}, windows end by {horizon:g}; are the units of time the same?"
        )
        found.append(Finding(Severity.ERROR, "units", message, named(instance, late | tardy)))
    found += _say(instance, late, "windows", "even going there first is too late")
    found += _say(instance, tardy, "windows", "the return from there is after the depot closes")
    return found


def _charged(instance: RoutingInstance, closed: bool) -> Bools:
    """Return which nodes lie on some way between places of charging that the battery allows."""
    assert instance.battery is not None
    reach = instance.battery.capacity / max(instance.battery.consumption, 1e-300) * (1 + 1e-9)
    charging = instance.kinds != Kind.CUSTOMER
    places = np.flatnonzero(charging)
    at = np.isin(places, instance.depots)
    between = instance.distances[np.ix_(places, places)] <= reach
    for _ in places:
        at = at | (between & at[:, None]).any(axis=0)
    out = instance.distances[places[at]].min(axis=0)
    back = instance.distances[:, places].min(axis=1) if closed else np.zeros(instance.size)
    charged: Bools = out + back <= reach
    return charged


def matrix_findings(instance: RoutingInstance, rounding: str) -> list[Finding]:
    """Report asymmetry, the triangle inequality, rounding that destroys distances, and units."""
    found = []
    distances = instance.distances
    finite = np.isfinite(distances) & ~np.eye(instance.size, dtype=bool)
    if not np.array_equal(distances, distances.T):
        message = "distances depend on the direction"
        found.append(Finding(Severity.NOTE, "matrix", message))
    if instance.size <= _METRIC_NODES and rounding == "EXPLICIT":
        worst = _longest_detour_saved(distances)
        if worst > 1e-9:
            message = f"a detour is up to {worst:g} shorter than the direct way"
            found.append(Finding(Severity.NOTE, "matrix", message))
    typical = float(np.median(distances[finite])) if finite.any() else 0.0
    if finite.any() and not distances[finite].any():
        found.append(Finding(Severity.ERROR, "units", "all distances are 0"))
    elif rounding in ("nearest", "floor", "ceil") and typical < _COARSE:
        message = (
            f"rounding to integers, but half of the distances are below {typical:g}; scale them"
        )
        found.append(Finding(Severity.ERROR, "units", message))
    return found


def _longest_detour_saved(distances: Floats) -> float:
    """Return by how much a way over one other node is shorter than the direct one, at most."""
    worst = 0.0
    for middle in range(len(distances)):
        over = distances[:, [middle]] + distances[[middle]]
        both = np.isfinite(over) & np.isfinite(distances)
        saved = np.subtract(distances, over, where=both, out=np.zeros_like(over))
        worst = max(worst, float(saved.max()))
    return worst
