"""The portfolio: every arm does what its name says, whatever the sign of the problem."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from eurisko.evaluators import InputError
from eurisko.evaluators.bayesopt import Category, Inner, Integer, Optimizer, Real, Space, arm, arms
from eurisko.evaluators.bayesopt.arms import Belief
from eurisko.evaluators.bayesopt.models import build_model

LINE = Space([Real("x", 0, 1)])
SMALL = Inner(restarts=3, samples=64, iterations=30)
GRID = torch.linspace(0, 1, 201, dtype=torch.double).reshape(-1, 1, 1)


@pytest.fixture(scope="module")
def belief() -> Belief:
    """Values known at 0, 0.2 and 0.4, the best at 0.2; nothing is known at the right."""
    rows = torch.tensor([[0.0], [0.2], [0.4]], dtype=torch.double)
    model = build_model(
        "matern", rows, torch.tensor([-1.0, 1.0, 0.0]).double(), torch.full((3,), 1e-6).double()
    )
    model.covar_module.base_kernel.lengthscale = 0.15
    model.covar_module.outputscale = 1.0
    model.mean_module.constant = 0.0
    model.eval()
    candidates = torch.linspace(0, 1, 101, dtype=torch.double).reshape(-1, 1)
    return Belief(model, 1.0, 3, rows, candidates)


@pytest.fixture(scope="module")
def moments(belief: Belief) -> tuple[np.ndarray, np.ndarray]:
    """Posterior mean and standard deviation on the grid."""
    with torch.no_grad():
        posterior = belief.model.posterior(GRID)
    return posterior.mean.reshape(-1).numpy(), posterior.variance.sqrt().reshape(-1).numpy()


def values(name: str, belief: Belief) -> np.ndarray:
    torch.manual_seed(0)
    with torch.no_grad():
        found: np.ndarray = arm(name).acquisition(belief)(GRID).reshape(-1).numpy()
    return found


def normal(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cumulative = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in z])
    return cumulative, np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def test_improvement_arms_follow_their_formulas(belief: Belief, moments: Any) -> None:
    """PI and EI equal the closed forms, LogPI and LogEI their logarithms."""
    mean, sd = moments
    z = (mean - 1.0) / sd
    cumulative, density = normal(z)
    far = sd > 0.05  # next to the data both sides are rounding
    improvement = sd * (z * cumulative + density)
    np.testing.assert_allclose(values("PI", belief)[far], cumulative[far], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(values("EI", belief)[far], improvement[far], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(values("LogPI", belief)[far], np.log(cumulative[far]), rtol=1e-4)
    np.testing.assert_allclose(values("LogEI", belief)[far], np.log(improvement[far]), rtol=1e-4)


def test_bound_mean_and_deviation_follow_their_formulas(belief: Belief, moments: Any) -> None:
    """UCB uses beta = 4 ln N of N = 3; PosMean and PosSTD are the moments themselves."""
    mean, sd = moments
    bound = mean + math.sqrt(4 * math.log(3)) * sd
    np.testing.assert_allclose(values("UCB", belief), bound, rtol=1e-6)
    np.testing.assert_allclose(values("PosMean", belief), mean, rtol=1e-6)
    np.testing.assert_allclose(values("PosSTD", belief), sd, rtol=1e-4, atol=1e-6)


def test_the_uncertain_arm_goes_farther_than_the_greedy_one(belief: Belief) -> None:
    """PosSTD takes the far end, where nothing is known; PosMean stays next to the best value."""
    grid = GRID.reshape(-1).numpy()
    assert grid[values("PosSTD", belief).argmax()] == 1.0
    assert abs(grid[values("PosMean", belief).argmax()] - 0.2) < 0.1


def test_thompson_draws_follow_the_posterior(belief: Belief, moments: Any) -> None:
    """Draws go through the data, differ by seed, and their spread is the posterior's."""
    mean, sd = moments
    draws = []
    for seed in range(100):
        torch.manual_seed(seed)
        draws.append(arm("TS").acquisition(belief)(GRID).detach().reshape(-1).numpy())
    assert np.abs(np.array(draws)[:, [0, 40, 80]] - [-1, 1, 0]).max() < 0.05
    assert np.std(draws, axis=0)[190] == pytest.approx(sd[190], rel=0.25)
    assert np.mean(draws, axis=0)[190] == pytest.approx(mean[190], abs=0.35)


def test_the_knowledge_gradient_equals_simulation(belief: Belief) -> None:
    """Conditioning the model on simulated values gives the same gain of the best mean."""
    x = torch.tensor([[0.7]], dtype=torch.double)
    grid = belief.candidates
    torch.manual_seed(1)
    posterior = belief.model.posterior(x, observation_noise=True)
    with torch.no_grad():
        now = belief.model.posterior(grid).mean.max()
        draws = posterior.rsample(torch.Size([400]))
        later = belief.model.condition_on_observations(
            x.expand(400, 1, 1), draws, noise=torch.full_like(draws, 1e-6)
        )
        gains = later.posterior(grid.expand(400, -1, -1)).mean.amax(dim=(-1, -2)) - now
    torch.manual_seed(0)
    ours = float(arm("KG").acquisition(belief)(x.unsqueeze(0)))
    assert ours == pytest.approx(float(gains.mean()), rel=0.25)


@pytest.mark.parametrize("name", ["KG", "PES", "JES", "MES"])
def test_information_arms_prefer_unknown_places(name: str, belief: Belief) -> None:
    """Nothing is learned where the value is known, something where it isn't."""
    found = values(name, belief)
    assert found[100:].max() > found[[0, 40, 80]].max() + 1e-3


def test_max_values_are_sampled_over_the_whole_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """MES sees candidates of the whole space in the user's bounds, far from the unit box too."""
    space = Space([Real("x", 1000, 3000), Real("y", -5, 5)])
    seen: list[np.ndarray] = []
    chosen = arm("MES")
    original = type(chosen).acquisition

    def watch(self: Any, belief: Belief) -> Any:
        seen.append(belief.candidates.numpy())
        return original(self, belief)

    monkeypatch.setattr(type(chosen), "acquisition", watch)
    optimizer = Optimizer(space, seed=0, initial=4, inner=SMALL)
    for _ in range(5):
        (suggestion,) = optimizer.ask("MES")
        optimizer.tell(suggestion.number, suggestion.point["x"] / 1000 + suggestion.point["y"])
    points = space.decode(seen[-1])
    x = [point["x"] for point in points]
    assert min(x) < 1010 and max(x) > 2990
    assert min(x) >= 1000 and max(x) <= 3000


@pytest.mark.parametrize("name", arms())
def test_minimising_f_equals_maximising_its_negative(name: str) -> None:
    """Every arm proposes the very same points for min f and for max -f."""
    space = Space([Real("x", -2, 2), Real("y", 0, 3)])
    points: list[list[Any]] = [[], []]
    for found, sign in zip(points, (1.0, -1.0), strict=True):
        optimizer = Optimizer(space, seed=4, minimise=sign > 0, initial=4, inner=SMALL)
        for _ in range(6):
            (suggestion,) = optimizer.ask(name)
            found.append(suggestion.point)
            assert "fallback" not in suggestion.diagnostics
            x, y = suggestion.point["x"], suggestion.point["y"]
            optimizer.tell(suggestion.number, sign * (math.sin(3 * x) + (y - 1) ** 2))
    assert points[0] == points[1]


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("name", arms())
def test_every_arm_works_on_mixed_spaces_in_batches(name: str, noisy: bool) -> None:
    """Integers, categories and pending points, exact or noisy: a real proposal, no fallback."""
    space = Space([Real("x", -2, 2), Integer("n", 0, 5), Category("c", ("u", "v"))])
    optimizer = Optimizer(space, seed=4, noisy=noisy, initial=6, inner=Inner(2, 32, 15))
    for suggestion in optimizer.ask(count=6):
        point = suggestion.point
        optimizer.tell(suggestion.number, point["x"] ** 2 + point["n"] + (point["c"] == "u"))
    batch = optimizer.ask(name, count=2)
    assert all("fallback" not in one.diagnostics for one in batch)
    assert all("acquisition" in one.diagnostics for one in batch)
    assert batch[0].point != batch[1].point


def test_every_arm_says_what_it_is_for() -> None:
    """A name, one sentence and a measured cost each; an unknown name gets a suggestion."""
    for name in arms():
        assert arm(name).name == name
        assert arm(name).help.endswith(".") and arm(name).help.count(". ") == 0
        assert arm(name).cost > 0
    with pytest.raises(InputError, match="LogEI"):
        arm("logei")
