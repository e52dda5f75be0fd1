"""Hand-written programs pass acceptance on project-made instances; their mutants fail by name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from eurisko.evaluators.routing import Plan, Reading, Route
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.created import (
    Acceptance,
    CreatedProbe,
    accept,
    make_probes,
)
from eurisko.evaluators.routing.created.accept import validate_checks
from eurisko.sandbox import Sandbox

Made = Callable[..., tuple[str, Reading]]
Program = Callable[[str], str]
CLOSED = """route[-1] != route[0]:
            return False, f"closed: route {number} does not return to its depot"
        for row in route[1:-1]:"""
NAMES = ("cvrp", "ocvrpltw", "cvrptw", "ecvrptw", "sop")


@pytest.fixture(scope="module")
def probes(made: Made) -> Callable[[str], list[CreatedProbe]]:
    """Return the probes of a variant, made once."""
    known: dict[str, list[CreatedProbe]] = {}

    def get(name: str) -> list[CreatedProbe]:
        if name not in known:
            reading = made(name.upper())[1]
            known[name] = make_probes(reading, analyse(reading).names)
        return known[name]

    return get


@pytest.fixture(scope="module")
def accepted(
    sandbox: Sandbox, made: Made, probes: Callable[[str], list[CreatedProbe]]
) -> Callable[..., Acceptance]:
    """Judge a program on a project-made instance of a variant."""

    def judge(name: str, code: str, *, few: bool = False) -> Acceptance:
        text, reading = made(name.upper())
        chosen = [] if few else probes(name)
        return accept(
            sandbox, code, reading, analyse(reading).names,
            seconds=0.3, seed=3, probes=chosen, text=text, probe_seconds=0.1,
        )  # fmt: skip

    return judge


@pytest.mark.parametrize("name", NAMES)
def test_good_programs_pass(
    accepted: Callable[..., Acceptance], program: Program, name: str
) -> None:
    """A complete program passes every check, and every rule was probed."""
    found = accepted(name, program(name))
    assert found.passed, [one.message for one in found.failures]
    assert found.unprobed == ()
    assert found.report is not None
    assert found.report.feasible
    assert found.report.cost == pytest.approx(found.run.claimed)
    assert all(one.message.endswith(".") for one in found.checks)


def test_blocks_go_back_in_order(made: Made, program: Program) -> None:
    """Regression: a block put back across a node that has to be between broke precedence."""
    space: dict[str, Any] = {"__name__": "sop"}
    exec(program("sop"), space)
    text, reading = made("SOP", 14)
    instance, rng = space["read_instance"](text), np.random.default_rng(0)
    matrix = space["distance_matrix"](instance)
    routes = space["initial"](instance, matrix, rng)
    for _ in range(200):
        partial, removed = space["destroy"](routes, instance, matrix, 0.4, rng)
        again = space["insert"](partial, removed, instance, matrix, rng)
        plan = Plan((Route(tuple(again[0])),))
        assert "precedence" not in check(reading.instance, plan, {"visit", "precedence"}).broken


# A rule taken out of validate: program, text, what stands there instead, the check that must fail.
FORGOTTEN = [
    ("cvrp", "seen[row] != 1", "seen[row] < 1", "visit"),
    ("cvrp", "seen[row] != 1", "seen[row] > 1", "visit"),
    ("cvrp", "any(row in depots for row in route[1:-1])", "False", "depot"),
    ("cvrp", CLOSED, "False:\n            pass\n        for row in route[1:]:", "closed"),
    ("cvrp", 'sum() > instance["capacity"]', 'sum() > 9 * instance["capacity"]', "capacity"),
    ("ocvrpltw", "if route[-1] in depots:", "if False:", "open"),
    ("ocvrpltw", 'sum() > instance["distance_limit"]', "sum() > 9e9", "distance_limit"),
    ("cvrptw", "for before, row in pairwise(route):", "for before, row in pairwise(route[:-1]):",
     "time_windows"),
    ("cvrptw", 'clock += float(instance["service_time"][before] + D[before, row])',
     "clock += float(D[before, row])", "time_windows"),
    ("cvrptw", 'clock = max(clock, float(instance["time_window"][row, 0]))\n            if clock >',
     "if clock >", "time_windows"),
    ("ecvrptw", "if used > tank", "if used > 9 * tank", "battery"),
    ("sop", "if wrong.any():", "if False:", "precedence"),
    ("sop", "if not np.isfinite", "if False and not np.isfinite", "arcs"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "rule"), FORGOTTEN)
def test_validate_that_forgets_a_rule(
    sandbox: Sandbox,
    program: Program,
    probes: Callable[[str], list[CreatedProbe]],
    name: str,
    old: str,
    new: str,
    rule: str,
) -> None:
    """Exactly the checks of the rule that validate forgets fail."""
    code = program(name)
    start = code.index("def validate(")
    assert old in code[start:], old
    code = code[:start] + code[start:].replace(old, new, 1)
    failed = {one.name for one in validate_checks(sandbox, code, probes(name)) if not one.passed}
    assert failed == {f"validate:{rule}"}


def test_depot_closing_is_named(
    sandbox: Sandbox, program: Program, probes: Callable[[str], list[CreatedProbe]]
) -> None:
    """A validate that ignores the depot's closing, as published programs do, is told so."""
    code = program("cvrptw").replace("in pairwise(route):", "in pairwise(route[:-1]):")
    failed = [one for one in validate_checks(sandbox, code, probes("cvrptw")) if not one.passed]
    assert [one.name for one in failed] == ["validate:time_windows"]
    assert "a late return to the depot" in failed[0].message
    assert "too late by" in failed[0].message


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("return True, ''", "accepts a plan that breaks"),
        ("return False, 'no'", "rejects a plan that keeps every rule"),
        ("return 1", "gave no verdict"),
        ("raise ValueError('x')", "ValueError: x"),
    ],
)
def test_forged_validate(
    sandbox: Sandbox,
    program: Program,
    probes: Callable[[str], list[CreatedProbe]],
    verdict: str,
    words: str,
) -> None:
    """A validate with one answer for everything fails every probe."""
    code = f"{program('cvrp')}\n\ndef validate(routes, instance, D):\n    {verdict}\n"
    checks = validate_checks(sandbox, code, probes("cvrp"))
    assert not any(one.passed for one in checks)
    assert all(words in one.message for one in checks)


# What solve may do wrong: what is put in place of its last line, the check, words of its message.
WRONG = [
    ('return {"routes": best, "cost": least * 0.9}', "cost", "its routes cost"),
    ('return {"routes": best, "cost": float("nan")}', "cost", "is nan, no number"),
    ('return {"routes": best[:-1], "cost": least}', "feasible", "breaks visit"),
    ('return {"routes": [sum(best, [])], "cost": least}', "feasible", "breaks depot"),
    ('return {"routes": [r[:-1] for r in best], "cost": least}', "feasible", "breaks closed"),
    ('return {"routes": best * 2, "cost": least}', "feasible", "breaks visit"),
    ('return {"routes": [], "cost": 0.0}', "feasible", "is not visited"),
    ("raise KeyError('gone')", "run", "KeyError"),
    ("return None", "run", "wanted a dictionary"),
    ("while True: pass", "run", "did not stop in time"),
]


@pytest.mark.parametrize(("end", "name", "words"), WRONG)
def test_wrong_results(
    accepted: Callable[..., Acceptance], program: Program, end: str, name: str, words: str
) -> None:
    """What a program returns is believed nowhere; the first failed check says what is wrong."""
    code = program("cvrp").rstrip()
    cut = code.rindex("    return {")
    found = accepted("cvrp", f"{code[:cut]}    {end}\n", few=True)
    assert not found.passed
    assert found.failures[0].name == name
    assert words in found.failures[0].message


def test_overload_is_found_on_a_small_instance(
    accepted: Callable[..., Acceptance], program: Program
) -> None:
    """A program that ignores a rule that hardly binds on the user's instance fails where it binds."""
    code = program("cvrptw").replace('closing[row]) & (start + service[row] + onward <= latest)',
                                     "closing[row]) & (onward <= 1e9)")  # fmt: skip
    code = code.replace("and validate(tried, instance, D)[0]", "")
    assert code != program("cvrptw")
    found = accepted("cvrptw", code)
    assert not found.passed
    assert any("breaks time_windows" in one.message for one in found.failures)
