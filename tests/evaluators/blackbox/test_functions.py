"""Benchmark black boxes against published optima and against the libraries themselves."""

import numpy as np
import pytest

from eurisko.evaluators import InputError
from eurisko.evaluators.blackbox import blackbox_names, get_blackbox, suite

PUBLISHED = {
    "branin": ((np.pi, 2.275), 0.397887),
    "hartmann6": ((0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573), -3.32237),
    "sixhumpcamel": ((0.0898, -0.7126), -1.0316),
    "easom": ((np.pi, np.pi), -1.0),
    "beale": ((3.0, 0.5), 0.0),
    "shekel": ((4.0, 4.0, 4.0, 4.0), -10.5363),
    "eggholder": ((512.0, 404.2319), -959.6407),
    "rosenbrock-4": ((1.0, 1.0, 1.0, 1.0), 0.0),
    "styblinskitang-4": ((-2.903534,) * 4, -39.16599 * 4),
    "cosine8": ((0.0,) * 8, 0.8),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_optima(name: str) -> None:
    """At the published optimum a function has the published value, and states it as its best."""
    place, value = PUBLISHED[name]
    function = get_blackbox(name)
    point = dict(zip((one.name for one in function.space.parameters), place, strict=True))
    assert function.evaluate(point).value == pytest.approx(value, abs=2e-3)
    assert function.optimum == pytest.approx(value, abs=2e-3)


@pytest.mark.parametrize("name", ["branin", "hartmann6", "cosine8", "easom", "ackley-10"])
def test_nothing_beats_the_optimum(name: str) -> None:
    """No point of a random sample is better than the stated optimum in the stated direction."""
    function = get_blackbox(name)
    rows = np.random.default_rng(0).random((200, function.space.columns))
    values = [function.evaluate(point).value for point in function.space.decode(rows)]
    sign = 1 if function.minimise else -1
    assert min(sign * v for v in values if v is not None) >= sign * function.optimum - 1e-9


def test_bbob_is_what_ioh_computes() -> None:
    """Values and optima are those of ioh itself, which the LMABO specification lists for f21."""
    ioh = pytest.importorskip("ioh", reason="needs ioh")
    function = get_blackbox("bbob-f21-5")
    theirs = ioh.get_problem(21, 1, 5, problem_class=ioh.ProblemClass.BBOB)
    for row in np.random.default_rng(1).uniform(-5, 5, (5, 5)):
        point = {f"x{i}": float(x) for i, x in enumerate(row, 1)}
        assert function.evaluate(point).value == theirs(row.tolist())
    assert function.optimum == pytest.approx(40.78, abs=0.005)
    at_best = dict(zip(("x1", "x2", "x3", "x4", "x5"), theirs.optimum.x, strict=True))
    assert function.evaluate(at_best).value == pytest.approx(function.optimum)


def test_tuning_is_cross_validation() -> None:
    """A tuning task's value is the error of scikit-learn's own cross-validation."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.datasets import load_wine
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    x, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(C=10.0, gamma=5e-4, tol=1e-3))
    expected = 1.0 - cross_val_score(model, x, y, cv=5).mean()
    task = get_blackbox("hpo-wine-svm")
    assert task.evaluate({"C": 10.0, "gamma": 5e-4, "tol": 1e-3}).value == pytest.approx(expected)
    kinds = {one.name: type(one).__name__ for one in get_blackbox("hpo-wine-mlp").space.parameters}
    assert kinds["batch_size"] == "Integer"
    assert kinds["alpha"] == "Real"


def test_suites_are_the_papers() -> None:
    """The suites hold fifty and ten problems, none in both; unknown names are helped along."""
    fifty = {one.name for one in suite("lmabo-50")}
    ten = {one.name for one in suite("lmabo-left-out")}
    assert (len(fifty), len(ten), fifty & ten) == (50, 10, set())
    assert fifty | ten <= set(blackbox_names())
    with pytest.raises(InputError, match="lmabo-50"):
        suite("lmabo50")
