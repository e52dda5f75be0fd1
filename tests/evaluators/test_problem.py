"""Tests of data sets, digests and scores."""

import numpy as np
import pytest

from eurisko.evaluators import Dataset, Scores, digest


def test_data_sets_cannot_be_changed() -> None:
    """A data set keeps its own read-only copy of what it was made of."""
    array = np.zeros((2, 3))
    data = Dataset("d", {"a": array}, np.array([1.0, 2.0]), "made here")
    array[0, 0] = 7.0
    assert data.arrays["a"][0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        data.arrays["a"][0, 0] = 1.0
    with pytest.raises(TypeError):
        data.arrays["b"] = array  # type: ignore[index]


def test_data_sets_check_their_shapes() -> None:
    """Arrays share the number of instances, references are positive and one per instance."""
    two, three = np.ones((2, 3)), np.ones((3, 3))
    with pytest.raises(ValueError, match="first dimension"):
        Dataset("d", {"a": two, "b": three}, None, "")
    for reference in (np.ones(3), np.array([1.0, 0.0]), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="positive reference"):
            Dataset("d", {"a": two}, reference, "")


def test_digest_covers_everything_that_a_score_depends_on() -> None:
    """Name, key, value, shape, type and references all count; memory layout does not."""
    array = np.arange(6.0).reshape(2, 3)
    base = digest("d", {"a": array}, None)
    others = [
        digest("e", {"a": array}, None),
        digest("d", {"b": array}, None),
        digest("d", {"a": array + 1}, None),
        digest("d", {"a": array.reshape(3, 2)}, None),
        digest("d", {"a": array.astype(np.float32)}, None),
        digest("d", {"a": array}, np.ones(2)),
    ]
    assert len({base, *others}) == 7
    assert digest("d", {"a": np.asfortranarray(array)}, None) == base
    assert Dataset("d", {"a": array}, None, "any origin").digest == base


def test_scores_are_mean_gaps_or_mean_measures() -> None:
    """With references the objective is the mean gap in %, without it is the mean measure."""
    raw = np.array([11.0, 24.0])
    scored = Scores.minimised(raw, np.array([10.0, 20.0]))
    assert scored.gaps is not None
    np.testing.assert_allclose(scored.gaps, [10.0, 20.0])
    assert scored.objective == pytest.approx(15.0)
    bare = Scores.minimised(raw, None)
    assert bare.gaps is None
    assert bare.objective == 17.5
