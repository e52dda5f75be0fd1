"""Typed changes: the checker sees each of them, undo takes it back, nothing else is touched."""

from dataclasses import fields

import numpy as np
import pytest
from support.routing_changes import ALL, EFFECTS, SAMPLES, TEXT

from eurisko.agents.routing.changes import ANY_CHANGE, CHANGES, Change, RoutingTask, shown_rules
from eurisko.agents.routing.session import RoutingSession, SessionData
from eurisko.evaluators.routing import Plan, Route, RoutingError, RoutingInstance, parse_routing
from eurisko.evaluators.routing.checker import check


def start() -> RoutingTask:
    instance = parse_routing(TEXT).instance
    return RoutingTask(instance, shown_rules(instance, {"closed"}))


def as_plan(routes: tuple) -> Plan:
    """Routes of type 0, or one route with its type."""
    if len(routes) == 2 and isinstance(routes[1], int):
        return Plan((Route(routes[0], routes[1]),))
    return Plan(tuple(Route(route) for route in routes))


def broken(task: RoutingTask, routes: tuple) -> frozenset[str]:
    return check(task.instance, as_plan(routes), task.names, task.objective).broken


@pytest.mark.parametrize(("given", "kept", "breaks", "rule"), EFFECTS)
def test_the_checker_sees_a_change(given: dict, kept: tuple, breaks: tuple, rule: str) -> None:
    """Under the change one plan is right and the other breaks exactly the changed rule."""
    task = ANY_CHANGE.validate_python(given).apply(start())
    if kept:
        assert broken(task, kept) == frozenset()
    if breaks and rule:
        assert broken(task, breaks) == {rule}


def same(one: RoutingInstance, other: RoutingInstance) -> bool:
    """Whether two instances are equal in every array, fleet included."""
    for part in fields(one):
        first, second = getattr(one, part.name), getattr(other, part.name)
        if part.name == "fleet":
            pairs = [(getattr(first, f.name), getattr(second, f.name)) for f in fields(first)]
        else:
            pairs = [(first, second)]
        for a, b in pairs:
            equal = np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
            if not equal:
                return False
    return True


def test_every_kind_of_change_is_tried() -> None:
    """The samples below leave out no kind."""
    kinds = {one.model_fields["kind"].default for one in CHANGES}
    assert kinds == {one["kind"] for one in SAMPLES}


@pytest.mark.parametrize("seed", range(15))
def test_undo_restores_and_a_saved_session_is_the_same(seed: int) -> None:
    """After random changes each undo gives the problem before it; a restored session equals it."""
    rng = np.random.default_rng(seed)
    session = RoutingSession(SessionData(path="line.json", text=TEXT))
    states = [(session.task, session.analysis.names)]
    for index in rng.permutation(len(SAMPLES))[:8]:
        change: Change = ANY_CHANGE.validate_python(SAMPLES[index])
        before = session.task
        try:
            said = session.change(change).sentence
        except RoutingError:  # a change that makes no sense here must change nothing
            assert session.task is before
            continue
        assert said.endswith((".", ")"))
        states.append((session.task, session.task.names))
    again = RoutingSession.restore(session.to_json())
    assert same(again.task.instance, session.task.instance)
    assert (again.task.names, again.task.order) == (session.task.names, session.task.order)
    while len(states) > 1:
        states.pop()
        assert session.undo() is not None
        task, names = states[-1]
        assert same(session.task.instance, task.instance)
        assert session.task.names == names
    assert session.undo() is None
    assert same(session.task.instance, parse_routing(TEXT).instance)


def test_dropping_a_customer_keeps_the_rest() -> None:
    """Relations, names and distances of the others survive; half a pair cannot be dropped."""
    task = start()
    for given in (
        {"kind": "precedence", "before": "2", "after": "6"},
        {"kind": "incompatible", "customers": ["3", "5"]},
        {"kind": "pair", "pickup": "1", "delivery": "4"},
    ):
        task = ANY_CHANGE.validate_python(given).apply(task)
    task = ANY_CHANGE.validate_python({"kind": "drop", "customers": ["3"]}).apply(task)
    instance = task.instance
    assert instance.node_ids == ("0", "1", "2", "4", "5", "6")
    assert [[instance.node_ids[n] for n in pair] for pair in instance.precedence] == [["2", "6"]]
    assert [[instance.node_ids[n] for n in pair] for pair in instance.pairs] == [["1", "4"]]
    assert not len(instance.incompatible)
    assert "incompatible" not in task.names
    assert instance.distances[2, 3] == 20
    with pytest.raises(RoutingError, match="are a pair"):
        ANY_CHANGE.validate_python({"kind": "drop", "customers": ["1"]}).apply(task)


def test_prizes_left_behind_count_once_customers_are_optional() -> None:
    """Without that a solver would drop everything: the cost of a plan counts the penalty."""
    given = {"kind": "optional", "customers": ["6"], "penalty": 50}
    task = ANY_CHANGE.validate_python(given).apply(start())
    report = check(task.instance, as_plan(((0, 1, 2, 3, 4, 5, 0),)), task.names, task.objective)
    assert report.values == (150.0,)


def test_the_same_number_of_vehicles_after_parting() -> None:
    """A rule for one vehicle parts the fleet and adds none."""
    given = {"kind": "route_limit", "measure": "duration", "limit": 50, "vehicle": 2}
    task = ANY_CHANGE.validate_python(given).apply(start())
    assert task.instance.fleet.available.tolist() == [1, 1, 4]
    assert task.instance.fleet.max_duration.tolist() == [np.inf, 50, np.inf]
    assert broken(task, (ALL[0], 1)) == {"duration_limit"}
    assert broken(task, (ALL[0], 2)) == frozenset()
