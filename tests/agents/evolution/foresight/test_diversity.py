"""Diversity measures against values worked by hand."""

import numpy as np
import pytest

from eurisko.agents.evolution.foresight import (
    behaviour_diversity,
    code_diversity,
    description_diversity,
)


def test_descriptions_count_distinct_pairs() -> None:
    """Five equal of eight: 10 of 28 pairs are equal, so 18/28 (the paper's logged 0.643)."""
    assert description_diversity(["x"] * 5 + ["a", "b", "c"]) == pytest.approx(18 / 28)
    assert description_diversity(["x"] * 4 + list("abcd")) == pytest.approx(22 / 28)
    assert description_diversity(list("abc")) == 1.0
    assert description_diversity(["a", "a"]) == 0.0
    assert description_diversity(["a", "a "]) == 1.0, "exact equality, as published"
    assert description_diversity(["a"]) == description_diversity([]) == 0.0


def test_code_ignores_layout_comments_and_numbers() -> None:
    """Programs that differ in a constant or a comment only are alike; others are not."""
    one = "def f(a):\n    return a * 2.0\n"
    same = "def f( a ):  # twice\n        return a*3.5\n"
    other = "def f(a):\n    return max(a, 1) - len(a)\n"
    assert code_diversity([one, same]) == 0.0
    assert 0.2 < code_diversity([one, other]) < 1.0
    assert code_diversity([one, same, other]) == pytest.approx(code_diversity([one, other]) * 2 / 3)
    assert code_diversity([one]) == 0.0


def test_code_distance_worked_by_hand() -> None:
    """Of the token pairs of 'a+b' and 'a+c' one of three is shared: distance 2/3."""
    assert code_diversity(["a+b", "a+c"]) == pytest.approx(2 / 3)


def test_code_that_is_no_python_is_compared_by_words() -> None:
    """Broken source is compared, not refused."""
    assert code_diversity(["(((", "((("]) == 0.0
    assert 0 < code_diversity(["a b '''c", "a b '''d"]) <= 1


def test_behaviour_is_relative_and_capped() -> None:
    """A difference of 1 % of the score gives 0.1 at the scale of 10 %; far apart is 1."""
    base = np.array([10.0, 20.0, 30.0])
    near = base * np.array([1.01, 0.99, 1.01])
    expected = (0.1 + 0.2 + 0.3) / 3 / ((20 + (10.1 + 19.8 + 30.3) / 3) / 2) / 0.1
    assert behaviour_diversity([base, near]) == pytest.approx(expected)
    assert behaviour_diversity([base, base]) == 0.0
    assert behaviour_diversity([base, 2 * base]) == 1.0
    assert behaviour_diversity([base, base, 2 * base]) == pytest.approx(2 / 3)
    assert behaviour_diversity([np.zeros(3), np.zeros(3)]) == 0.0


def test_behaviour_sees_what_the_mean_does_not() -> None:
    """Equal objectives on different instances are different behaviour."""
    assert behaviour_diversity([np.array([1.0, 3.0]), np.array([3.0, 1.0])]) == 1.0
    with pytest.raises(ValueError, match="same instances"):
        behaviour_diversity([np.zeros(2), np.zeros(3)])


def test_large_populations_are_sampled_evenly() -> None:
    """Ten thousand members take no quadratic time, and half alike is still half alike."""
    vectors = [np.array([1.0])] * 5000 + [np.array([9.0])] * 5000
    assert behaviour_diversity(vectors) == pytest.approx(20 * 20 / (40 * 39 / 2))
