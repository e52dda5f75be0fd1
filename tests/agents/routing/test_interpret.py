"""Plain English to changes without a model: what is understood, and what is refused."""

import json
import random

import pytest

from eurisko.agents.routing.changes import (
    ANY_CHANGE,
    Change,
    RoutingTask,
    shown_rules,
)
from eurisko.agents.routing.interpret import EXAMPLES, Ask, Command, interpret
from eurisko.evaluators.routing import parse_routing


def make_task(units: dict[str, str] | None, *, pickups: bool = False) -> RoutingTask:
    """Twenty numbered customers and one with a name, on a plane."""
    nodes: list[dict[str, object]] = [{"id": "0", "kind": "depot", "x": 0, "y": 0}]
    nodes += [{"id": str(n), "x": n, "y": n % 3, "delivery": 3} for n in range(1, 21)]
    nodes.append({"id": "Town Hall", "x": 3, "y": 9, "delivery": 1})
    if pickups:
        nodes[1]["pickup"] = 2
    content = {"nodes": nodes, "vehicles": [{"capacity": 20}], "units": units or {}}
    instance = parse_routing(json.dumps(content)).instance
    return RoutingTask(instance, shown_rules(instance, {"closed"}))


IN_MINUTES = make_task({"time": "min", "distance": "km"})
WITHOUT_UNITS = make_task(None)


def change(kind: str, **fields: object) -> Change:
    return ANY_CHANGE.validate_python({"kind": kind, **fields})


def limit(measure: str, value: float, vehicle: int | None = None) -> Change:
    return change("route_limit", measure=measure, limit=value, vehicle=vehicle)


def windows(customers: list[str], *intervals: tuple[float | None, float | None]) -> Change:
    return change("windows", customers=customers, intervals=intervals)


NINE = limit("duration", 540)
APART = change("incompatible", customers=["7", "12"])
FOUR = change("fleet_size", count=4)

UNDERSTOOD: list[tuple[str, list[Change | Ask | Command]]] = [
    # limits of routes
    ("no driver over 9 hours", [NINE]),
    ("No driver may work more than nine hours!", [NINE]),
    ("each route must last at most 9 h", [NINE]),
    ("limit routes to 9 hours", [NINE]),
    ("routes take no longer than 9 hours", [NINE]),
    ("a 9 h shift", [NINE]),
    ("maximum route duration 540", [NINE]),
    ("routes take at most 7 h 30", [limit("duration", 450)]),
    ("no route may exceed half an hour", [limit("duration", 30)]),
    ("drivers must not drive more than 4.5 hours", [limit("driving", 270)]),
    ("max driving time 9 hours", [limit("driving", 540)]),
    ("9 h driving in a 15 h shift", [limit("driving", 540), limit("duration", 900)]),
    ("a 15 h shift but only 9 h of driving", [limit("duration", 900), limit("driving", 540)]),
    ("no route longer than 100 km", [limit("distance", 100)]),
    ("keep the route length under 500 m", [limit("distance", 0.5)]),
    ("route length at most 120", [limit("distance", 120)]),
    ("vehicle 2 drives at most 60 min", [limit("driving", 60, 2)]),
    # vehicles
    ("at most 4 vehicles", [FOUR]),
    ("we only have four vans", [FOUR]),
    ("don't use more than 4 trucks", [FOUR]),
    ("as many vehicles as needed", [change("fleet_size", count=None)]),
    ("at most 2 vehicles of type 1", [change("fleet_size", count=2, vehicle=1)]),
    ("set the capacity to 30", [change("capacity", capacity=30)]),
    ("each van carries at most 30", [change("capacity", capacity=30)]),
    ("vehicle 2 holds 30", [change("capacity", capacity=30, vehicle=2)]),
    ("drivers work from 8:00 to 17:00", [change("shift", earliest=480, latest=1020)]),
    ("all vehicles must be back at the depot by 5 pm", [change("shift", latest=1020)]),
    ("vehicles leave not before 7:00", [change("shift", earliest=420)]),
    ("the depot is open from 6:00 to 18:00", [windows(["0"], (360, 1080))]),
    ("the depot closes at 6 pm", [windows(["0"], (None, 1080))]),
    ("no capacity limit", [change("without", rule="capacity")]),
    ("customer 5 is not required", [change("optional", customers=["5"])]),
    ("customer 5 must not be served after 11:00", [windows(["5"], (None, 660))]),
    (
        "customer 5 must be served by vehicle 1 or 2",
        [change("site_rule", customers=["5"], vehicles=[1, 2])],
    ),
    ("every van costs 100", [change("vehicle_cost", fixed=100)]),
    ("at most 2 trips per vehicle", [change("trips", trips=2)]),
    ("vehicles may reload at the depot", [change("trips", trips=None)]),
    ("breaks of 45 minutes every 4.5 hours", [change("breaks", after=270, length=45)]),
    ("after 4 h of driving, drivers must rest 30 min", [change("breaks", after=240, length=30)]),
    ("average speed is 60 km/h", [change("speed", speed=1)]),
    ("what if we had 4 vehicles?", [FOUR]),
    ("at most 3 vehicles; add one vehicle", [change("fleet_size", count=3), FOUR]),
    ("at most 5 vehicles. One fewer van", [change("fleet_size", count=5), FOUR]),
    ("increase the capacity by 10%", [change("capacity", capacity=22)]),
    ("lower the vehicle capacity by 5", [change("capacity", capacity=15)]),
    ("no driver over 8 hours; extend the duration limit by 1 h", [limit("duration", 480), NINE]),
    # return
    ("vehicles need not return", [change("return", rule="open")]),
    ("drivers don't have to come back to the depot", [change("return", rule="open")]),
    ("routes are open", [change("return", rule="open")]),
    ("vehicles must return to the depot", [change("return", rule="closed")]),
    # customers
    ("customer 5 is optional", [change("optional", customers=["5"])]),
    (
        "customers 3-6 are optional with a penalty of 10",
        [change("optional", customers=["3", "4", "5", "6"], penalty=10)],
    ),
    ("customer 5 need not be visited", [change("optional", customers=["5"])]),
    ("all customers are optional, penalty 30", [change("optional", penalty=30)]),
    ("drop customers 3 and 5", [change("drop", customers=["3", "5"])]),
    ("customer 5 must not be visited", [change("drop", customers=["5"])]),
    ("customer 5 is required", [change("required", customers=["5"])]),
    ("everyone must be served", [change("required")]),
    ("customer 3 between 9:00 and 11:00", [windows(["3"], (540, 660))]),
    ("please make sure customer 3 is served between 9am and 11am", [windows(["3"], (540, 660))]),
    ("customer 3: 9:00-11:00", [windows(["3"], (540, 660))]),
    (
        "customer 3 between 9:00 and 11:00 or between 14:00 and 16:00",
        [windows(["3"], (540, 660), (840, 960))],
    ),
    ("town hall before noon", [windows(["Town Hall"], (None, 720))]),
    ("customers 3 and 4 not before 9:30", [windows(["3", "4"], (570, None))]),
    ("customer 3 at any time", [windows(["3"])]),
    ("customer 4 between 500 and 600", [windows(["4"], (500, 600))]),
    ("each stop takes ten minutes", [change("service_time", time=10)]),
    ("the service time at customer 5 is 0.5 h", [change("service_time", customers=["5"], time=30)]),
    ("demand of customer 5 is 12", [change("demand", customers=["5"], amount=12)]),
    ("goods for customer 5 are ready at 10:00", [change("release", customers=["5"], time=600)]),
    # relations
    ("customers 7 and 12 not together", [APART]),
    ("7 and 12 must not be together", [APART]),
    ("customers 7 and 12 can't be on the same truck", [APART]),
    ("keep customer 7 and customer 12 apart", [APART]),
    ("customer 7 must not share a vehicle with customer 12", [APART]),
    ("customer 3 before customer 8", [change("precedence", before="3", after="8")]),
    ("customer 8 must be visited after customer 3", [change("precedence", before="3", after="8")]),
    (
        "pick up at customer 3 and deliver to customer 8",
        [change("pair", pickup="3", delivery="8")],
    ),
    (
        "only vehicles 1 and 2 may visit customer 5",
        [change("site_rule", customers=["5"], vehicles=[1, 2])],
    ),
    (
        "vehicle 1 may not serve customers 3 and 5",
        [change("site_rule", customers=["3", "5"], vehicles=[1], only=False)],
    ),
    (
        "customer 5 needs a tail lift, which only vehicle 2 has",
        [change("skill", customers=["5"], vehicles=[2], skill="tail lift")],
    ),
    # objective, rounding, rules away
    ("use as few vehicles as possible", [change("objective", order=["vehicles", "cost"])]),
    ("minimise distance", [change("objective", order=["distance"])]),
    ("balance the routes", [change("objective", order=["imbalance", "cost"])]),
    ("minimise the longest route", [change("objective", order=["longest_route", "cost"])]),
    ("distances are rounded to the nearest integer", [change("rounding", rule="nearest")]),
    ("ignore the capacity", [change("without", rule="capacity")]),
    ("times are in hours", [change("units", time="h")]),
    # questions and commands
    ("why is there no solution?", [Ask("why")]),
    ("which vehicle visits customer 7?", [Ask("visit", ("7",))]),
    ("How many vehicles are used?", [Ask("vehicles")]),
    ("solve it for 5 seconds", [Command("solve", 5.0)]),
    ("undo that", [Command("undo")]),
    # several at once
    ("no driver over 9 hours and customers 7 and 12 not together", [NINE, APART]),
    (
        "no driver over 9 hours; customers 7 and 12 not together. At most 4 vehicles.",
        [NINE, APART, FOUR],
    ),
]

REFUSED: list[tuple[str, str]] = [
    ("the weather is nice", "not understood"),
    ("make it cheaper", "not understood"),
    ("no left turns", "not the roads"),
    ("at least 4 vehicles", "least number of vehicles"),
    ("use all vehicles", "least number of vehicles"),
    ("mind the rush hour", "time of day are not modelled"),
    ("customer 3 may be late for 10 euros", "windows and limits are hard"),
    ("split the demand of customer 5", "one visit"),
    ("lunch break for all drivers", "breaks follow from driving time"),
    ("two crews at customer 4", "several vehicles at one time"),
    ("freeze the first route", "drop the customers that are done"),
    ("customer 3 on the next day", "there are no days"),
    ("no driver over 9 apples", "not understood"),
    ("no route shorter than 9 hours", "not understood"),
    ("drivers over 9 hours", "not understood"),
    ("increase the capacity", "not understood"),
    ("one more vehicle", "is not limited"),
    ("extend the duration limit by 30 minutes", "has no one limit"),
    ("reduce the capacity by 25", "less than nothing"),
    ("customer 3 must be first", "not understood"),
    ("customer 5 is optional and the moon is full", "not understood"),
    ("customer 5 is optional on Mondays", "not understood"),
    ("no route over 9", "a duration, a driving time or a length"),
    ("customers 7 and 12 together", "no rule"),
    ("customers 7 and 12 on the same vehicle", "no rule"),
    ("customer 3 from 9 to 11", "an hour or in min"),
    ("customer 99 is optional", "no node '99'"),
    ("customer 0 is optional", "is a depot"),
    ("customer 3 between 11:00 and 9:00", "closes before it opens"),
    ("customer 3 before customer 3", "before itself"),
    ("vehicle capacity is 5 km", "a capacity is a load"),
    ("last in, first out", "no pickup and delivery pairs"),
    ("deliveries before pickups", "anything to pick up"),
    ("ignore time windows", "not part of the problem"),
    ("0 vehicles", "whole number from 1"),
    ("2.5 vehicles", "whole number from 1"),
    ("customers 7, 8 and 12 not together with customer 9", "not understood"),
    # near misses of sentences that are understood
    ("total distance at most 500 km", "not understood"),
    ("no driver over 9 hours except driver 2", "not understood"),
    ("customer 3 or 4 is optional", "not understood"),
    ("only customers 3 and 4 are optional", "not understood"),
    ("customer 3 is closed between 12:00 and 13:00", "not understood"),
    ("customer 3 not between 9:00 and 11:00", "not understood"),
    ("vehicle 2 only visits customer 5", "not understood"),
    ("customer 5 wants 20 minutes", "without a unit"),
    ("customer 5 is optional, penalty 20 km", "without a unit"),
    ("30 min after 4 h", "not understood"),
    ("cost 100", "not understood"),
    ("no vehicle", "not understood"),
    ("no time", "not understood"),
    ("relax the time windows", "not understood"),
    ("no fishing limits", "no rule 'fishing limits'"),
    ("customer 5 needs 2 vehicles", "not understood"),
    ("vehicles 1 and 2 drive at most 60 min", "one vehicle type at a time"),
    ("3 customers are optional", "not understood"),
    ("drop everything", "not understood"),
    ("9:00 vehicles", "without a unit"),
    ("max driving time 9 km", "is no time"),
    ("route length at most 9 hours", "is no length"),
    ("customer 7 not together", "one customer"),
]


@pytest.mark.parametrize(("text", "meaning"), UNDERSTOOD)
def test_says_what_it_means(text: str, meaning: list[Change | Ask | Command]) -> None:
    """Each of these sentences means exactly these changes, questions or commands."""
    found = interpret(text, IN_MINUTES)
    commands = [found.command] if found.command else []
    assert [*found.changes, *found.asks, *commands] == meaning
    assert found.unclear == ()


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_is_not_guessed(text: str, reason: str) -> None:
    """What is not understood, or makes no sense here, is said and changes nothing."""
    found = interpret(text, IN_MINUTES)
    assert found.changes == ()
    assert reason in " ".join(one.why for one in found.unclear)


@pytest.mark.parametrize(
    "text", ["no driver over 9 hours", "customer 3 before 11:00", "no route over 5 km"]
)
def test_units_are_never_assumed(text: str) -> None:
    """Hours, clocks and kilometres mean nothing while the file's own units are unknown."""
    found = interpret(text, WITHOUT_UNITS)
    assert found.changes == ()
    assert "does not say its unit" in found.unclear[0].why


def test_units_once_said_hold_in_the_same_text() -> None:
    """A text may give the unit and use it at once."""
    found = interpret("times are in seconds; no driver over 1 hour", WITHOUT_UNITS)
    assert found.changes[1] == limit("duration", 3600)


def test_one_unclear_part_is_named_beside_the_clear_ones() -> None:
    """The clear sentences of a text are read, the other is quoted with examples of the like."""
    found = interpret("at most 4 vehicles. Vehicles like capacity of cheese.", IN_MINUTES)
    assert found.changes == (FOUR,)
    assert [one.text for one in found.unclear] == ["Vehicles like capacity of cheese"]
    assert "vehicle capacity is 50" in found.unclear[0].examples


def test_load_rule_needs_pickups() -> None:
    """With pickups in the data the load rule can be said."""
    found = interpret("deliveries come before pickups", make_task(None, pickups=True))
    assert found.changes == (change("load_rule", rule="backhaul"),)


def test_every_example_is_understood() -> None:
    """Whatever is offered as an example is read by a rule, in some problem."""
    needs = {"last in, first out": "pairs", "deliveries before pickups": "pickup"}
    needs |= {"one more vehicle": "is not limited"}
    needs |= {"extend the duration limit by 30 minutes": "has no one limit"}
    needs |= {"pickups and deliveries may be mixed": "pickup", "ignore time windows": "part of"}
    for example in EXAMPLES:
        found = interpret(example, IN_MINUTES)
        if example in needs:
            assert needs[example] in found.unclear[0].why.replace("pick up", "pickup")
        else:
            assert found.understood, example


def test_any_heap_of_words_is_read_or_refused() -> None:
    """Shuffled words of known sentences never raise; what is read can be applied and said."""
    rng = random.Random(5)
    words = sorted({word for text, _ in UNDERSTOOD + REFUSED for word in text.split()})
    for _ in range(250):
        text = " ".join(rng.choice(words) for _ in range(rng.choice((2, 4, 7))))
        found = interpret(text, IN_MINUTES)
        task = IN_MINUTES
        for one in found.changes:
            assert one.sentence(task).endswith((".", ")"))
            task = one.apply(task)
        assert found.understood or found.unclear, text


def test_long_texts_take_no_long_time() -> None:
    """Patterns do not backtrack without end: repeated words are refused at once."""
    for word in ("is open at ", "we only have ", "a, ", "show what are ", "1 "):
        text = ("customer 3 " + word * 500)[:1990]
        assert interpret(text, IN_MINUTES).changes == ()
    assert interpret("x" * 5000, IN_MINUTES).unclear[0].why == "the text is too long"
