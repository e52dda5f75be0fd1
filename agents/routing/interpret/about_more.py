"""Rules that say more or less than now: they become the number that they lead to."""

import numpy as np

from ....evaluators.routing.instance import UNLIMITED
from ..changes import Capacity, FleetSize, RouteLimit
from .grammar import Match, rule
from .results import NotUnderstood

_UP = ("more", "extra", "additional", "add", "buy", "increase", "raise", "extend", "enlarge")
_LIMITS = {"duration": "max_duration", "driving": "max_driving", "length": "max_distance"}


def _sign(match: Match) -> int:
    return 1 if match.words["way"].split()[0] in _UP else -1


def _vehicles(match: Match) -> FleetSize:
    fleet = match.instance.fleet
    if fleet.types > 1:
        raise NotUnderstood("the fleet has several types; say of which one there are how many.")
    count = int(fleet.available[0])
    if count == UNLIMITED:
        raise NotUnderstood("the number of vehicles is not limited.")
    number = match.number(0)
    wanted = count + _sign(match) * number
    if number != int(number) or wanted < 1:
        raise NotUnderstood(f"there are {count} vehicles now; that would leave {wanted:g}.")
    return FleetSize(count=int(wanted))


def _changed(match: Match, now: float, by: float) -> float:
    """Return a value after ``by`` units, or per cent, more or less."""
    step = now * match.number(0) / 100.0 if "percent" in match.words else by
    after = round(now + _sign(match) * step, 9)
    if after < 0:
        raise NotUnderstood(f"it is {now:g} now; that would leave less than nothing.")
    return after


def _capacity(match: Match) -> Capacity:
    values = np.unique(match.instance.fleet.capacity)
    if len(values) > 1:
        raise NotUnderstood("vehicles hold different amounts; say it as a number for each.")
    if not np.isfinite(values[0]):
        raise NotUnderstood("the capacity is not limited.")
    return Capacity(capacity=_changed(match, float(values[0]), match.number(0)))


def _limit(match: Match) -> RouteLimit:
    words = match.words["what"]
    key = next(one for one in _LIMITS if one in words)
    values = np.unique(getattr(match.instance.fleet, _LIMITS[key]))
    if len(values) > 1 or not np.isfinite(values[0]):
        raise NotUnderstood(f"the {key} of routes has no one limit now.")
    by = 0.0
    if "percent" not in match.words:
        by = match.distance(0) if key == "length" else match.time(0)
    after = _changed(match, float(values[0]), by)
    measure = "distance" if key == "length" else key
    return RouteLimit.model_validate({"measure": measure, "limit": after})


_PERCENT = r"(?P<percent> ?%| percent| per cent)?"
_CHANGE = r"(?P<way>increase|raise|extend|enlarge|reduce|lower|decrease|shorten)"

MORE_RULES = (
    rule(
        r"(?:(?:use|with|add|we (?:have|had)) )*{q} (?P<way>more|extra|additional|fewer|less) "
        r"(?:vehicles?|trucks?|vans?|drivers?|cars?)|(?:and )?(?P<way2>add|buy) {q} "
        r"(?:vehicles?|trucks?|vans?|drivers?|cars?)",
        lambda m: _vehicles(_with_way(m)),
        "one more vehicle",
    ),
    rule(
        _CHANGE + r" (?:vehicle )?capacity by {q}" + _PERCENT,
        _capacity,
        "increase the capacity by 10 %",
    ),
    rule(
        _CHANGE
        + r" (?:maximum |route |routes' )*(?P<what>(?:driving(?: time)?|duration|length)(?: limit)?)"
        r"(?: of routes| limit)? by {q}" + _PERCENT,
        _limit,
        "extend the duration limit by 30 minutes",
    ),
)


def _with_way(match: Match) -> Match:
    words = dict(match.words)
    words.setdefault("way", words.get("way2", "more"))
    return Match(match.values, words, match.instance)
