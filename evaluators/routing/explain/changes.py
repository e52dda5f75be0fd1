"""Changes of a problem that may make a plan possible."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..instance import UNLIMITED, Bools, RoutingInstance

Problem = tuple[RoutingInstance, frozenset[str]]


@dataclass(frozen=True, eq=False)
class Change:
    """A change by an amount between 0 and ``most``.

    ``whole`` amounts are integers; a change of ``most`` 1 and ``whole`` is made or not.
    ``base`` is what the amount is compared with.
    """

    rule: str
    apply: Callable[[float], Problem]
    say: Callable[[float], str]
    most: float
    base: float
    whole: bool = False


def changes(
    instance: RoutingInstance, names: frozenset[str], suspects: list[int]
) -> Iterator[Change]:
    """Yield changes of limits, then of single customers, then rules dropped.

    Args:
        instance: the data.
        names: the rules.
        suspects: rows of customers that may be to blame, the likeliest first.
    """
    yield from _vehicles(instance, names)
    yield from _capacity(instance, names)
    yield from _limits(instance, names)
    yield from _windows(instance, names, suspects)
    yield from _customers(instance, names, suspects)
    yield from _relations(instance, names)
    yield from _rules(instance, names)


def _fleet(instance: RoutingInstance, **arrays: np.ndarray) -> RoutingInstance:
    return replace(instance, fleet=replace(instance.fleet, **arrays))


def _vehicles(instance: RoutingInstance, names: frozenset[str]) -> Iterator[Change]:
    available = instance.fleet.available
    if "fleet" not in names:
        return
    for kind in np.flatnonzero(available != UNLIMITED).tolist():

        def apply(amount: float, kind: int = kind) -> Problem:
            more = available.copy()
            more[kind] += int(amount)
            return _fleet(instance, available=more), names

        def say(amount: float, kind: int = kind) -> str:
            count = "one more vehicle" if amount == 1 else f"{int(amount)} more vehicles"
            of_type = f" of type {kind}" if len(available) > 1 else ""
            return (
                f"{count}{of_type} ({int(available[kind] + amount)} instead of {available[kind]})"
            )

        most = float(max(1, len(instance.customers)))
        base = float(max(1, available[available != UNLIMITED].sum()))
        yield Change("fleet", apply, say, most, base, True)


def _capacity(instance: RoutingInstance, names: frozenset[str]) -> Iterator[Change]:
    capacity = instance.fleet.capacity
    if not names & {"capacity", "mixed_backhaul", "mixed_backhaul_staged"}:
        return
    for dimension in range(instance.load_dimensions):
        room = capacity[:, dimension]
        if not np.isfinite(room).any():
            continue
        base = float(room[np.isfinite(room)].max())
        total = float((instance.deliveries + instance.pickups)[:, dimension].sum())

        def apply(amount: float, dimension: int = dimension) -> Problem:
            more = capacity.copy()
            more[:, dimension] += amount
            return _fleet(instance, capacity=more), names

        def say(amount: float, dimension: int = dimension, base: float = base) -> str:
            which = f" in dimension {dimension + 1}" if instance.load_dimensions > 1 else ""
            return f"a capacity{which} of {base + amount:g} instead of {base:g} (+{amount:g})"

        yield Change("capacity", apply, say, max(total, base), max(base, 1e-9))


_FLEET_LIMITS = {
    "distance_limit": ("max_distance", "routes of length"),
    "duration_limit": ("max_duration", "routes that take"),
    "driving_limit": ("max_driving", "time at the wheel of"),
    "breaks": ("max_driving_unbroken", "driving between breaks of"),
}


def _limits(instance: RoutingInstance, names: frozenset[str]) -> Iterator[Change]:
    for rule, (key, words) in _FLEET_LIMITS.items():
        limits = getattr(instance.fleet, key)
        if rule not in names or not np.isfinite(limits).any():
            continue
        base = float(limits[np.isfinite(limits)].max())

        def apply(amount: float, key: str = key, limits: np.ndarray = limits) -> Problem:
            return _fleet(instance, **{key: limits + amount}), names

        def say(amount: float, words: str = words, base: float = base) -> str:
            return f"{words} up to {base + amount:g} instead of {base:g} (+{amount:g})"

        matrix = instance.distances if rule == "distance_limit" else instance.durations
        longest = float(matrix[np.isfinite(matrix)].max(initial=0.0)) * (instance.size + 1)
        most = longest + float(instance.service.sum()) + _horizon(instance)
        yield Change(rule, apply, say, most, max(base, 1e-9))


def _horizon(instance: RoutingInstance) -> float:
    closing = instance.windows[..., 1]
    ends = np.concatenate([closing.ravel(), instance.fleet.shift[:, 1]])
    return float(ends[np.isfinite(ends)].max(initial=0.0))


def _later(instance: RoutingInstance, rows: list[int], amount: float) -> RoutingInstance:
    windows = instance.windows.copy()
    windows[rows, :, 1] += amount
    return replace(instance, windows=windows)


def _windows(
    instance: RoutingInstance, names: frozenset[str], suspects: list[int]
) -> Iterator[Change]:
    if "time_windows" not in names:
        return
    travel = instance.durations[np.isfinite(instance.durations)].max(initial=0.0)
    most = float(travel * (instance.size + 1) + instance.service.sum() + _horizon(instance))
    base = max(_horizon(instance), 1e-9)
    limited: Bools = np.any(np.isfinite(instance.windows[..., 1]), axis=1)
    customers = [row for row in instance.customers.tolist() if limited[row]]
    homes = instance.depots.tolist()
    if customers:

        def all_later(amount: float) -> Problem:
            return _later(instance, customers, amount), names

        yield Change(
            "time_windows",
            all_later,
            lambda x: f"all customers' windows later by {x:g}",
            most,
            base,
        )
    if limited[homes].any() or np.isfinite(instance.fleet.shift[:, 1]).any():

        def longer(amount: float) -> Problem:
            shift = instance.fleet.shift + np.array([0.0, amount])
            return _fleet(_later(instance, homes, amount), shift=shift), names

        yield Change(
            "time_windows", longer, lambda x: f"returns and shifts later by {x:g}", most, base
        )
    for row in (row for row in suspects if limited[row]):

        def one(amount: float, row: int = row) -> Problem:
            return _later(instance, [row], amount), names

        def say(amount: float, row: int = row) -> str:
            return f"the window of {instance.node_ids[row]} later by {amount:g}"

        yield Change("time_windows", one, say, most, base)


def _customers(
    instance: RoutingInstance, names: frozenset[str], suspects: list[int]
) -> Iterator[Change]:
    partner = {int(a): int(b) for a, b in instance.pairs}
    partner |= {int(b): int(a) for a, b in instance.pairs}
    for row in suspects:
        name = instance.node_ids[row]

        def without(amount: float, row: int = row) -> Problem:
            required = instance.required.copy()
            required[[row, partner.get(row, row)]] = False
            return replace(instance, required=required), names

        said = f"{name} left out"
        if instance.required[row]:
            base = float(max(1, int(instance.required.sum())))
            yield Change("visit", without, lambda _, said=said: said, 1.0, base, True)  # type: ignore[misc]
        if "skills" in names and instance.skills[row].any():

            def unskilled(amount: float, row: int = row) -> Problem:
                skills = instance.skills.copy()
                skills[row] = False
                return replace(instance, skills=skills), names

            said = f"no skill needed at {name}"
            base = float(max(1, int(instance.skills.any(axis=1).sum())))
            yield Change("skills", unskilled, lambda _, said=said: said, 1.0, base, True)  # type: ignore[misc]
        if "site_dependence" in names and not instance.fleet.allowed[:, row].all():

            def allowed(amount: float, row: int = row) -> Problem:
                table = instance.fleet.allowed.copy()
                table[:, row] = True
                return _fleet(instance, allowed=table), names

            said = f"every vehicle allowed at {name}"
            base = float(max(1, int((~instance.fleet.allowed).any(axis=0).sum())))
            yield Change("site_dependence", allowed, lambda _, said=said: said, 1.0, base, True)  # type: ignore[misc]


_MOST_RELATIONS = 12


def _relations(instance: RoutingInstance, names: frozenset[str]) -> Iterator[Change]:
    """Single pairs of incompatible or ordered customers left out."""
    for rule, words in (("incompatible", "together"), ("precedence", "in any order")):
        pairs = getattr(instance, rule)
        if rule not in names:
            continue
        for number, (one, two) in enumerate(pairs.tolist()[:_MOST_RELATIONS]):

            def apply(amount: float, rule: str = rule, number: int = number) -> Problem:
                fewer = np.delete(getattr(instance, rule), number, axis=0)
                return replace(instance, **{rule: fewer}), names

            said = f"{instance.node_ids[one]} and {instance.node_ids[two]} {words}"
            yield Change(rule, apply, lambda _, said=said: said, 1.0, float(len(pairs)), True)  # type: ignore[misc]
    if "prizes" in names and instance.min_prize > 0:

        def lower(amount: float) -> Problem:
            return replace(instance, min_prize=max(0.0, instance.min_prize - amount)), names

        quota = instance.min_prize
        yield Change(
            "prizes", lower, lambda x: f"prizes of {quota - x:g} instead of {quota:g}", quota, quota
        )


_DROPPED = (
    "lifo", "backhaul", "mixed_backhaul", "mixed_backhaul_staged", "incompatible", "precedence",
    "breaks", "driving_limit", "duration_limit", "distance_limit", "time_windows", "capacity",
    "skills", "site_dependence", "release_times", "battery",
)  # fmt: skip


def _rules(instance: RoutingInstance, names: frozenset[str]) -> Iterator[Change]:
    for rule in _DROPPED:
        if rule not in names:
            continue

        def apply(amount: float, rule: str = rule) -> Problem:
            changed = instance
            if rule == "release_times":
                changed = replace(instance, release=np.zeros(instance.size))
            if rule == "battery":
                changed = replace(instance, battery=None)
            return changed, names - {rule}

        said = f"the rule {rule} dropped"
        yield Change(rule, apply, lambda _, said=said: said, 1.0, 1.0, True)  # type: ignore[misc]
