"""Limits of routes: a clause of a few known words, one amount, and which way it points.

"No driver over 9 hours", "each route takes at most 480", "limit routes to 120 km" and many others
are one thing; what is limited follows from the unit or from a word, else the text is not clear.
"""

import re

from ....evaluators.routing import RoutingInstance
from ..changes import RouteLimit
from .amounts import Quantity
from .results import NotUnderstood
from .slots import Slots

_CEILING = re.compile(r"at most|\b(?:limit(?:ed)?|maximum|max|within|under|below|less than)\b")
_EXCESS = re.compile(
    r"\b(?:over|longer than|more than|above|exceeds?|beyond|farther than|further than)\b"
)
_NEGATED = re.compile(r"\b(?:no|not|must not|nobody|no one|none)\b")
_DRIVING = re.compile(r"\b(?:drive[sn]?|driving|wheel)\b")
_DURATION = re.compile(r"\b(?:durations?|lasts?|takes?|works?|working|time|shifts?|hours|day)\b")
_LENGTH = re.compile(r"\b(?:lengths?|distances?|far|mileage|kilometres|farther|further)\b")
_SUBJECT = re.compile(
    r"\b(?:routes?|tours?|trips?|drivers?|vehicles?|trucks?|vans?|cars?|lorry|lorries|crews?|nobody|no "
    r"one|limit(?:ed)?|maximum|max"
    r"|duration|driving|distance|length|shifts?|working|drive)\b|<v\d+>"
)
_WORDS = """
keep car cars lorry lorries crew crews no not must may nobody none one each every any all
routes route tours tour trips trip drivers driver vehicles vehicle trucks truck vans van at
most limit limited limits to maximum max within under below less than over longer more above
exceed exceeds beyond farther further is are be of in on per day durations duration last
lasts take takes work works working time times shift shifts hours long drive drives driven
driving wheel length lengths distance distances far route's travel travels for with only but
our my it goes go and have has mileage road spend spends
"""
_KNOWN = frozenset(_WORDS.split())


def read_limit(slots: Slots, instance: RoutingInstance) -> RouteLimit | None:
    """Return the limit that a clause sets, or None where it is no such clause.

    Raises:
        NotUnderstood: it is one, but says neither by unit nor by word what is limited.
    """
    text = slots.text
    amounts = re.findall(r"<q\d+>", text)
    vehicles = re.findall(r"<v\d+>", text)
    words = re.sub(r"<[qv]\d+>|[,:]", " ", text).split()
    if len(amounts) != 1 or len(vehicles) > 1 or "<n" in text or not _KNOWN.issuperset(words):
        return None
    lifted = bool(_EXCESS.search(text))
    negated = bool(_NEGATED.search(text))
    bounded = bool(_CEILING.search(text)) and not lifted
    ceiling = (lifted and negated) or (bounded and not negated)
    only = bool(_DRIVING.search(text)) and "only" in words and not negated
    if not only and not (ceiling and _SUBJECT.search(text)):
        return None
    quantity = slots.value(amounts[0])
    assert isinstance(quantity, Quantity)
    if quantity.clock:
        return None
    measure = _measure(text, quantity)
    vehicle = None
    if vehicles:
        numbers = slots.value(vehicles[0])
        if len(numbers) != 1:  # type: ignore[arg-type]  # a tuple, by its kind
            raise NotUnderstood("say it for one vehicle type at a time.")
        vehicle = int(numbers[0])  # type: ignore[index]
    kind = "distance" if measure == "distance" else "time"
    return RouteLimit(measure=measure, limit=quantity.value_in(instance, kind), vehicle=vehicle)  # type: ignore[arg-type]


def _measure(text: str, quantity: Quantity) -> str:
    """Say what is limited.

    Raises:
        NotUnderstood: neither unit nor words tell.
    """
    driving, lasting, far = (
        bool(pattern.search(text)) for pattern in (_DRIVING, _DURATION, _LENGTH)
    )
    if quantity.kind == "distance":
        if re.search(r"\b(?:time|durations?|hours)\b", text):
            raise NotUnderstood(f"{quantity.value:g} {quantity.unit} is no time.")
        return "distance"
    if quantity.kind == "time":
        if re.search(r"\b(?:lengths?|distances?|mileage)\b", text):
            raise NotUnderstood(f"{quantity.value:g} {quantity.unit} is no length.")
        return "driving" if driving else "duration"
    if far and not driving and not (lasting and "time" in text):
        return "distance"
    if driving and "time" in text:
        return "driving"
    if lasting and not driving:
        return "duration"
    raise NotUnderstood(
        f"is {quantity.value:g} a duration, a driving time or a length? Say 'routes last at most "
        f"{quantity.value:g}', 'driving time at most {quantity.value:g}' or 'route length at most "
        f"{quantity.value:g}', or add a unit."
    )
