"""Rules about routes, vehicles, the objective and units."""

import re

from ....evaluators.routing.rounding import ROUNDINGS
from ..changes import (
    Breaks,
    Capacity,
    FleetSize,
    LoadRule,
    ObjectiveOrder,
    ReturnRule,
    Rounding,
    RouteLimit,
    Shift,
    Speed,
    Trips,
    Units,
    VehicleCost,
    Windows,
    Without,
    known_unit,
)
from .amounts import DISTANCE_UNITS, TIME_UNITS
from .grammar import Match, Meaning, rule
from .results import NotUnderstood, UnitUnknown

_MEASURES = (
    (
        r"(?:number of |count of )?(?:vehicles?|routes?|trucks?|vans?|drivers?|fleet(?: size)?)",
        "vehicles",
    ),
    (r"(?:total )?costs?", "cost"),
    (r"(?:total )?(?:distances?|length|mileage|kilomet(?:er|re)s|way)", "distance"),
    (r"(?:total )?(?:time|duration|working time)", "duration"),
    (
        r"(?:longest|last) (?:duration|time|working day|day|shift)|makespan|latest return",
        "makespan",
    ),
    (r"longest (?:route|tour|distance|length|trip)(?: length)?", "longest_route"),
    (r"imbalance|differences?(?: between routes)?|unbalance", "imbalance"),
)
_ANY_MEASURE = "|".join(pattern for pattern, _ in _MEASURES)
_MINIMISE = r"(?:minimi[sz]e|fewest|fewer|few|least|smallest|shortest|lowest|cheapest|reduce|less)"
_RULES = (
    (r"(?:time )?windows?|opening hours", "time_windows"),
    (r"capacity(?: limits?)?|capacities", "capacity"),
    (r"(?:distance|length) limits?", "distance_limit"),
    (r"(?:duration|working time|route time|time) limits?", "duration_limit"),
    (r"driving(?: time)? limits?", "driving_limit"),
    (r"breaks?|rests?", "breaks"),
    (r"(?:number of vehicles|fleet(?: size)?|vehicle) limits?", "fleet"),
    (r"site (?:dependence|rules?)|vehicle restrictions?", "site_dependence"),
    (r"skills?", "skills"),
    (r"incompatib(?:le goods|ilit(?:y|ies))", "incompatible"),
    (r"precedences?|order of customers", "precedence"),
    (r"release times?", "release_times"),
    (r"reloads?", "reloads"),
)
_ANY_RULE = "|".join(pattern for pattern, _ in _RULES)
_TIME_WORD = {"second": "s", "minute": "min", "hour": "h"}
_FAR = {"kilometre": "km", "kilometer": "km", "km": "km", "metre": "m", "meter": "m", "mile": "mi"}


def _named(table: tuple[tuple[str, str], ...], words: str) -> str:
    return next(name for pattern, name in table if re.fullmatch(pattern, words.strip()))


def _without(words: str) -> Without:
    found = next((name for pattern, name in _RULES if re.fullmatch(pattern, words)), None)
    if found is None:
        raise NotUnderstood(f"there is no rule {words!r} to take away.")
    return Without(rule=found)


def _order(match: Match) -> ObjectiveOrder:
    named = [_named(_MEASURES, match.words[key]) for key in ("a", "b", "c") if key in match.words]
    last = () if named[-1] in ("cost", "distance", "duration") else ("cost",)
    return ObjectiveOrder(order=(*named, *last))


def _vehicle(match: Match, index: int) -> int:
    numbers = match.vehicles(index)
    if len(numbers) != 1:
        raise NotUnderstood("say it for one vehicle type at a time.")
    return numbers[0]


def _count(match: Match, index: int = 0) -> int:
    number = match.number(index)
    if match.values[index].unit or number != int(number) or number < 1:
        raise NotUnderstood("a number of vehicles or trips is a whole number from 1.")
    return int(number)


def _depots(match: Match) -> tuple[str, ...]:
    return tuple(match.instance.node_ids[row] for row in match.instance.depots)


def _speed(match: Match) -> Speed:
    """A bare number is in the file's units; km/h needs to know them."""
    if "per" not in match.words:
        return Speed(speed=match.number(0))
    far, time = (known_unit(match.instance, kind) for kind in ("distance", "time"))
    if far not in DISTANCE_UNITS or time not in TIME_UNITS:
        raise UnitUnknown(
            "the file does not say its units: say 'distances are in km' and 'times are in minutes' "
            "first, or give the speed in the file's own units, without a unit."
        )
    metres = DISTANCE_UNITS["mi" if "m" in match.words["per"].replace("km", "") else "km"]
    return Speed(speed=match.number(0) * metres / DISTANCE_UNITS[far] * TIME_UNITS[time] / 3600.0)


def _units(match: Match) -> Units:
    words = match.words
    time = next((unit for word, unit in _TIME_WORD.items() if word in words.get("time", "")), "")
    far = next((unit for word, unit in _FAR.items() if word in words.get("far", "")), "")
    return Units.model_validate({"time": time, "distance": far, "load": words.get("load", "")})


_REST = r"(?=.*\b(?:breaks?|rests?|pauses?)\b)"
_TO = r"(?: (?:to|and|until|till|-) )"
_RETURN = (
    r"(?:returns?|comes? back|go back|goes back|be back|drive back|ends? at depot|go home|come "
    r"home|get back)"
    r"(?: (?:to|at) (?:depot|base|start|depots|warehouse))?(?: (?:at end|in end|afterwards))?"
)

ROUTE_RULES = (
    # how many
    rule(
        r"(?:(?:there (?:is|are)|we|i|use|have|with|only|exactly|at most|maximum|limit(?: "
        r"fleet)? to) )*"
        r"{q} (?:vehicles?|trucks?|vans?|drivers?|cars?|routes?|tours?)"
        r"(?: (?:only|available|at most|are (?:available|there)|maximum|exist))*",
        lambda m: FleetSize(count=_count(m)),
        "at most 4 vehicles",
    ),
    rule(
        r"must not use (?:over|more than|above) {q} "
        r"(?:vehicles?|trucks?|vans?|drivers?|cars?|routes?)",
        lambda m: FleetSize(count=_count(m)),
        "at most 4 vehicles",
    ),
    rule(
        r"(?:fleet(?: size)?|number of (?:vehicles|routes|trucks))(?: (?:is|of|at most|must "
        r"be|be))* {q}",
        lambda m: FleetSize(count=_count(m)),
        "fleet size 4",
    ),
    rule(
        r"(?:(?:there (?:is|are)|we have|use|only|at most) )*{q}(?: vehicles?)? of (?:type )?{v}"
        r"|(?:(?:there (?:is|are)|we have|use|only|at most) )*{q} {v}",
        lambda m: FleetSize(count=_count(m), vehicle=_vehicle(m, 1)),
        "at most 2 vehicles of type 1",
    ),
    rule(
        r"(?:as many (?:vehicles|routes|trucks) as (?:wanted|needed|you want|you "
        r"like|necessary|possible)"
        r"|unlimited (?:fleet|vehicles|number of vehicles)|(?:fleet|number of vehicles) is "
        r"unlimited"
        r"|any number of (?:vehicles|trucks|routes))",
        lambda m: FleetSize(count=None),
        "as many vehicles as needed",
    ),
    # capacity
    rule(
        r"(?:vehicle |vehicles |truck |each |maximum |max )*(?:capacity|capacities)(?: of "
        r"vehicles?)?"
        r"(?: (?:is|are|of|at most|be|must be))* {q}(?: units?)?"
        r"|set (?:vehicle )?capacity (?:to|at) {q}"
        r"|{route}(?: may| must)?(?: (?:holds?|carry|carries|loads?))(?: at most)? {q}(?: units?)?",
        lambda m: Capacity(capacity=m.number(0)) if not m.values[0].kind else _no_load(),
        "vehicle capacity is 50",
    ),
    rule(
        r"{v}(?: may)?(?: (?:holds?|carry|carries|loads?|takes?))(?: at most)? {q}(?: units?)?"
        r"|(?:capacity of )?{v}(?: has| have)?(?: capacity)?(?: (?:is|of))? {q}",
        lambda m: (
            Capacity(capacity=m.number(1), vehicle=_vehicle(m, 0))
            if not m.values[1].kind
            else _no_load()
        ),
        "vehicle 2 holds 30",
    ),
    # return
    rule(
        rf"{{route}} (?:need not|must not|not) {_RETURN}"
        r"|(?:routes|tours) (?:are|may be|stay) open|open (?:routes|tours|ends?)|no return(?: "
        r"to depot)?"
        r"|{route} (?:end|stop|finish)s? (?:at|with) (?:their |its )?last (?:customer|stop)"
        r"|{route} may end anywhere|one ?way (?:routes|tours)?",
        lambda m: ReturnRule(rule="open"),
        "vehicles need not return",
    ),
    rule(
        rf"{{route}} (?:must |all )?{_RETURN}"
        r"|(?:routes|tours) (?:are|must be) closed|closed (?:routes|tours)"
        r"|return to (?:depot|base)",
        lambda m: ReturnRule(rule="closed"),
        "vehicles must return to the depot",
    ),
    # load rule
    rule(
        r"(?:all )?deliver(?:y|ies)(?: come| go| must come)? (?:first|before(?: all| any)? "
        r"pick-?ups?)"
        r"|pick-?ups?(?: only)?(?: come| go| must come)? (?:only )?(?:after(?: all)? "
        r"deliveries|last)",
        lambda m: LoadRule(rule="backhaul"),
        "deliveries before pickups",
    ),
    rule(
        r"(?:deliveries and pick-?ups|pick-?ups and deliveries|loads)(?: (?:are|may be))? mixed"
        r"|mixed (?:loads?|backhauls?|deliveries and pick-?ups|pick-?ups and deliveries)",
        lambda m: LoadRule(rule="mixed_backhaul"),
        "pickups and deliveries may be mixed",
    ),
    # objective
    rule(
        rf"(?:{_MINIMISE}|use {_MINIMISE}|as few|use as few) (?P<a>{_ANY_MEASURE})(?: as "
        rf"possible)?(?:,? first)?"
        rf"(?:,? (?:and )?then (?:{_MINIMISE} )?(?P<b>{_ANY_MEASURE}))?"
        rf"(?:,? (?:and )?then (?:{_MINIMISE} )?(?P<c>{_ANY_MEASURE}))?",
        _order,
        "fewest vehicles first",
    ),
    rule(
        rf"(?P<a>{_ANY_MEASURE})(?: (?:come|comes|matters?|goes))? first"
        rf"(?:,? (?:and )?then (?P<b>{_ANY_MEASURE}))?",
        _order,
        "vehicles first, then distance",
    ),
    rule(
        r"balance|(?:balanced?|even out|fair|equal)(?: (?:routes|work|workload|drivers|tours|"
        r"working times?))?|(?:routes|work|workload|tours)(?: (?:must|be|is|are))* balanced"
        r"|equally long routes|share work (?:fairly|equally|evenly)",
        lambda m: ObjectiveOrder(order=("imbalance", "cost")),
        "balance the routes",
    ),
    rule(
        r"(?:make )?longest route(?: must be)?(?: be)?(?: as)? short(?:er|est)?(?: as possible)?"
        r"|shortest longest route",
        lambda m: ObjectiveOrder(order=("longest_route", "cost")),
        "minimise the longest route",
    ),
    rule(
        r"(?:finish|be done|return|be back) as (?:early|soon) as possible|earliest finish",
        lambda m: ObjectiveOrder(order=("makespan", "cost")),
        "finish as early as possible",
    ),
    # rounding
    rule(
        r"(?:no rounding|(?:distances )?(?:are )?(?:unrounded|not rounded|exact decimals)"
        r"|must not round(?: distances)?)",
        lambda m: Rounding(rule="none"),
        "distances are not rounded",
    ),
    rule(
        r"(?:rounding(?: is)?|round distances?|round|rounded) (?P<rule>"
        + "|".join(ROUNDINGS)
        + r")",
        lambda m: Rounding(rule=m.words["rule"]),
        "rounding nearest",
    ),
    rule(
        r"(?:round(?:ed)?(?: distances)?|distances (?:are )?rounded) (?P<way>to nearest(?: "
        r"integer)?|up|down)"
        r"|round distances to (?P<int>integers?|whole numbers)",
        lambda m: Rounding(
            rule={"up": "ceil", "down": "floor"}.get(m.words.get("way", ""), "nearest")
        ),
        "distances are rounded up",
    ),
    # breaks, shifts, trips
    rule(
        rf"{_REST}(?:drivers? )?(?:must )?(?:take |rest |have |make )*(?:breaks?|rests?|pauses?)? "
        r"?(?:of |for )?{q}"
        r"(?: (?:break|rest|pause|off))? (?:after|every|for every|per)(?: at most)?(?: every)? {q}"
        r"(?: (?:of driving|at wheel|driving|of driving time))?",
        lambda m: Breaks(length=m.time(0), after=m.time(1)),
        "a break of 45 min after 4.5 h of driving",
    ),
    rule(
        rf"{_REST}(?:after|every)(?: at most)? {{q}}(?: (?:of driving|at wheel|driving))?,? "
        rf"(?:drivers? )?"
        r"(?:must )?(?:take |rest |have |make )*(?:breaks?|rests?|pauses?)? ?(?:of |for "
        r")?{q}(?: (?:break|rest|pause))?",
        lambda m: Breaks(after=m.time(0), length=m.time(1)),
        "after 4.5 h of driving a rest of 45 min",
    ),
    rule(
        r"{q}(?: of)? driving(?: time)?(?: (?:in|within|per|and|of|but))* {q}(?: "
        r"(?:shifts?|days?))",
        lambda m: (
            RouteLimit(measure="driving", limit=m.time(0)),
            RouteLimit(measure="duration", limit=m.time(1)),
        ),
        "9 h of driving in a 15 h shift",
    ),
    rule(
        r"{q} (?:shifts?|working day)",
        lambda m: RouteLimit(measure="duration", limit=m.time(0)),
        "a 15 h shift",
    ),
    rule(
        r"(?:only )?{q}(?: of)? (?:driving(?: time)?|at wheel)",
        lambda m: RouteLimit(measure="driving", limit=m.time(0)),
        "9 h of driving",
    ),
    rule(
        r"(?:shifts?|working hours|{route}|working day|day)"
        r"(?: (?:is|are|work|works|run|runs|drive|must|may|go|lasts?|only))*"
        rf" (?:from |between )?{{q}}{_TO}{{q}}",
        lambda m: Shift(earliest=m.moment(0), latest=m.moment(1)),
        "drivers work from 8:00 to 17:00",
    ),
    rule(
        r"{route} (?:(?:must )?(?:leave|leaves|start|starts|depart|departs) (?:depot )?"
        r"(?:not before|after|from)|must not (?:leave|start|depart)(?: depot)? before) {q}",
        lambda m: Shift(earliest=m.moment(0)),
        "vehicles leave not before 7:00",
    ),
    rule(
        rf"{{route}} must {_RETURN} (?:by|before|until|at latest|not after) {{q}}"
        r"|(?:back|return) (?:at depot |to depot )?(?:by|before) {q}",
        lambda m: Shift(latest=m.moment(0)),
        "vehicles must be back by 17:00",
    ),
    rule(
        rf"depots?(?: (?:is|are|opens?|open|be|must be))* (?:from |between )?{{q}}{_TO}{{q}}",
        lambda m: Windows(customers=_depots(m), intervals=((m.moment(0), m.moment(1)),)),
        "the depot is open from 6:00 to 18:00",
    ),
    rule(
        r"depots? closes? at {q}",
        lambda m: Windows(customers=_depots(m), intervals=((None, m.moment(0)),)),
        "the depot closes at 18:00",
    ),
    rule(
        r"{route} (?:may make|may do|make|makes|may drive)(?: at most)? {q} trips"
        r"|at most {q} trips(?: (?:per|for each|for) (?:vehicle|driver))?|{q} trips per "
        r"(?:vehicle|driver)",
        lambda m: Trips(trips=_count(m)),
        "at most 2 trips per vehicle",
    ),
    rule(
        r"{route} (?:may|can) (?:reload|return to reload|make several trips)(?: at depot)?"
        r"|reload(?:s|ing)?(?: (?:is|are))? (?:allowed|possible)|several trips(?: per vehicle)?",
        lambda m: Trips(trips=None),
        "vehicles may reload",
    ),
    # costs, speed, units
    rule(
        r"(?:fixed costs?|costs? (?:of|per) vehicle)(?: (?:of|per) vehicle)?(?: is| are| of)? "
        r"{q}(?: per "
        r"vehicle)?"
        r"|(?:{all} |using )?(?:vehicles?|trucks?|vans?) costs? {q}(?: (?:when used|fixed|each))?",
        lambda m: VehicleCost(fixed=m.number(0)),
        "each vehicle costs 100",
    ),
    rule(
        r"{v} costs? {q}(?: (?:when used|fixed))?",
        lambda m: VehicleCost(fixed=m.number(1), vehicle=_vehicle(m, 0)),
        "vehicle 2 costs 150",
    ),
    rule(
        r"(?:average )?speed(?: is| of)? {q}(?: ?(?P<per>km ?/ ?h|kmh|kph|mph))?",
        _speed,
        "speed is 2",
    ),
    rule(
        r"(?:all )?(?:times?|durations?|windows|unit of time)(?: (?:is|are|in))* "
        r"(?P<time>seconds?|minutes?|hours?)"
        r"|(?:all )?(?:distances?|lengths?|unit of distance)(?: (?:is|are|in))* "
        r"(?P<far>km|kilomet(?:er|re)s?|met(?:er|re)s?|miles?)"
        r"|(?:loads?|demands?)(?: (?:is|are|in))* in (?P<load>[a-z]{2,20})",
        _units,
        "times are in minutes",
    ),
    # away with a rule
    rule(
        rf"(?:ignore|lift|forget|drop|remove|disable)(?: all| any)? (?P<what>{_ANY_RULE})"
        r"|(?:no|without)(?: any)? (?P<none>[a-z ]+ limits?|(?:time "
        r")?windows|breaks|skills|reloads)",
        lambda m: _without(m.words.get("what") or m.words["none"]),
        "ignore time windows",
    ),
)


def _no_load() -> Meaning:
    raise NotUnderstood("a capacity is a load: a plain number, as in 'vehicle capacity is 50'.")
