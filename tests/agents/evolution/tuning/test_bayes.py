"""Constants tuned by the Bayesian optimiser: known optima, failures, repeatability."""

import math

import pytest

from eurisko.agents.evolution.tuning import BayesianSearch, axis_of
from eurisko.agents.evolution.tuning.search import Values
from eurisko.agents.evolution.tuning.space import signed_axis


def apart(values: Values) -> float:
    """The squared distance on a log scale from 1.0 and 0.9."""
    return sum(math.log(v / t) ** 2 for v, t in zip(values, (1.0, 0.9), strict=True))


def test_a_known_optimum_is_found_in_few_evaluations() -> None:
    """Off by factors of two and three, two constants are within 5 % after 24 evaluations."""
    axes = [axis_of(0.5), axis_of(3.0)]
    search, best = BayesianSearch(axes, apart((0.5, 3.0)), 1), (math.inf, ())
    for _ in range(6):
        asked = search.ask()
        assert len(asked) == 4
        objectives = [apart(values) for values in asked]
        best = min([best, *zip(objectives, asked, strict=True)])
        search.tell(objectives)
    assert best[1] == pytest.approx((1.0, 0.9), rel=0.05)


def test_failures_are_avoided_and_integers_stay_integers() -> None:
    """Programs that fail are no end; values keep their type, and signs may change where they may."""
    axes = [signed_axis(0.4, 2.0), axis_of(4)]
    search, failed, signs = BayesianSearch(axes, 3.0, 2), [], set()
    for _ in range(4):
        asked = search.ask()
        assert all(isinstance(one[1], int) and one[1] >= 1 for one in asked)
        signs |= {one[0] > 0 for one in asked}
        objectives = [math.inf if one[0] > 0.5 else 3 + one[0] for one in asked]
        failed.append(sum(map(math.isinf, objectives)))
        search.tell(objectives)
    assert signs == {True, False} and failed[-1] <= failed[0]


def test_the_same_seed_asks_for_the_same_values() -> None:
    """Nothing is random but the seed; a start that failed is a failed trial."""
    asked = []
    for seed in (7, 7, 8):
        search = BayesianSearch([axis_of(0.5)], math.inf, seed)
        first = search.ask()
        search.tell([abs(one[0] - 0.7) for one in first])
        asked.append((first, search.ask()))
    assert asked[0] == asked[1] != asked[2]
