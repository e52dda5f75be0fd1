"""What PyVRP models of the vocabulary, and what of an instance keeps it from doing so."""

import numpy as np

from ..instance import Bools, RoutingInstance
from ..loads import unpaired
from ..objectives import Objective
from .errors import Unmodelled
from .shape import several_windows, shared_count, speed_ratio

MODELLED = frozenset(
    {
        "visit", "depot", "closed", "open", "multi_depot", "fleet", "arcs", "capacity", "backhaul",
        "mixed_backhaul", "mixed_backhaul_staged", "pickup_delivery", "skills", "site_dependence",
        "groups", "prizes", "reloads", "distance_limit", "duration_limit", "driving_limit",
        "release_times", "time_windows",
    }
)  # fmt: skip
ADDITIVE = frozenset({"cost", "distance", "duration", "vehicles", "uncollected_prizes"})


def refuse(instance: RoutingInstance, names: frozenset[str], objective: Objective) -> None:
    """Refuse what PyVRP cannot model.

    Raises:
        Unmodelled: with the rule and the reason.
    """
    unknown = sorted(names - MODELLED)
    if unknown:
        raise Unmodelled(unknown[0], "PyVRP", "there is no such rule in it")
    for rule, reason in (*_data(instance, names), *_relations(instance, names)):
        raise Unmodelled(rule, "PyVRP", reason)
    _objective(objective)


def _data(instance: RoutingInstance, names: frozenset[str]) -> list[tuple[str, str]]:
    found = []
    if shared_count(instance, names) and "closed" in names:
        found.append(("fleet", "a limited number of vehicles may start at any depot"))
    if "driving_limit" in names and speed_ratio(instance) is None:
        limited = np.isfinite(instance.fleet.max_driving).any()
        found += [("driving_limit", "times are not in proportion to ways")] if limited else []
    if several_windows(instance)[instance.depots].any() and "time_windows" in names:
        found.append(("time_windows", "a depot has several windows"))
    if instance.service[instance.depots].any():
        found.append(("time_windows", "a depot has a service time"))
    if "prizes" in names and instance.min_prize > 0:
        found.append(("prizes", "there is no quota of prizes"))
    return found


def _relations(instance: RoutingInstance, names: frozenset[str]) -> list[tuple[str, str]]:
    found = []
    deliveries, pickups = unpaired(instance)
    goods: Bools = (deliveries > 0) | (pickups > 0)
    neutral: Bools = ~np.any(goods, axis=1)
    neutral[instance.pairs.ravel()] = False
    if "backhaul" in names and neutral[instance.customers].any():
        found.append(("backhaul", "a customer without goods could stand between both parts"))
    both = np.any(deliveries > 0, axis=1) & np.any(pickups > 0, axis=1)
    if "mixed_backhaul_staged" in names and both.any():
        found.append(("mixed_backhaul_staged", "a customer has a delivery and a pickup"))
    if not len(instance.pairs):
        return found
    one, two = instance.pairs[:, 0], instance.pairs[:, 1]
    ends = np.concatenate([one, two])
    if len(np.unique(ends)) < len(ends):
        found.append(("pickup_delivery", "a node belongs to two pairs"))
    if (instance.pickups[one] != instance.deliveries[two]).any():
        found.append(("pickup_delivery", "a pair's amounts differ"))
    if (instance.deliveries[one] != 0).any() or (instance.pickups[two] != 0).any():
        found.append(("pickup_delivery", "a pair's node has goods of its own"))
    if several_windows(instance)[ends].any():
        found.append(("pickup_delivery", "a pair's node has several windows"))
    if instance.release[ends].any():
        found.append(("pickup_delivery", "a pair's node has a release time"))
    if (instance.required[one] != instance.required[two]).any():
        found.append(("pickup_delivery", "half of a pair is optional"))
    if set(ends.tolist()) & {node for group in instance.groups for node in group}:
        found.append(("groups", "a pair's node belongs to a group"))
    return found


def _objective(objective: Objective) -> None:
    """Weighted sums of additive measures; fewest vehicles may come before them."""
    levels = objective.levels
    if len(levels) == 2 and [name for name, _ in levels[0]] == ["vehicles"]:
        levels = levels[1:]
    if len(levels) > 1:
        raise Unmodelled("several priorities", "PyVRP", "only fewest vehicles can come first")
    for name, weight in levels[0]:
        if name not in ADDITIVE:
            raise Unmodelled(name, "PyVRP", "its objective is a sum over routes")
        if weight < 0:
            raise Unmodelled(name, "PyVRP", "its weight is negative")
