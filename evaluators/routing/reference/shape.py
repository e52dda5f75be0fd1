"""What models know of an instance under the rules that count: open or closed, who goes where."""

from dataclasses import dataclass

import numpy as np

from ..instance import ANY, UNLIMITED, Bools, Kind, RoutingInstance


@dataclass(frozen=True)
class VehicleStart:
    """A vehicle type at one of the depots where it may start; ``end`` is None for open routes."""

    kind: int
    start: int
    end: int | None
    count: int  # vehicles, never unlimited


def is_open(names: frozenset[str]) -> bool:
    """Return whether routes may end at their last customer."""
    return "closed" not in names


def serves(instance: RoutingInstance, names: frozenset[str]) -> Bools:
    """Return which type may serve which node ``[T, N]`` by skills and site dependence."""
    fleet = instance.fleet
    may = np.ones((fleet.types, instance.size), dtype=bool)
    if "site_dependence" in names:
        may &= fleet.allowed
    if "skills" in names:
        may &= ~(instance.skills[None, :, :] & ~fleet.skills[:, None, :]).any(axis=2)
    return may


def vehicle_starts(instance: RoutingInstance, names: frozenset[str]) -> list[VehicleStart]:
    """Return vehicle types by the depots where they may start.

    A type that may start anywhere is there once for each depot, each time with all its vehicles.
    """
    fleet = instance.fleet
    may = serves(instance, names)
    most = max(1, len(instance.customers))
    bound = "multi_depot" in names
    starts = []
    for kind in range(fleet.types):
        available = int(fleet.available[kind])
        limited = available != UNLIMITED and "fleet" in names
        count = min(available, most) if limited else most
        home, target = int(fleet.start_depot[kind]), int(fleet.end_depot[kind])
        places = [home] if bound and home != ANY else instance.depots.tolist()
        for place in places:
            end = target if bound and target != ANY else place
            if count > 0 and may[kind, place]:
                starts.append(VehicleStart(kind, place, None if is_open(names) else end, count))
    return starts


def shared_count(instance: RoutingInstance, names: frozenset[str]) -> list[int]:
    """Return the types whose limited number of vehicles is shared by several depots."""
    starts = vehicle_starts(instance, names)
    fleet = instance.fleet
    most = max(1, len(instance.customers))
    return [
        kind
        for kind in range(fleet.types)
        if "fleet" in names
        and 0 <= int(fleet.available[kind]) < most
        and sum(start.kind == kind for start in starts) > 1
    ]


def speed_ratio(instance: RoutingInstance) -> float | None:
    """Return the time of one unit of distance where it is the same on all ways, else None."""
    distances, durations = instance.distances, instance.durations
    usable = np.isfinite(distances) & np.isfinite(durations)
    usable &= (distances > 0) | (durations > 0)
    if not usable.any():
        return 1.0
    longest = np.unravel_index(np.where(usable, distances, -1.0).argmax(), distances.shape)
    if distances[longest] <= 0:
        return None
    ratio = float(durations[longest] / distances[longest])
    same = np.allclose(durations[usable], ratio * distances[usable], rtol=1e-9, atol=1e-12)
    return ratio if same and ratio > 0 else None


def several_windows(instance: RoutingInstance) -> Bools:
    """Return which nodes have more than one window ``[N]``."""
    used = instance.windows[:, :, 0] < np.inf
    several: Bools = used.sum(axis=1) > 1
    return several


def window_list(instance: RoutingInstance, node: int, closing: bool) -> list[tuple[float, float]]:
    """Return a node's windows in order; without the rule ``closing`` they never close."""
    found = [(float(a), float(b)) for a, b in instance.windows[node] if a < np.inf]
    found.sort()
    if not closing:
        return [(found[0][0], np.inf)] if found else [(0.0, np.inf)]
    return found


def is_customer(instance: RoutingInstance) -> Bools:
    """Return which nodes are customers ``[N]``."""
    mask: Bools = instance.kinds == Kind.CUSTOMER
    return mask
