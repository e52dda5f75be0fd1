"""Composed and exported programs: one function replaced; a file that runs without Eurisko."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eurisko.evaluators.routing import Plan, Reading, Route, RoutingError
from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.created import compose, run_created, standalone
from eurisko.sandbox import Sandbox

Made = Callable[..., tuple[str, Reading]]
Program = Callable[[str], str]
DESTROY = """
import numpy as np
STRENGTH = 2

def helper(routes):
    return [row for route in routes for row in route[1:-1]]

def destroy(routes, instance, D, ratio, rng):
    gone = set(int(row) for row in rng.choice(helper(routes), STRENGTH, replace=False))
    kept = [[row for row in route if row not in gone] for route in routes]
    return [route for route in kept if len(route) > 2], sorted(gone)
"""


def test_composed_program_runs(sandbox: Sandbox, made: Made, program: Program) -> None:
    """A candidate for destroy with helpers of its own takes the place of the program's."""
    text, reading = made("CVRP")
    code = compose(program("cvrp"), "destroy", DESTROY)
    assert code.count("def destroy(") == 1
    assert "removed, touched = set(), set()" not in code
    found = run_created(sandbox, code, text, reading.instance, seconds=0.2, seed=1)
    assert found.plan is not None, found.reason
    assert check(reading.instance, found.plan, {"visit", "depot", "closed", "capacity"}).feasible


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("def destroyed(): ...", "the new text defines no function"),
        ("def destroy(:", "cannot be parsed"),
        ("def insert(): ...\ndef destroy(): ...", "defines 'insert'"),
        ("from __future__ import annotations\ndef destroy(): ...", "__future__"),
    ],
)
def test_what_cannot_be_composed(program: Program, part: str, words: str) -> None:
    """Missing functions, errors of syntax and clashing names are refused in words."""
    with pytest.raises(RoutingError, match=words):
        compose(program("cvrp"), "destroy", part)


def test_stand_alone_program(made: Made, program: Program, tmp_path: Path) -> None:
    """The exported program reads the file, prints a plan that the checker accepts, and exits with 0."""
    text, reading = made("ECVRPTW")
    (tmp_path / "instance.vrp").write_text(text)
    code = standalone(program("ecvrptw"), 'Electric "vans" with windows.', {"visit", "battery"})
    assert "eurisko" not in code.lower()
    (tmp_path / "solver.py").write_text(code)
    command = [sys.executable, "-I", "solver.py", "--path", "instance.vrp", "--seconds", "0.3"]
    done = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["valid"] is True
    plan = Plan(tuple(Route(tuple(stops)) for stops in answer["routes"]))
    names = {"visit", "depot", "closed", "capacity", "battery", "time_windows"}
    report = check(reading.instance, plan, names)
    assert report.feasible, report.violations
    assert report.cost == pytest.approx(answer["cost"])
