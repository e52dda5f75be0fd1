"""The arithmetic of the strategist benchmark, and the patience of the rules, on cases made by hand."""

import random

import numpy as np
import pytest
from support.acquisition_states import Told, make_state

from benchmarks.lmabo.table import area, best_known, compare, regrets
from eurisko.agents.acquisition.strategists import Rules


def line(strategist: str, values: list[float | None]) -> dict:
    fixed = {"problem": "p", "seed": 0, "initial": 2, "optimum": 1.0}
    return {"strategist": strategist, "values": values, **fixed}


def test_area_and_ratio_by_hand() -> None:
    """Regret counts from the end of the start, failures change nothing, ratios are geometric."""
    lines = [line("a", [9.0, 5.0, None, 3.0]), line("b", [9.0, 5.0, 2.0, 2.0])]
    curves = regrets(lines)
    assert best_known(lines) == {"p": 1.0}
    assert curves["a", ("p", 0)].tolist() == [4.0, 4.0, 2.0]
    assert area(curves["a", ("p", 0)]) == 7.0
    found = compare({("p", 0): 1.0, ("q", 0): 4.0}, {("p", 0): 2.0, ("q", 0): 2.0})
    assert found["ratio"] == pytest.approx(1.0)
    assert (found["wins"], found["losses"]) == (1, 1)
    assert np.isfinite(found["p"])


def test_patience() -> None:
    """With patience 2 one failure of the base is forgiven, and two in a row are not."""
    rules, draw = Rules(patience=2), random.Random(0)
    once = make_state([("LogEI", True), ("LogEI", False)])
    twice = make_state([("LogEI", True), ("LogEI", False), ("LogEI", False)])
    assert rules.choose(once, Told(), {}, draw).arm == "LogEI"
    assert rules.choose(twice, Told(), {}, draw).arm == "UCB"
    assert Rules().choose(once, Told(), {}, draw).arm == "UCB"
