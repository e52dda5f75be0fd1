"""Hyper-parameter tuning of scikit-learn models on its own data sets: deterministic, offline.

The tasks are those of LMABO's table (after Bayesmark), with two differences: declared logarithmic
scales are used, and integers are integers. Classification is scored by the error rate, regression by
the mean squared error over the variance of the target, both by 5-fold cross-validation.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .measurement import Measurement, Point

if TYPE_CHECKING:
    from ..bayesopt import Space

DATASETS = ("breast", "digits", "wine", "diabetes")
_TREE: dict[str, tuple[Any, ...]] = {
    "max_depth": (1, 15),
    "min_samples_split": (0.01, 0.99),
    "min_samples_leaf": (0.01, 0.49),
    "min_weight_fraction_leaf": (0.01, 0.49),
    "max_features": (0.01, 0.99),
    "min_impurity_decrease": (0.0, 0.5),
}
MODELS: dict[str, dict[str, tuple[Any, ...]]] = {
    "forest": _TREE,
    "tree": _TREE,
    "svm": {"C": (1.0, 1e3, "log"), "gamma": (1e-4, 1e-3, "log"), "tol": (1e-5, 1e-1, "log")},
    "adaboost": {"n_estimators": (10, 100), "learning_rate": (1e-4, 1e1, "log")},
    "mlp": {
        "hidden_layer_sizes": (50, 200),
        "alpha": (1e-5, 1e1, "log"),
        "batch_size": (10, 250),
        "learning_rate_init": (1e-5, 1e-1, "log"),
        "tol": (1e-5, 1e-1, "log"),
        "momentum": (0.001, 0.999),
    },
}
"""Parameters of each model: bounds (integers where both are), and "log" for a logarithmic scale."""


@dataclass(frozen=True)
class TuningTask:
    """One model on one data set; the value is an error, so it is minimised, and its optimum unknown."""

    dataset: str
    model: str
    minimise: bool = True
    optimum: float | None = None

    @property
    def name(self) -> str:
        """Such as ``hpo-wine-svm``."""
        return f"hpo-{self.dataset}-{self.model}"

    @cached_property
    def space(self) -> "Space":
        """The model's parameters."""
        from ..bayesopt import Integer, Real, Space

        parameters: list[Any] = []
        for name, (low, high, *scale) in MODELS[self.model].items():
            kind = Integer if isinstance(low, int) and isinstance(high, int) else Real
            parameters.append(kind(name, low, high, log=bool(scale)))
        return Space(parameters)

    def evaluate(self, point: Point) -> Measurement:
        """Return the cross-validated error; parameters that the model refuses are a failure."""
        import warnings

        from sklearn.model_selection import cross_val_score

        x, y = _data(self.dataset)
        scoring = "neg_mean_squared_error" if self.dataset == "diabetes" else "accuracy"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # models that do not converge are part of the task
            try:
                scores = cross_val_score(self._estimator(point), x, y, cv=5, scoring=scoring)
            except ValueError as error:
                return Measurement(None, message=str(error).splitlines()[0])
        mean = float(scores.mean())
        return Measurement.of(-mean / float(y.var()) if self.dataset == "diabetes" else 1.0 - mean)

    def _estimator(self, point: Point) -> Any:
        from sklearn import ensemble, neural_network, svm, tree
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        regression = self.dataset == "diabetes"
        more: dict[str, Any] = {} if self.model == "svm" else {"random_state": 0}
        if self.model == "forest":
            more["n_estimators"] = 10
        if self.model == "mlp":
            more |= {"solver": "sgd", "max_iter": 40}
        classes = {
            "forest": (ensemble.RandomForestClassifier, ensemble.RandomForestRegressor),
            "tree": (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor),
            "svm": (svm.SVC, svm.SVR),
            "adaboost": (ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor),
            "mlp": (neural_network.MLPClassifier, neural_network.MLPRegressor),
        }
        return make_pipeline(StandardScaler(), classes[self.model][regression](**point, **more))


@lru_cache(maxsize=len(DATASETS))
def _data(name: str) -> tuple[Any, Any]:
    try:
        from sklearn import datasets
    except ModuleNotFoundError as error:
        raise InputError(
            "Tuning tasks need the package scikit-learn: pip install 'eurisko[hpo]'."
        ) from error
    loader = "load_breast_cancer" if name == "breast" else f"load_{name}"
    x, y = getattr(datasets, loader)(return_X_y=True)
    return x, y


TASKS = tuple(TuningTask(dataset, model) for dataset in DATASETS for model in MODELS)
"""The twenty of LMABO's table."""
