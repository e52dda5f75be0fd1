"""What came of an optimisation: best point, convergence, choices, costs."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...knowledge_base import KnowledgeBase, Run, Trial
from ..running.budget import Spent
from .plot import convergence_plot
from .settings import OptimisationSettings
from .target import minimises, optimum_of


@dataclass(frozen=True)
class Report:
    """A run and its trials.

    Attributes:
        trials: by number.
        spent: requests to a model, tokens, US dollars.
        unread: answers of the model that could not be read.
        minimise: whether small values are good.
        optimum: the best possible value, where it is known.
    """

    run: Run
    trials: Sequence[Trial]
    spent: Spent
    unread: int
    minimise: bool
    optimum: float | None

    @property
    def best(self) -> Trial | None:
        """The trial of the best observed value."""
        sign = 1.0 if self.minimise else -1.0
        done = [one for one in self.trials if one.value is not None]
        return min(done, key=lambda one: sign * (one.value or 0.0), default=None)

    @property
    def point(self) -> dict[str, Any] | None:
        """The best point; None without a value."""
        return None if self.best is None else dict(self.best.point)

    @property
    def value(self) -> float | None:
        """The best value; None without one."""
        return None if self.best is None else self.best.value

    @property
    def incumbents(self) -> list[float | None]:
        """The best value after each trial."""
        best: list[float | None] = []
        pick = min if self.minimise else max
        for one in self.trials:
            known = [v for v in (best[-1] if best else None, one.value) if v is not None]
            best.append(pick(known) if known else None)
        return best

    @property
    def regret(self) -> float | None:
        """Distance of the best value from the optimum, where that is known."""
        if self.optimum is None or self.value is None:
            return None
        return abs(self.value - self.optimum)

    def result(self) -> dict[str, Any]:
        """Return the summary that is stored with the run."""
        chosen = [one for one in self.trials if one.source]
        return {
            "value": self.value,
            "point": self.point,
            "regret": self.regret,
            "evaluations": sum(one.status != "pending" for one in self.trials),
            "failed": sum(one.status == "failed" for one in self.trials),
            "arms": dict(Counter(one.arm for one in chosen).most_common()),
            "sources": dict(Counter(one.source for one in chosen).most_common()),
            "unread": self.unread,
        }

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON data."""
        names = ("number", "phase", "arm", "source", "reason", "status", "value", "noise")
        more = ("message", "point", "predicted_mean", "predicted_deviation")
        times = ("choice_s", "evaluation_s")
        return {
            "run": self.run.id,
            "workflow": "optimize",
            "target": self.run.problem,
            "strategist": self.run.config["strategist"],
            "model": self.run.config["model"],
            "seed": self.run.seed,
            "status": self.run.status,
            "status_reason": self.run.status_reason,
            "minimise": self.minimise,
            "budget": self.run.config["budget"],
            "optimum": self.optimum,
            **self.result(),
            "spent": {
                "calls": self.spent.calls,
                "tokens": self.spent.tokens,
                "usd": self.spent.usd,
            },
            "trials": [
                {name: getattr(one, name) for name in (*names, *more, *times)}
                for one in self.trials
            ],
            "folder": self.run.folder,
        }

    def write(self, folder: Path) -> None:
        """Write ``report.json`` and ``convergence.png`` into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.to_json(), indent=2, ensure_ascii=False)
        (folder / "report.json").write_text(text + "\n", encoding="utf-8")
        if self.value is not None:
            convergence_plot(self, folder / "convergence.png")


def summarise(base: KnowledgeBase, run: Run) -> Report:
    """Return the report of a run, finished or not.

    Raises:
        UnknownRun: the run is no optimisation.
    """
    study = base.studies.get(run.id)
    settings = OptimisationSettings.model_validate(run.config)
    return Report(
        run,
        base.studies.trials(run.id),
        Spent.of_run(base, run.id),
        int(study.memory.get("unread", 0)),
        minimises(settings),
        optimum_of(settings),
    )
