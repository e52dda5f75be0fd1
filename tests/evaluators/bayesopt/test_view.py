"""The surrogate's view: what it says of single points and of points together agrees."""

import numpy as np
import pytest

from eurisko.evaluators.bayesopt import Optimizer, Real, Space


@pytest.mark.parametrize("minimise", [True, False])
def test_joint_and_single_predictions_agree(minimise: bool) -> None:
    """Means and variances of the joint posterior are those of each point; near points correlate."""
    space = Space([Real("x", 0.0, 1.0), Real("y", -2.0, 2.0)])
    optimizer = Optimizer(space, minimise=minimise, seed=1)
    for x, y in np.random.default_rng(0).random((8, 2)):
        optimizer.tell({"x": float(x), "y": float(4 * y - 2)}, float(np.sin(5 * x) + y**2))
    surrogate = optimizer.surrogate()
    assert surrogate is not None
    rows = space.encode([{"x": 0.3, "y": 0.1}, {"x": 0.301, "y": 0.1}, {"x": 0.95, "y": -1.9}])
    mean, covariance = surrogate.joint(rows)
    single, sd = surrogate.utility(rows)
    np.testing.assert_allclose(mean, single, atol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-4)
    np.testing.assert_allclose(covariance, covariance.T, atol=1e-12)
    correlation = covariance / np.outer(sd, sd)
    assert correlation[0, 1] > 0.99 > abs(correlation[0, 2])
