"""Rules about customers: windows, service, demand, optional ones, relations between them."""

import re
from itertools import product

from ..changes import (
    Demand,
    DropCustomers,
    Incompatible,
    Lifo,
    Optional,
    Pair,
    Precedence,
    Release,
    Required,
    ServiceTime,
    SiteRule,
    Skill,
    Windows,
)
from .grammar import Build, Match, Meaning, rule
from .results import NotUnderstood

_BE = r"(?: (?:is|are|be|must be|must|may be|may|only|open|opens|available))*"
_SERVED = (
    r"(?: (?:{visited}|service|receives?|gets?|accepts?|delivery|deliveries|goods|starts?|at|in))*"
)


def _pairs(one: int, other: int) -> Build:
    """Precedences from each node of one slot to each of another."""

    def build(match: Match) -> tuple[Meaning, ...]:
        nodes = product(match.nodes(one), match.nodes(other))
        return tuple(Precedence(before=before, after=after) for before, after in nodes)

    return build


def _intervals(match: Match) -> Windows:
    times = [match.moment(index) for index in range(1, len(match.values))]
    spans = tuple(zip(times[::2], times[1::2], strict=True))
    return Windows(customers=match.nodes(0), intervals=spans)


def _together(match: Match) -> Meaning:
    names = " and ".join(match.nodes(0))
    raise NotUnderstood(
        f"there is no rule that puts {names} on one vehicle in any order; a pair does, with the "
        "pickup first: 'pick up at customer 3 and deliver to customer 8'."
    )


def _apart(match: Match) -> Incompatible:
    """Two slots: each of one against each of the other would be more pairs; only two are clear."""
    nodes = [*match.nodes(0), *(match.nodes(1) if len(match.values) > 1 else ())]
    if len(match.values) > 1 and len(nodes) > 2:
        raise NotUnderstood("say which two are meant: 'customers 7 and 12 not together'.")
    if len(nodes) < 2:
        raise NotUnderstood("that names one customer; two are never in one vehicle.")
    return Incompatible(customers=tuple(nodes))


_SPAN = r"(?:between|from)? ?{q} ?(?:and|to|until|till|-) ?{q}"
_ONE = r"(?:same|one) (?:vehicle|route|truck|van|tour|driver|car)"

CUSTOMER_RULES = (
    # not together
    rule(
        r"{n} (?:must not|not|are not|is not)(?: (?:be|go|travel|ride|come|meet|stay|put))*"
        rf"(?: together)?(?: (?:in|on|with|by) {_ONE}| together)?",
        _apart,
        "customers 7 and 12 not together",
    ),
    rule(
        r"(?:keep|separate|split|put) {n}(?: (?:and|from) {n})?"
        r"(?: (?:apart|separate|separated|in different (?:vehicles|routes|trucks|vans)))?",
        _apart,
        "keep customers 7 and 12 apart",
    ),
    rule(
        r"{n}(?: and {n})? (?:are |is )?(?:incompatible|kept apart)(?: with {n})?"
        rf"|{{n}} must not (?:share|be|go|travel)(?: {_ONE}| vehicle| route)?(?: with {{n}})?",
        _apart,
        "customers 7 and 12 are incompatible",
    ),
    rule(
        rf"{{n}} must (?:be|go|travel|stay|share)(?: together)?(?: ?(?:in|on|with|by)? ?{_ONE})?"
        rf"|keep {{n}} together|{{n}} together|{{n}} (?:in|on|with) {_ONE}",
        _together,
        "pick up at customer 3 and deliver to customer 8",
    ),
    # optional, dropped, required
    rule(
        r"{n}(?: is| are)? not (?:required|mandatory)|{n}(?: is| are| may be)? optional"
        r"(?:,? ?(?:with|at|for|but)? ?(?:(?:a )?(?:penalty|prize|price|cost) (?:of )?)?{q}"
        r"(?: (?:penalty|if (?:it is |they are )?(?:left out|skipped|not visited)))?)?"
        r"|{n} (?:need not be {visited}|may be (?:skipped|left out|dropped|omitted|unserved))"
        r"(?:,? (?:at|for|with) (?:penalty (?:of )?)?{q})?|make {n} optional",
        lambda m: Optional(customers=m.nodes(0), penalty=m.number(1) if len(m.values) > 1 else 0.0),
        "customer 5 is optional, penalty 20",
    ),
    rule(
        r"(?:all|any|every|each) customers? (?:are|is|may be) (?:optional|left out|skipped)"
        r"(?:,? ?(?:with|at|for)? ?(?:penalty|cost) (?:of )?{q}(?: each)?)?",
        lambda m: Optional(penalty=m.number(0) if m.values else 0.0),
        "all customers are optional, penalty 30",
    ),
    rule(
        r"(?:drop|remove|delete|cancel|leave out|take out|forget|without|skip|exclude) {n}"
        r"(?: from (?:plan|problem))?"
        r"|{n} (?:is|are) (?:cancelled|canceled|gone|dropped|removed|out|not {visited})"
        r"|{n} must not be (?:{visited}|planned)",
        lambda m: DropCustomers(customers=m.nodes(0)),
        "drop customer 5",
    ),
    rule(
        r"{n} (?:is|are) (?:required|mandatory|compulsory|not optional)|{n} must be {visited}",
        lambda m: Required(customers=m.nodes(0)),
        "customer 5 is required",
    ),
    rule(
        r"(?:(?:every|all|each) ?(?:customers?|stops?|one)?|everyone|everybody|every customer)"
        r" (?:must be {visited}|(?:is|are) (?:required|mandatory))|{visit} (?:all "
        r"customers|everyone)",
        lambda m: Required(),
        "every customer must be visited",
    ),
    # windows
    rule(
        rf"{{n}}:?{_BE}{_SERVED},? ?(?:only )?{_SPAN}(?:(?:,? or|,? and|,) {_SPAN})*",
        _intervals,
        "customer 3 between 9:00 and 11:00",
    ),
    rule(
        rf"{{n}}:?{_BE}{_SERVED} (?:before|by|until|till|at latest by|not after|no after|must "
        rf"not after"
        r"|at latest) {q}(?: at latest)?|{n} closes at {q}"
        r"|{n} must not be {visited} (?:after|later than) {q}",
        lambda m: Windows(customers=m.nodes(0), intervals=((None, m.moment(1)),)),
        "customer 3 before 11:00",
    ),
    rule(
        rf"{{n}}:?{_BE}{_SERVED}(?: must)?(?: be)? (?:only )?(?:after|not before|from|at earliest)"
        r" {q}(?: on| onwards| at earliest)?|{n} opens at {q}|{n} must not be {visited} "
        r"(?:before|earlier than) {q}",
        lambda m: Windows(customers=m.nodes(0), intervals=((m.moment(1), None),)),
        "customer 3 not before 9:00",
    ),
    rule(
        rf"{{n}}{_BE}{_SERVED} (?:any ?time|at any time)|no time windows? (?:for|at) {{n}}",
        lambda m: Windows(customers=m.nodes(0)),
        "customer 3 at any time",
    ),
    # service and demand
    rule(
        r"(?:service|stop|unloading|handling)(?: times?)?(?: (?:at|of|for) {n})(?: is| are| "
        r"takes?)? {q}"
        r"|{n} (?:takes?|needs?|must) {q}(?: (?:of|for) (?:service|unloading))",
        lambda m: ServiceTime(customers=m.nodes(0), time=m.time(1)),
        "service at customer 5 takes 20 min",
    ),
    rule(
        r"(?:service|unloading|handling)(?: times?)?"
        r"(?: (?:at|of|for) (?:{all} )?(?:customers?|stops?))?(?: is| are| takes?)? {q}"
        r"|(?:{all} )?(?:customers?|stops?|deliver(?:y|ies)) takes? {q}"
        r"|{q} (?:service )?(?:at|per|for) (?:{all} ?)?(?:customers?|stops?)",
        lambda m: ServiceTime(time=m.time(0)),
        "each stop takes 10 minutes",
    ),
    rule(
        r"{n} (?:receives?|gets?|wants?|orders?) {q}(?: units?| goods| of load)?"
        r"|demand (?:of|at) {n}(?: is)? {q}|{n} (?:has|have) (?:demand (?:of )?){q}",
        lambda m: Demand(customers=m.nodes(0), amount=m.number(1)),
        "demand of customer 5 is 12",
    ),
    rule(
        r"goods (?:of|for) {n} (?:are |is )?(?:ready|released|available)"
        r"(?: (?:at|from|not before|after))? {q}|{n} (?:is|are) released (?:at|from) {q}",
        lambda m: Release(customers=m.nodes(0), time=m.moment(1)),
        "goods for customer 5 are ready at 10:00",
    ),
    # order and pairs
    rule(
        r"(?:{visit} )?{n}(?: (?:is|are|be|must|must be|come|comes|goes|go|{visited}))* before {n}"
        r"|first {n},? (?:and )?then {n}",
        _pairs(0, 1),
        "customer 3 before customer 8",
    ),
    rule(
        r"(?:{visit} )?{n}(?: (?:is|are|be|must|must be|come|comes|goes|go|{visited}))* after {n}",
        _pairs(1, 0),
        "customer 8 after customer 3",
    ),
    rule(
        r"(?:pick(?:ed)? up|collect|take|goods|pick up goods)(?: goods)? (?:at|from|of) {n}"
        r"(?: and| then|,)* (?:deliver(?:ed)?|bring|brought|drop|go|carry)?(?: it| them| "
        r"goods)? ?to {n}"
        r"|{n} delivers to {n}|(?:from|pair) {n} (?:to|with) {n}",
        lambda m: (
            tuple(
                Pair(pickup=one, delivery=other)
                for one, other in zip(m.nodes(0), m.nodes(1), strict=True)
            )
            if len(m.nodes(0)) == len(m.nodes(1))
            else _unequal()
        ),
        "pick up at customer 3 and deliver to customer 8",
    ),
    rule(
        r"(?:lifo|last in,? first out)(?: (?:loading|unloading|rule|order))?"
        r"|(?:unload|unloading|loading)(?: is)? (?:lifo|last in,? first out)",
        lambda m: Lifo(on=True),
        "last in, first out",
    ),
    rule(
        r"(?:no|not) (?:lifo|last in,? first out)|(?:unload|unloading) in any order",
        lambda m: Lifo(on=False),
        "no last in, first out",
    ),
    # vehicles
    rule(
        r"only {v} (?:may |must )?{visit}s? {n}"
        r"|only {v} for {n}",
        lambda m: SiteRule(customers=m.nodes(1), vehicles=m.vehicles(0)),
        "only vehicle 2 may visit customer 5",
    ),
    rule(
        r"{n} (?:must be|is|are|only|may be)(?: only| be)?(?: {visited})?(?: only)? "
        r"(?:by|with|from) {v}"
        r"|{n} (?:needs?|requires?|wants?) {v}",
        lambda m: SiteRule(customers=m.nodes(0), vehicles=m.vehicles(1)),
        "customer 5 must be served by vehicle 2",
    ),
    rule(
        r"{v} must not {visit} {n}|(?:must not|never) send {v} to {n}|no {v} (?:for|at|to) {n}",
        lambda m: SiteRule(customers=m.nodes(1), vehicles=m.vehicles(0), only=False),
        "vehicle 1 may not visit customer 5",
    ),
    rule(
        r"{n} must not be {visited} by {v}|{n} not (?:{visited} )?(?:by|with) {v}",
        lambda m: SiteRule(customers=m.nodes(0), vehicles=m.vehicles(1), only=False),
        "customer 5 must not be served by vehicle 1",
    ),
    rule(
        r"{n} (?:needs?|requires?) (?P<skill>[a-z][a-z -]{1,38}[a-z]),? ?(?:which |that |and )?"
        r"only {v} (?:has|have)(?: it)?",
        lambda m: Skill(customers=m.nodes(0), vehicles=m.vehicles(1), skill=m.words["skill"]),
        "customer 5 needs a crane, which only vehicle 2 has",
    ),
)


def _unequal() -> tuple[Meaning, ...]:
    raise NotUnderstood("a pair joins one pickup with one delivery; name them one by one.")


CUSTOMER_WORDS = re.compile(r"<n\d+>")
