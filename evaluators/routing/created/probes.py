"""Makes the probes of a user's file: for each rule an instance in its format on which it binds."""

from collections.abc import Iterable, Iterator

import numpy as np

from ..checker import check
from ..constraints import VOCABULARY
from ..instance import ANY, RoutingError, RoutingInstance
from ..plan import Plan, Route
from ..reading import Reading
from .pool import Pool, make_pool
from .probe import CreatedProbe, ProbeSet
from .small import trimmed, widened
from .tighten import MAKERS, Candidate
from .write import read_like, write_like

_ATTEMPTS = 4  # small instances that are tried, each with its own customers
_CANDIDATES = 160  # of one kind of breach on one small instance; few are written and read
_SINGLE = ("TSP", "ATSP", "SOP")
# What a plan may not be able to keep while it breaks the rule: in sequential ordering no way leads
# back to the first node, and the physical load rule implies capacity.
_IMPLIED = {
    "capacity": frozenset({"mixed_backhaul"}),
    "arcs": frozenset({"precedence"}),
    "depot": frozenset({"arcs", "precedence"}),
    "open": frozenset({"arcs", "precedence"}),
}
_WANTED_KINDS = {
    "visit": ("a customer is left out", "a customer is visited twice", "a node does not exist"),
    "time_windows": ("a customer is served late", "a late return to the depot"),
}


def make_probes(reading: Reading, names: Iterable[str]) -> list[CreatedProbe]:
    """Return the probes that the format of the user's file can carry; see ``probe_set``."""
    return list(probe_set(reading, names).probes)


def probe_set(reading: Reading, names: Iterable[str]) -> ProbeSet:
    """Make probes for every rule of a set: deterministic, and judged by the checker.

    Each has an instance that the file's format carries, on which the rule binds: a few of the
    user's nodes with all other limits wide, or the vocabulary's own. The accepted plan keeps every
    rule of the set, the rejected one breaks only its own.

    Args:
        reading: the user's file.
        names: the rules of the problem.

    Raises:
        RoutingError: a rule is not in the vocabulary.
    """
    rules = frozenset(names)
    unknown = sorted(rules - VOCABULARY.keys())
    if unknown:
        raise RoutingError(f"constraint {unknown[0]!r} is not known.")
    found: dict[tuple[str, str], CreatedProbe] = {}
    reasons = {rule: _unbreakable(rule, reading, rules) for rule in VOCABULARY if rule in rules}
    for attempt in range(_ATTEMPTS):
        wanted = [
            rule for rule, why in reasons.items() if not why and not _complete(rule, rules, found)
        ]
        if not wanted:
            break
        try:
            pool, base = _pool(reading, rules, attempt)
        except RoutingError as error:
            reasons = {rule: why or str(error) for rule, why in reasons.items()}
            break
        for rule in wanted:
            for probe in _probes(rule, pool, base, rules):
                found.setdefault((probe.constraint, probe.kind), probe)
    for rule in reasons:
        if not reasons[rule] and not any(constraint == rule for constraint, _ in found):
            own = _vocabulary_probe(rule, reading, rules)
            if isinstance(own, CreatedProbe):
                found[rule, own.kind] = own
            else:
                reasons[rule] = own
    covered = {constraint for constraint, _ in found}
    missing = {rule: reason for rule, reason in reasons.items() if rule not in covered}
    order = list(VOCABULARY)
    probes = sorted(found.values(), key=lambda one: order.index(one.constraint))
    return ProbeSet(tuple(probes), missing)


def _unbreakable(rule: str, reading: Reading, rules: frozenset[str]) -> str:
    """Return why no plan of routes alone can break a rule in this file; empty where one may."""
    fleet = reading.instance.fleet
    if rule in ("release_times", "breaks"):
        return "routes alone do not say when a vehicle leaves or its driver rests"
    if rule == "multi_depot" and "open" in rules and (fleet.start_depot == ANY).all():
        return "open routes of vehicles without a home may begin at any depot"
    if rule == "prizes" and reading.instance.min_prize == 0 and reading.facts.format != "json":
        return "the file asks for no least prize"
    return ""


def _complete(rule: str, rules: frozenset[str], found: dict[tuple[str, str], CreatedProbe]) -> bool:
    kinds = [kind for constraint, kind in found if constraint == rule]
    wanted = _WANTED_KINDS.get(rule, ())
    if rule == "time_windows" and "closed" not in rules:
        wanted = wanted[:1]
    if rule == "visit" and rules & {"groups", "prizes"}:  # nobody has to be visited
        wanted = wanted[1:]
    if rule == "visit" and "pickup_delivery" in rules:  # other breaches break pairs, too
        wanted = wanted[2:]
    return bool(kinds) and all(kind in kinds for kind in wanted)


def _pool(reading: Reading, rules: frozenset[str], attempt: int) -> tuple[Pool, Reading]:
    """Return judged plans of a small, wide instance, as it reads after writing."""
    rng = np.random.default_rng(attempt)
    single = reading.facts.type_name in _SINGLE
    wide = widened(trimmed(reading, rng), single)
    base = read_like(reading, write_like(reading, wide))
    return make_pool(base.instance, rules, rng), reading


def _probes(
    rule: str, pool: Pool, reading: Reading, rules: frozenset[str]
) -> Iterator[CreatedProbe]:
    """Yield one probe for each kind of breach that the checker confirms."""
    maker = MAKERS.get(rule)
    if maker is None:
        return
    done: set[str] = set()
    tried: dict[str, int] = {}
    second: dict[str, CreatedProbe] = {}  # those that break what their breach implies, too
    for kind, instance, accepted, rejected in maker(pool):
        tried[kind] = tried.get(kind, 0) + 1
        if kind in done or tried[kind] > _CANDIDATES:
            continue
        probe = _confirmed(rule, (kind, instance, accepted, rejected), reading, rules)
        if probe is not None and probe.also:
            second.setdefault(kind, probe)
        elif probe is not None:
            done.add(kind)
            yield probe
    if not done:
        yield from second.values()


def _confirmed(
    rule: str, candidate: Candidate, reading: Reading, rules: frozenset[str]
) -> CreatedProbe | None:
    """Write and read the instance, and let the checker judge both plans on what was read."""
    kind, instance, accepted, rejected = candidate
    if not _worth_writing(rule, instance, rejected, rules):
        return None
    try:
        text = write_like(reading, instance)
        read = read_like(reading, text).instance
    except RoutingError:
        return None  # the format cannot carry it: another candidate may do
    broken = check(read, rejected, rules).broken
    also = broken - {rule}
    if rule not in broken or not also <= _IMPLIED.get(rule, frozenset()):
        return None
    if not check(read, accepted, rules).feasible:
        return None
    return CreatedProbe(rule, kind, text, read, accepted, rejected, also)


def _worth_writing(
    rule: str, instance: RoutingInstance, rejected: Plan, rules: frozenset[str]
) -> bool:
    """Judge before writing, which costs more."""
    broken = check(instance, rejected, rules).broken
    return rule in broken and broken - {rule} <= _IMPLIED.get(rule, frozenset())


def _vocabulary_probe(rule: str, reading: Reading, rules: frozenset[str]) -> CreatedProbe | str:
    """Return the vocabulary's own probe in the user's format, or why there is none."""
    probe = VOCABULARY[rule].probe()
    own = frozenset(rules) | {rule}
    plans = [_ended(plan, own) for plan in (probe.accepted, probe.rejected)]
    candidate = ("", probe.instance, plans[0], plans[1])
    made = _confirmed(rule, candidate, reading, rules)
    if made is None:
        return f"no small instance in the {reading.facts.format} format was found on which it binds"
    return made


def _ended(plan: Plan, rules: frozenset[str]) -> Plan:
    """Return the plan with routes that end as the rules have it."""
    routes = []
    for route in plan.routes:
        stops = route.stops
        if "closed" in rules and stops[-1] != stops[0]:
            stops = (*stops, stops[0])
        if "open" in rules and len(stops) > 1 and stops[-1] == stops[0]:
            stops = stops[:-1]
        routes.append(Route(stops, route.vehicle, route.breaks, route.departures))
    return Plan(tuple(routes))
