"""Instances on which time windows bind: late customers, late returns, waiting and service."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..instance import Floats, RoutingInstance
from .candidates import Candidate, between
from .pool import Judged, Pool
from .small import whole


def time_windows(pool: Pool) -> Iterator[Candidate]:
    """Close a customer between two plans' arrivals; close the depot between two returns."""
    yield from _closings(pool, "a customer is served late", depots=False)
    if "closed" in pool.names:
        yield from _closings(pool, "a late return to the depot", depots=True)
    yield from late_by_waiting(pool)
    yield from late_by_service(pool)


def _closings(pool: Pool, kind: str, *, depots: bool) -> Iterator[Candidate]:
    integer = whole(pool.instance.windows)
    nodes = pool.instance.depots if depots else pool.instance.customers
    times = [(one, _last_starts(pool.instance, one)) for one in pool.good]
    for node in nodes.tolist():
        reached = sorted(
            ((start[node], index) for index, (_, start) in enumerate(times) if node in start),
            key=lambda pair: pair[0],
        )
        for low, high in zip(reached[:4], reversed(reached), strict=False):
            limit = between(low[0], high[0], integer)
            if limit is None or low[0] >= high[0]:
                continue
            windows = pool.instance.windows.copy()
            windows[node, windows[node, :, 0] < np.inf, 1] = limit
            tight = replace(pool.instance, windows=windows)
            yield kind, tight, times[low[1]][0].plan, times[high[1]][0].plan


def _last_starts(instance: RoutingInstance, one: Judged) -> dict[int, float]:
    """Return when service starts at each node; at depots the latest return, 0 where there is none."""
    trace = one.report.trace
    starts = {int(row): 0.0 for row in instance.depots}
    if trace is None:
        return starts
    for route, position in np.argwhere(trace.mask):
        if position:
            node = int(trace.stops[route, position])
            starts[node] = max(starts.get(node, 0.0), float(trace.start[route, position]))
    return starts


def late_by_waiting(pool: Pool) -> Iterator[Candidate]:
    """Open one customer late and close another at that time: in time only if it comes first.

    A program that forgets to wait takes the wrong order for feasible.
    """
    for accepted in pool.good[:12]:
        early = _followers(pool.instance, accepted)
        for rejected in pool.good[:12]:
            for first, second in sorted(_followers(pool.instance, rejected) - early):
                starts = [_last_starts(pool.instance, one) for one in (accepted, rejected)]
                if second not in starts[0]:
                    continue
                opening = np.ceil(1.5 * max(max(times.values()) for times in starts))
                windows = pool.instance.windows.copy()
                windows[first, windows[first, :, 0] < np.inf, 0] = opening
                _close(windows, second, float(opening))
                tight = replace(pool.instance, windows=windows)
                yield "late because of waiting", tight, accepted.plan, rejected.plan


def _followers(instance: RoutingInstance, one: Judged) -> set[tuple[int, int]]:
    """Return pairs of customers of one route, the second later than the first."""
    customers = set(instance.customers.tolist())
    return {
        (before, after)
        for route in one.plan.routes
        for at, before in enumerate(route.stops)
        for after in route.stops[at + 1 :]
        if before in customers and after in customers
    }


def late_by_service(pool: Pool) -> Iterator[Candidate]:
    """Close a customer so that only the service before it makes the vehicle late."""
    instance = pool.instance
    integer = whole(instance.windows)
    for rejected in pool.good[:24]:
        trace = rejected.report.trace
        if trace is None or not instance.service.any():
            return
        served = np.cumsum(trace.at(instance.service), axis=1)
        for route, position in np.argwhere(trace.mask & (trace.kinds == 1)):
            node, begun = int(trace.stops[route, position]), float(trace.start[route, position])
            before = float(served[route, position - 1]) if position else 0.0
            if before <= 0:
                continue
            for accepted in pool.good[:12]:
                starts = _last_starts(instance, accepted)
                low = max(starts.get(node, np.inf), begun - before)
                limit = between(low, begun, integer) if low < begun else None
                if limit is not None:
                    windows = instance.windows.copy()
                    _close(windows, node, limit)
                    tight = replace(instance, windows=windows)
                    yield "late because of service", tight, accepted.plan, rejected.plan


def _close(windows: Floats, node: int, time: float) -> None:
    windows[node, windows[node, :, 0] < np.inf, 1] = time
