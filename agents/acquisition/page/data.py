"""What the page of an optimisation shows, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ....evaluators.bayesopt import Optimizer
from ....knowledge_base import KnowledgeBase, Run
from ..report import Report, summarise
from ..settings import OptimisationSettings
from ..study import new_optimizer, told
from .importance import Importance, Slice, importances, slices


@dataclass(frozen=True)
class Arm:
    """How an acquisition function did: how often it was chosen, and how often it helped."""

    name: str
    chosen: int
    improved: int


@dataclass(frozen=True)
class PageData:
    """Everything on the page; ``trouble`` says why there is no model to show."""

    report: Report
    rows: list[dict[str, Any]]
    arms: list[Arm]
    importances: list[Importance]
    slices: list[Slice]
    trouble: str

    def to_json(self) -> dict[str, Any]:
        """Return what the charts draw."""
        return {
            "run": self.report.run.id,
            "optimum": self.report.optimum,
            "minimise": self.report.minimise,
            "rows": self.rows,
            "arms": [asdict(one) for one in self.arms],
            "importances": [asdict(one) for one in self.importances],
            "slices": [asdict(one) for one in self.slices],
        }


def collect(base: KnowledgeBase, run: Run) -> PageData:
    """Read an optimisation, finished or not.

    Raises:
        UnknownRun: the run is no optimisation.
    """
    report = summarise(base, run)
    rows = _rows(report)
    found, cuts, trouble = _model(base, run, report)
    return PageData(report, rows, _arms(rows), found, cuts, trouble)


def _rows(report: Report) -> list[dict[str, Any]]:
    """Return one row for each trial, with the incumbent after it and whether it became that."""
    rows: list[dict[str, Any]] = []
    before: float | None = None
    for trial, best in zip(report.trials, report.incumbents, strict=True):
        rows.append(
            {
                "number": trial.number,
                "phase": trial.phase,
                "arm": trial.arm or ("start" if trial.phase == "initial" else trial.phase),
                "source": trial.source,
                "reason": trial.reason,
                "status": trial.status,
                "value": trial.value,
                "best": best,
                "improved": trial.value is not None and best != before,
                "mean": trial.predicted_mean,
                "deviation": trial.predicted_deviation,
                "message": trial.message,
                "point": trial.point,
                "choice_s": trial.choice_s,
                "evaluation_s": trial.evaluation_s,
            }
        )
        before = best
    return rows


def _arms(rows: list[dict[str, Any]]) -> list[Arm]:
    chosen = [row for row in rows if row["source"]]
    names = dict.fromkeys(row["arm"] for row in chosen)
    arms = []
    for name in names:
        mine = [row for row in chosen if row["arm"] == name]
        arms.append(Arm(name, len(mine), sum(row["improved"] for row in mine)))
    return sorted(arms, key=lambda one: -one.chosen)


def _model(
    base: KnowledgeBase, run: Run, report: Report
) -> tuple[list[Importance], list[Slice], str]:
    """Return what the surrogate of the last state says, or why there is none."""
    best: Mapping[str, Any] | None = report.point
    if best is None:
        return [], [], "No evaluation gave a value, so there is no model."
    study = base.studies.get(run.id)
    optimizer = (
        new_optimizer(OptimisationSettings.model_validate(run.config))
        if study.optimizer is None
        else Optimizer.from_state(study.optimizer)
    )
    for trial in report.trials[: len(optimizer.trials)]:
        told(optimizer, trial)
    surrogate = optimizer.surrogate()
    if surrogate is None:
        return [], [], "There are too few values for a model yet."
    space = optimizer.space
    return importances(space, surrogate), slices(space, surrogate, best), ""
