"""What a plan does, recomputed from its routes alone: legs, times, loads, battery levels.

Arrays are padded to ``[R, L]``: routes, positions. Loops run over positions only; all routes
advance together.
"""

from dataclasses import dataclass

import numpy as np

from .instance import Bools, Floats, Ints, Kind, RoutingInstance
from .plan import Plan
from .timing import TimeInputs, schedule


@dataclass(frozen=True, eq=False)
class Trace:
    """A plan's course. Position 0 is the first stop; padding has ``stops`` -1 and ``mask`` False.

    Times are those of a vehicle that leaves as late as it can without finishing later (or when
    the plan says). ``late`` is how far service starts after the last window that could take it.
    """

    stops: Ints  # [R, L]
    mask: Bools  # [R, L]
    last: Ints  # [R] position of the last stop
    vehicle: Ints  # [R]
    kinds: Ints  # [R, L] Kind, -1 in the padding
    trip: Ints  # [R, L] trip that reaches the stop
    trip_first: Ints  # [R, L] position of the depot where that trip began
    trip_last: Ints  # [R, L] position of the stop that ends it
    leg_distance: Floats  # [R, L] from the stop before; forbidden arcs count 0 here
    leg_time: Floats  # [R, L]
    forbidden: Bools  # [R, L] the leg is a forbidden arc
    arrival: Floats  # [R, L]
    start: Floats  # [R, L] of service
    departure: Floats  # [R, L]
    late: Floats  # [R, L] 0 where in time
    window_slack: Floats  # [R, L] closing of the window that is used minus start
    duration: Floats  # [R] from departure to the end
    battery: Floats  # [R, L] level on arrival, infinite without a battery
    breaks: Bools  # [R, L] a break follows the service
    release: Floats  # [R, L] earliest departure of the trip that begins here, else 0

    @property
    def distance(self) -> Floats:
        """Length of each route ``[R]``."""
        total: Floats = self.leg_distance.sum(axis=1)
        return total

    @property
    def driving(self) -> Floats:
        """Time at the wheel of each route ``[R]``."""
        total: Floats = self.leg_time.sum(axis=1)
        return total

    def within_trip(self, values: Floats) -> tuple[Floats, Floats]:
        """Return sums of values ``[R, L, G]`` within each stop's trip: so far, and of the whole."""
        sums = np.cumsum(values, axis=1)
        rows = np.arange(len(self.stops))[:, None]
        before = sums[rows, self.trip_first]
        return sums - before, sums[rows, self.trip_last] - before

    def at(self, values: Floats) -> Floats:
        """Return a node's values by stop, 0 in the padding."""
        taken = values[self.stops]
        shape = self.mask.shape + (1,) * (taken.ndim - 2)
        return np.where(self.mask.reshape(shape), taken, 0.0)


def trace_plan(instance: RoutingInstance, plan: Plan) -> Trace:
    """Return a plan's course; all its nodes and vehicles exist, all routes have stops."""
    routes = plan.routes
    stops, breaks = _padded(plan)
    mask = stops >= 0
    last = mask.sum(axis=1) - 1
    vehicle = np.array([route.vehicle for route in routes], dtype=np.int64)
    kinds = np.where(mask, instance.kinds[stops], -1)
    trip, first, end = _trips(kinds, last)
    distance, time, forbidden = _legs(instance, stops, mask)
    battery, recharge = _battery(instance, kinds, distance)
    release = _release(instance, stops, mask, trip, kinds)
    dwell = np.where(mask, instance.service[stops], 0.0) + recharge
    dwell += breaks * instance.fleet.break_length[vehicle][:, None]
    times = schedule(
        TimeInputs(
            legs=time,
            dwell=dwell,
            windows=_windows(instance, stops, mask, vehicle, last),
            release=release,
            last=last,
            departures=_departures([route.departures for route in routes], kinds, last),
        )
    )
    return Trace(
        stops=stops,
        mask=mask,
        last=last,
        vehicle=vehicle,
        kinds=kinds,
        trip=trip,
        trip_first=first,
        trip_last=end,
        leg_distance=distance,
        leg_time=time,
        forbidden=forbidden,
        battery=battery,
        breaks=breaks,
        release=release,
        **times,
    )


def _padded(plan: Plan) -> tuple[Ints, Bools]:
    """Return stops, -1 in the padding, and breaks; a break beyond the end does nothing."""
    longest = max((len(route.stops) for route in plan.routes), default=1)
    stops = np.full((len(plan.routes), longest), -1, dtype=np.int64)
    breaks = np.zeros(stops.shape, dtype=bool)
    for row, route in enumerate(plan.routes):
        stops[row, : len(route.stops)] = route.stops
        breaks[row, [position for position in route.breaks if 0 <= position < longest]] = True
    return stops, breaks & (stops >= 0)


def _trips(kinds: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Number the trips: a stop belongs to the trip that reaches it."""
    positions = np.broadcast_to(np.arange(kinds.shape[1]), kinds.shape)
    depot = (kinds == Kind.DEPOT) & (positions > 0) & (positions < last[:, None])
    ended = np.cumsum(depot, axis=1) - depot
    passed = np.where(depot, positions, 0)
    first = np.zeros_like(kinds)
    first[:, 1:] = np.maximum.accumulate(passed, axis=1)[:, :-1]
    coming = np.where(depot, positions, last[:, None])
    end = np.minimum.accumulate(coming[:, ::-1], axis=1)[:, ::-1]
    return ended.astype(np.int64), first, end


def _legs(instance: RoutingInstance, stops: Ints, mask: Bools) -> tuple[Floats, Floats, Bools]:
    distance = np.zeros(stops.shape)
    time = np.zeros(stops.shape)
    here, there = stops[:, :-1], stops[:, 1:]
    distance[:, 1:] = np.where(mask[:, 1:], instance.distances[here, there], 0.0)
    time[:, 1:] = np.where(mask[:, 1:], instance.durations[here, there], 0.0)
    forbidden = ~(np.isfinite(distance) & np.isfinite(time))
    return np.where(forbidden, 0.0, distance), np.where(forbidden, 0.0, time), forbidden


def _battery(instance: RoutingInstance, kinds: Ints, distance: Floats) -> tuple[Floats, Floats]:
    """Return levels on arrival and times of recharging; full at depots and after stations."""
    levels = np.full(kinds.shape, np.inf)
    recharge = np.zeros(kinds.shape)
    battery = instance.battery
    if battery is None:
        return levels, recharge
    level = np.full(len(kinds), battery.capacity)
    for position in range(kinds.shape[1]):
        level = level - battery.consumption * distance[:, position]
        levels[:, position] = level
        station = kinds[:, position] == Kind.STATION
        missing = np.clip(battery.capacity - level, 0.0, battery.capacity)
        recharge[:, position] = np.where(station, missing * battery.recharge_time, 0.0)
        full = station | (kinds[:, position] == Kind.DEPOT)
        level = np.where(full, battery.capacity, level)
    return levels, recharge


def _release(
    instance: RoutingInstance, stops: Ints, mask: Bools, trip: Ints, kinds: Ints
) -> Floats:
    """Return, where a trip begins, the latest release of what it serves."""
    release = np.zeros(stops.shape)
    if not instance.release.any():
        return release
    of_stop = np.where(mask, instance.release[stops], 0.0)
    begins = (kinds == Kind.DEPOT) & mask
    for number in range(int(trip.max(initial=0)) + 1):
        latest = np.where(trip == number, of_stop, 0.0).max(axis=1)
        here = begins & (trip == number - 1)
        here[:, 0] = number == 0
        release = np.where(here, latest[:, None], release)
    return release


def _windows(
    instance: RoutingInstance, stops: Ints, mask: Bools, vehicle: Ints, last: Ints
) -> Floats:
    """Return windows ``[R, L, W, 2]``: of the nodes, cut to the shift at both ends of the route."""
    windows = np.where(mask[:, :, None, None], instance.windows[stops], (0.0, np.inf))
    if windows.size == 0:
        return windows
    shift = instance.fleet.shift[vehicle]
    rows = np.arange(len(stops))
    windows[:, 0, :, 0] = np.maximum(windows[:, 0, :, 0], shift[:, None, 0])
    ends = np.minimum(windows[rows, last, :, 1], shift[:, None, 1])
    at_depot = instance.kinds[stops[rows, last]] == Kind.DEPOT
    windows[rows, last, :, 1] = np.where(at_depot[:, None], ends, windows[rows, last, :, 1])
    return windows


def _departures(stated: list[tuple[float, ...]], kinds: Ints, last: Ints) -> Floats:
    """Return planned departures by stop ``[R, L]``, NaN where the plan states none."""
    departures = np.full(kinds.shape, np.nan)
    for row, times in enumerate(stated):
        depots = np.flatnonzero(kinds[row] == Kind.DEPOT)
        starts = [0, *(int(p) for p in depots if 0 < p < last[row])]
        for position, time in zip(starts, times, strict=False):
            departures[row, position] = time
    return departures
