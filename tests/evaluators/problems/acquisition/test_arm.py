"""Evolved heuristics as arms of the optimiser: good points from good ones, LogEI from bad ones."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from eurisko.evaluators import InputError, get_problem
from eurisko.evaluators.bayesopt import (
    Category,
    Inner,
    Integer,
    LinearConstraint,
    Optimizer,
    Real,
    Space,
    Suggestion,
)
from eurisko.evaluators.problems.acquisition import arm as arm_module
from eurisko.evaluators.problems.acquisition.arm import EvolvedArm
from eurisko.sandbox import Sandbox

FACES = get_problem("acquisition").spec.interfaces
HEAD = FACES["batched"].signature + "\n"
BOX = Space([Real("x", -2, 2), Real("y", 0, 3)])
QUICK = Inner(restarts=3, samples=128, iterations=30)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One for all tests."""
    with Sandbox(workers=1) as opened:
        yield opened


def evolved(sandbox: Sandbox, code: str, **fields: Any) -> EvolvedArm:
    """An arm of a study of 12 evaluations in 2 dimensions, 4 of them at the start."""
    usual = {"name": "Mine", "help": "x", "interface": "batched", "initial": 4, "budget": 12}
    return EvolvedArm(**{**usual, "code": code, "dimension": 2, "sandbox": sandbox, **fields})


def measured(optimizer: Optimizer, suggestion: Suggestion) -> None:
    """Tell the value of a bowl."""
    point = suggestion.point
    value = (point["x"] - 0.3) ** 2 + (point["y"] - 1.2) ** 2
    optimizer.tell(suggestion.number, value if optimizer.settings.minimise else -value)


def begun(*outside: EvolvedArm, values: int = 6, minimise: bool = True) -> Optimizer:
    """An optimiser that knows some values."""
    made = Optimizer(BOX, seed=2, initial=4, inner=QUICK, outside=outside, minimise=minimise)
    for _ in range(values):
        (suggestion,) = made.ask()
        measured(made, suggestion)
    return made


@pytest.mark.parametrize("face", FACES)
def test_the_seed_proposes_where_expected_improvement_is_large(face: str, sandbox) -> None:
    """EI as a program reaches at least 95 % of what the portfolio's EI reaches by gradients."""
    optimizer = begun(evolved(sandbox, FACES[face].seed, interface=face))
    surrogate = optimizer.surrogate()
    best = min(surrogate.standardised([one.value for one in optimizer.trials]), key=lambda v: -v)

    def improvement(point: dict[str, Any]) -> float:
        mean, deviation = surrogate.utility(BOX.encode([point]))
        z = (mean[0] - best) / deviation[0]
        return float(deviation[0] * (z * norm.cdf(z) + norm.pdf(z)))

    copy = Optimizer.from_state(optimizer.state(), list(optimizer.outside.values()))
    (ours,), (theirs,) = optimizer.ask("Mine"), copy.ask("EI")
    assert ours.arm == "Mine" and "fallback" not in ours.diagnostics
    assert improvement(ours.point) > 0.95 * improvement(theirs.point)


SPY = """
def utility(mean, std, best, remaining, dimension, count):
    seen = (best, remaining, dimension, count)
    assert all(one.shape == (1, 1) for one in seen)
    assert (float(remaining), float(dimension), float(count)) == ({remaining}, 2.0, {count}), seen
    assert mean.shape == std.shape == (1, 192) and float(std.min()) >= 1e-6
    assert abs(float(best) - {best}) < 1e-9, float(best)
    return -mean
"""


@pytest.mark.parametrize("minimise", [True, False])
def test_a_program_sees_what_the_problem_shows(minimise: bool, sandbox) -> None:
    """Best, remaining share, dimension, count are the problem's, whatever is optimised, pending too."""
    plain = begun(minimise=minimise)
    utilities = plain.surrogate().standardised([one.value for one in plain.trials])
    code = SPY.format(remaining=5 / 8, count=6.0, best=-utilities.max())
    optimizer = begun(evolved(sandbox, code), minimise=minimise)
    optimizer.ask("LogEI")  # pending: seven of twelve are asked for, six are known
    (suggestion,) = optimizer.ask("Mine")
    assert "fallback" not in suggestion.diagnostics, suggestion.diagnostics
    plain.ask("LogEI")
    (wanted,) = plain.ask("PosMean")
    for name in ("x", "y"):
        assert suggestion.point[name] == pytest.approx(wanted.point[name], abs=0.05)


HOSTILE = {
    "raises": ("    raise ValueError('boo')\n", "boo"),
    "not a number": ("    return mean * float('nan')\n", "NaN"),
    "some not a number": ("    std[0, 3] = float('nan')\n    return std\n", "candidate 3 is NaN"),
    "wrong shape": ("    return mean[:, :3]\n", r"returned shape \[1, 3\]"),
    "wrong type": ("    return [1.0]\n", "returned list"),
    "nowhere": ("    return mean - float('inf')\n", "above minus infinity"),
    "endless": ("    while True:\n        pass\n", "time"),
    "no such function": (None, "utility"),
    "forbidden": ("    import os\n    return mean\n", "os"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_leave_the_choice_to_logei(
    name: str, sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong, the point is the one LogEI proposes, and the reason is told."""
    monkeypatch.setattr(arm_module, "CPU_S", 0.4)
    body, words = HOSTILE[name]
    code = "x = 1\n" if body is None else HEAD + body
    optimizer = begun(evolved(sandbox, code), values=4)
    plain = Optimizer.from_state(optimizer.state())
    (ours,), (theirs,) = optimizer.ask("Mine"), plain.ask("LogEI")
    assert ours.point == theirs.point and ours.arm == "LogEI"
    assert ours.diagnostics["fallback"] == "LogEI"
    assert re.search(words, ours.diagnostics["notes"][0]), ours.diagnostics["notes"]
    assert ours.diagnostics["notes"][0].startswith("Mine failed: ")


COUNTER = f"""
import torch
calls = []
{HEAD}    calls.append(1)
    assert len(calls) <= 5
    return std * torch.rand_like(std)
"""


def test_nothing_is_kept_between_proposals(sandbox) -> None:
    """A program that counts its calls starts anew each time, and its draws repeat."""
    one, other = begun(evolved(sandbox, COUNTER)), begun(evolved(sandbox, COUNTER))
    for _ in range(2):
        (first,) = one.ask("Mine")
        other = Optimizer.from_state(other.state(), list(other.outside.values()))
        (second,) = other.ask("Mine")
        assert "fallback" not in first.diagnostics and first.point == second.point
        measured(one, first)
        measured(other, second)


SPACES = {
    "mixed": Space([Real("x", -2, 2), Integer("n", 0, 40), Category("k", ("a", "b", "c"))]),
    "lattice": Space([Integer("n", 0, 4), Category("k", ("a", "b", "c"))]),
    "triangle": Space(
        [Real("x", 0, 1), Real("y", 0, 1)], constraints=[LinearConstraint({"x": 1, "y": 1}, 0.2)]
    ),
}


@pytest.mark.parametrize("name", SPACES)
def test_all_kinds_of_spaces(name: str, sandbox) -> None:
    """Integers, categories and constraints are kept, and no point comes twice."""
    space = SPACES[name]
    arm = evolved(sandbox, FACES["batched"].seed, dimension=len(space.free))
    optimizer = Optimizer(space, seed=1, initial=4, inner=QUICK, outside=[arm])
    for _ in range(9):
        (suggestion,) = optimizer.ask("Mine")
        assert "fallback" not in suggestion.diagnostics
        point = space.check(suggestion.point)
        if name == "triangle":
            assert point["x"] + point["y"] <= 0.2 + 1e-9
        optimizer.tell(suggestion.number, float(np.square(space.encode([point])).sum()))
    assert len({str(one.point) for one in optimizer.trials}) == 9


def test_names_of_the_portfolio_are_taken(sandbox) -> None:
    """An arm cannot be called like one of the portfolio; unknown ones are still refused."""
    arm = evolved(sandbox, FACES["batched"].seed)
    with pytest.raises(InputError, match="called 'UCB'"):
        begun(replace(arm, name="UCB"), values=0)
    with pytest.raises(InputError, match="no acquisition function 'Mien'"):
        begun(arm).ask("Mien")
