"""Tests of the strategists without a model, on posteriors made by hand."""

import dataclasses
import json
import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from acquisition_states import ARMS, Told
from acquisition_states import make_state as state

from eurisko.agents.acquisition.choice import Source
from eurisko.agents.acquisition.state import Past, State
from eurisko.agents.acquisition.strategists import (
    Alternate,
    EntropySearch,
    Hedge,
    Lot,
    NoPast,
    Rules,
    Setup,
    Static,
)
from eurisko.agents.acquisition.strategists.esp import expected_entropy, square_root
from eurisko.agents.acquisition.strategists.gains import rescale, softmax


def test_a_state_survives_json() -> None:
    """A state that went through JSON text is the same state."""
    one = state([("LogEI", True), ("UCB", False)])
    assert State.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_hedge_reproduces_a_hand_worked_trace() -> None:
    """Gains add up minus the standardised means at the nominees; chances are their softmax."""
    hedge, posterior = Hedge(), Told({0.0: -1.0, 1.0: 0.5})
    first = hedge.choose(state(), posterior, {}, random.Random(0))
    assert first.memory["gains"] == {"LogEI": 0.0, "UCB": 0.0}
    second = hedge.choose(state([("UCB", False)]), posterior, first.memory, random.Random(0))
    assert second.memory["gains"] == {"LogEI": 1.0, "UCB": -0.5}
    third = hedge.choose(state(), posterior, second.memory, random.Random(0))
    assert third.memory["gains"] == {"LogEI": 2.0, "UCB": -1.0}
    chance = 1 / (1 + math.exp(-3))
    assert third.arm == "LogEI" and f"{chance:.2f}" in third.reason
    assert third.source is Source.BANDIT


def test_no_past_forgets_and_rescales() -> None:
    """Gains are 0.8 of the old plus the new; the best is mapped to 1 and the worst to 0."""
    bandit, posterior = NoPast(), Told({0.0: -1.0, 1.0: 0.5})
    memory: Mapping[str, Any] = {}
    for _ in range(3):
        choice = bandit.choose(state(), posterior, memory, random.Random(1))
        memory = choice.memory
    assert memory["gains"]["LogEI"] == pytest.approx(0.8 * 1.0 + 1.0)
    assert memory["gains"]["UCB"] == pytest.approx(0.8 * -0.5 - 0.5)
    assert softmax(rescale([1.8, -0.9]), 4.0)[0] == pytest.approx(1 / (1 + math.exp(-4)))


def test_setup_draws_constants_from_what_it_has_seen() -> None:
    """After many failures the memory drawn is short, after many improvements long."""
    bandit, posterior = Setup(), Told({0.0: -1.0, 1.0: 0.5})

    def mean_memory(improved: bool) -> float:
        history = [("UCB", improved)] * 60
        reasons = [
            bandit.choose(state(history), posterior, {}, random.Random(seed)).reason
            for seed in range(60)
        ]
        return float(np.mean([float(reason.split("memory ")[1][:-1]) for reason in reasons]))

    assert mean_memory(True) == pytest.approx(77 / 80, abs=0.02)
    assert mean_memory(False) == pytest.approx(17 / 80, abs=0.03)


@pytest.mark.parametrize("bandit", [Hedge(), NoPast(), Setup()], ids=lambda one: one.name)
def test_bandits_do_not_overflow(bandit) -> None:
    """Enormous gains give a choice, and the better arm nearly always."""
    posterior = Told({0.0: -1e6, 1.0: 1e6})
    memory = bandit.choose(state(), posterior, {}, random.Random(0)).memory
    arms = [
        bandit.choose(state(), posterior, memory, random.Random(seed)).arm for seed in range(200)
    ]
    assert arms.count("LogEI") > 150


def test_expected_entropy_against_plain_conditioning() -> None:
    """It equals the average over many observations drawn and conditioned on by the textbook."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    covariance, mean, noise = root @ root.T, rng.standard_normal(5), 0.3
    normal = np.random.default_rng(1).standard_normal((4000, 4))
    found = expected_entropy(mean, covariance, noise, 200, normal)
    wanted = []
    for _ in range(300):
        y = mean[4] + math.sqrt(covariance[4, 4] + noise) * rng.standard_normal()
        k = covariance[:4, 4] / (covariance[4, 4] + noise)
        after = rng.multivariate_normal(
            mean[:4] + k * (y - mean[4]), covariance[:4, :4] - np.outer(k, covariance[4, :4]), 2000
        )
        shares = np.bincount(after.argmin(axis=1), minlength=4) / 2000
        wanted.append(-sum(p * math.log(p) for p in shares if p > 0))
    assert found == pytest.approx(np.mean(wanted), abs=0.03)


def test_entropy_search_asks_where_it_learns() -> None:
    """A nominee that tells about the representers wins over one that is independent of them."""
    covariance = np.eye(6)
    covariance[1, 2] = covariance[2, 1] = 0.95  # UCB's point (1) is nearly representer 2
    choice = EntropySearch(grid=4).choose(
        state(), Told(covariance=covariance), {}, random.Random(3)
    )
    assert choice.arm == "UCB"
    flipped = covariance[[1, 0, 2, 3, 4, 5]][:, [1, 0, 2, 3, 4, 5]]
    choice = EntropySearch(grid=4).choose(state(), Told(covariance=flipped), {}, random.Random(3))
    assert choice.arm == "LogEI"


def test_square_root_of_a_matrix_that_is_not_quite_positive() -> None:
    """Rounding below zero is cut off; the product gives the matrix back."""
    matrix = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-12]])
    root = square_root(matrix)
    np.testing.assert_allclose(root @ root.T, matrix, atol=1e-9)


def test_rules_on_a_hand_made_course() -> None:
    """Stay while it helps, change after each failure, the posterior mean at the end."""
    arms = ("LogEI", "UCB", "TS", "PosMean")
    rules, course = Rules(), []
    outcomes = [True, False, False, False, False, True, True, False, False]
    history: list[tuple[str, bool]] = []
    for step, good in enumerate(outcomes):
        choice = rules.choose(
            state(history, len(outcomes) - step, arms), Told(), {}, random.Random(0)
        )
        course.append(choice.arm)
        history.append((choice.arm, good))
    assert course == [
        *("LogEI", "LogEI", "TS", "LogEI", "UCB"),
        *("LogEI", "LogEI", "LogEI", "PosMean"),
    ]


def test_rules_never_repeat_what_just_failed() -> None:
    """Whatever the course, an arm that has just failed is not taken again, except at the end."""
    arms = ("LogEI", "UCB", "TS", "PosMean")
    draw = random.Random(7)
    history: list[tuple[str, bool]] = []
    for _ in range(300):
        choice = Rules().choose(state(history, 50, arms), Told(), {}, draw)
        if history and not history[-1][1]:
            assert choice.arm != history[-1][0]
        history.append((choice.arm, draw.random() < 0.2))


def test_simple_strategists() -> None:
    """One arm for ever, arms in turn, arms by lot."""
    history = [("x", False)] * 3
    assert Static("MES").choose(state(history), Told(), {}, random.Random(0)).arm == "MES"
    turns = [
        Alternate(period=2).choose(state(history[:n]), Told(), {}, random.Random(0)).arm
        for n in range(4)
    ]
    assert turns == ["TS", "TS", "EI", "EI"][:4]
    drawn = {Lot().choose(state(), Told(), {}, random.Random(seed)).arm for seed in range(20)}
    assert drawn == set(ARMS)


def test_failures_in_a_row_count_failed_evaluations() -> None:
    """An evaluation that gave no value counts as one that did not improve."""
    one = state([("LogEI", True), ("UCB", False)])
    failed = dataclasses.replace(one, history=(*one.history, Past(9, "TS", False, 0.0, True)))
    assert failed.failures_in_a_row == 2
