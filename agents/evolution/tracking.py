"""Logs a run to MLflow: settings, metrics of each generation, and what it found."""

from types import TracebackType
from typing import Any

from ...evaluators import InputError, get_problem
from ...knowledge_base import KnowledgeBase
from .events import EventKind, Progress
from .report import summarise


class MlflowListener:
    """A listener of ``evolve`` that fills one MLflow run; used as a context manager.

    Args:
        base: where the run is kept; settings and the best program are read there.
        tracking_uri: of the MLflow server or store; default: MLflow's own (``MLFLOW_TRACKING_URI``).
        experiment: name of the MLflow experiment, made where it is missing.

    Raises:
        InputError: MLflow is not installed.
    """

    def __init__(
        self, base: KnowledgeBase, tracking_uri: str | None = None, experiment: str = "eurisko"
    ) -> None:
        try:
            from mlflow import MlflowClient
        except ModuleNotFoundError as error:
            raise InputError("MLflow is not installed: pip install 'eurisko[mlflow]'.") from error
        self._base = base
        self._client: Any = MlflowClient(tracking_uri)
        found = self._client.get_experiment_by_name(experiment)
        self._experiment = (
            self._client.create_experiment(experiment) if found is None else found.experiment_id
        )
        self._id: str | None = None
        self._logged = -1

    @property
    def run_id(self) -> str | None:
        """Id of the MLflow run; None before the evolution has started."""
        return self._id

    def __call__(self, kind: EventKind, progress: Progress) -> None:
        """Hear an event of the run."""
        if self._id is None and progress.run:
            self._start(progress.run)
        if kind == "selected" and len(progress.history) - 1 > self._logged:
            self._logged = len(progress.history) - 1
            self._metrics(progress)
        elif kind == "finished":
            self._finish(progress)

    def __enter__(self) -> "MlflowListener":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._id is not None:
            status = "FINISHED" if kind is None else "FAILED"
            self._client.set_terminated(self._id, status)
            self._id = None

    def _start(self, name: str) -> None:
        run = self._base.get_run(name)
        made = self._client.create_run(self._experiment, run_name=name)
        self._id = made.info.run_id
        for key, value in {"problem": run.problem, "seed": run.seed, **flat(run.config)}.items():
            self._client.log_param(self._id, key, value)

    def _metrics(self, progress: Progress) -> None:
        numbers = {
            "best": progress.best,
            "mean": progress.mean,
            "candidates": progress.candidates,
            "evaluations": progress.evaluations,
            "failed": sum(progress.failures.values()),
            "model_calls": progress.calls,
            "tokens": progress.tokens,
            "usd": progress.usd,
        }
        for name, value in numbers.items():
            if value is not None:
                self._client.log_metric(self._id, name, float(value), step=self._logged)

    def _finish(self, progress: Progress) -> None:
        run = self._base.get_run(progress.run)
        best = summarise(self._base, run, get_problem(run.problem)).best
        if best is not None:
            (candidate,) = self._base.candidates([best.id])
            self._client.log_text(self._id, candidate.code, "best.py")


def flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings as one level, with dots in their names."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found
