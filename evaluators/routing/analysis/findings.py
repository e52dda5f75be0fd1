"""Contradictions between what a file says in different places, and what no plan can satisfy."""

import re

import numpy as np

from ..instance import UNLIMITED, Bools, Kind, RoutingInstance
from ..reading import Reading
from .results import Finding, Severity
from .type_names import TypeClaims

_SHOWN = 10
_COMMENT_CLAIMS = {
    "limit": re.compile(r"distance limit|duration limit", re.I),
    "windows": re.compile(r"time window", re.I),
    "depots": re.compile(r"multi-?\s?depot", re.I),
    "open": re.compile(r"\bopen\b", re.I),
    "backhaul": re.compile(r"backhaul", re.I),
}
_WORDS = {
    "limit": "a limit of length or duration",
    "windows": "time windows",
    "depots": "several depots",
    "electric": "a battery and stations",
    "backhaul": "pickups",
    "mixed": "pickups",
    "capacity": "capacity and demands",
    "pairs": "pickup and delivery pairs",
    "groups": "groups",
    "prizes": "prizes",
    "release": "release times",
    "precedence": "precedences",
    "trips": "reloads",
    "sites": "customers that some vehicle may not visit",
    "asymmetric": "distances that depend on the direction",
}
_OF_RULE = {
    "distance_limit": "limit",
    "duration_limit": "limit",
    "time_windows": "windows",
    "multi_depot": "depots",
    "battery": "electric",
    "capacity": "capacity",
    "pickup_delivery": "pairs",
    "groups": "groups",
    "prizes": "prizes",
    "release_times": "release",
    "precedence": "precedence",
    "reloads": "trips",
    "site_dependence": "sites",
}


def named(instance: RoutingInstance, mask: np.ndarray) -> tuple[str, ...]:
    """Return the names of the first nodes of a mask ``[N]``."""
    return tuple(instance.node_ids[row] for row in np.flatnonzero(mask)[:_SHOWN])


def shown_features(instance: RoutingInstance, rules: frozenset[str]) -> frozenset[str]:
    """Return the features that the data sections show, in the words of type names."""
    shown = {feature for rule, feature in _OF_RULE.items() if rule in rules}
    if instance.pickups.any():
        shown |= {"backhaul", "mixed"}
    if not np.array_equal(instance.distances, instance.distances.T):
        shown.add("asymmetric")
    return frozenset(shown)


def header_findings(reading: Reading, claims: TypeClaims, rules: frozenset[str]) -> list[Finding]:
    """Compare TYPE and comments with the sections; the sections are right."""
    shown = shown_features(reading.instance, rules)
    facts = reading.facts
    found = []
    if facts.type_name and not claims.known:
        message = f"TYPE {facts.type_name} is not a known name; only the sections are used"
        found.append(Finding(Severity.WARNING, "header", message))
    for claim in sorted(claims.claims & _WORDS.keys() - shown):
        message = f"TYPE {facts.type_name} claims {_WORDS[claim]}, the sections have none"
        found.append(Finding(Severity.WARNING, "header", message))
    if claims.known and facts.type_name and "single" not in claims.claims:
        for extra in sorted((shown & {"limit", "windows", "depots", "electric"}) - claims.claims):
            message = f"the sections have {_WORDS[extra]}, TYPE {facts.type_name} does not say so"
            found.append(Finding(Severity.WARNING, "header", message))
    count = facts.headers.get("NUM_DEPOTS", "")
    if count and count != str(len(reading.instance.depots)):
        message = f"NUM_DEPOTS is {count}, DEPOT_SECTION has {len(reading.instance.depots)}"
        found.append(Finding(Severity.WARNING, "header", message))
    if "open" in claims.claims and facts.headers.get("OPEN_ROUTE", "").upper() in (
        "0",
        "FALSE",
        "NO",
    ):
        message = f"OPEN_ROUTE denies it, TYPE {facts.type_name} claims open routes"
        found.append(Finding(Severity.WARNING, "header", message))
    text = " ".join(facts.comments)
    for claim, pattern in _COMMENT_CLAIMS.items():
        denied = claim not in shown and claim not in claims.claims
        if denied and pattern.search(text) and "CVRP" in facts.type_name:
            what = _WORDS.get(claim, "open routes")
            message = f"a comment speaks of {what}, header and sections do not"
            found.append(Finding(Severity.WARNING, "comment", message))
    return found


def text_findings(reading: Reading) -> list[Finding]:
    """Report unknown keys and what the reader stumbled over."""
    found = []
    for unknown in reading.facts.unknown:
        guess = f"; did it mean {' or '.join(unknown.guesses)}?" if unknown.guesses else ""
        message = f"{unknown.key} (line {unknown.line}) is not known and has no effect{guess}"
        found.append(Finding(Severity.ERROR, "unknown key", message))
    found += [Finding(Severity.WARNING, "file", text) for text in reading.facts.mismatches]
    found += [
        Finding(Severity.NOTE, "assumed", f"{key}: {reason}")
        for key, reason in reading.facts.assumed.items()
    ]
    return found


def fleet_findings(instance: RoutingInstance, rules: frozenset[str]) -> list[Finding]:
    """Compare demands with single vehicles and with the whole fleet."""
    found = []
    fleet = instance.fleet
    largest = fleet.capacity.max(axis=0)
    amount = np.maximum(instance.deliveries, instance.pickups)
    too_much: Bools = amount > largest * (1 + 1e-9)
    over = np.any(too_much, axis=1) & instance.required
    if over.any():
        message = f"{int(over.sum())} customers need more than the largest vehicle holds"
        found.append(Finding(Severity.ERROR, "demand", message, named(instance, over)))
    trips = np.where(fleet.max_trips == UNLIMITED, np.inf, fleet.max_trips)
    count = np.where(fleet.available == UNLIMITED, np.inf, fleet.available)
    needed = instance.required if instance.required.any() else np.zeros(instance.size, bool)
    with np.errstate(invalid="ignore"):
        room = np.nan_to_num((fleet.capacity * (trips * count)[:, None]).sum(axis=0), posinf=np.inf)
    for what, demand in (("deliveries", instance.deliveries), ("pickups", instance.pickups)):
        total = demand[needed].sum(axis=0)
        short = total > room * (1 + 1e-9)
        if short.any() and "pickup_delivery" not in rules:
            at = int(np.flatnonzero(short)[0])
            message = f"{what} of {total[at]:g} in all exceed the fleet's {room[at]:g}"
            found.append(Finding(Severity.ERROR, "demand", message))
    if np.isfinite(fleet.capacity).any() and not amount.any():
        message = "there is a capacity, but no node has a demand"
        found.append(Finding(Severity.WARNING, "demand", message))
    return found + _vehicle_findings(instance, rules)


def _vehicle_findings(instance: RoutingInstance, rules: frozenset[str]) -> list[Finding]:
    """Find customers that no vehicle may serve."""
    found = []
    fleet = instance.fleet
    for rule, needs, field in (
        ("skills", instance.skills, fleet.skills),
        ("site_dependence", None, fleet.allowed),
    ):
        if rule not in rules:
            continue
        if needs is None:
            barred = ~np.any(field, axis=0)
        else:
            owned = np.all(~needs[:, None, :] | field[None, :, :], axis=2)
            barred = ~np.any(owned, axis=1)
        barred &= instance.kinds == Kind.CUSTOMER
        if barred.any():
            message = f"no vehicle may serve {int(barred.sum())} customers ({rule})"
            found.append(Finding(Severity.ERROR, "vehicles", message, named(instance, barred)))
    return found
