"""What a solver is created for; stored with the run, so that it can go on."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....evaluators.routing import Reading, parse_routing
from ....evaluators.routing.analysis import Analysis, Inferred, analyse
from ....evaluators.routing.analysis.results import Finding, Severity
from ....evaluators.routing.generated import GeneratedRule
from ....evaluators.routing.objectives import Objective
from ....evaluators.routing.read import FORMATS
from ....evaluators.routing.rounding import ROUNDINGS
from ....knowledge_base import Run
from ..description import Description, describe
from .errors import CreationError
from .ruled import with_rules

COST = Objective()
INSTANCE = "instance.txt"
"""The user's file, in the run's folder: what a resumed run reads."""


@dataclass(frozen=True)
class Task:
    """What a solver is created for.

    Args:
        text: the instance file's text.
        reading: what our reader made of it.
        analysis: of the reading, its questions answered or at their defaults.
        objective: what is minimised.
        rules: confirmed rules outside the vocabulary; answers are then checked by generated rules.
    """

    text: str
    reading: Reading
    analysis: Analysis
    objective: Objective = COST
    rules: tuple[GeneratedRule, ...] = ()

    def described(self) -> Description:
        """Return the description by analysis alone, generated rules included."""
        given = describe(self.analysis, self.objective)
        return with_rules(given, self.rules)

    def plain(self) -> dict[str, Any]:
        """Return what is stored of it beside the file."""
        facts = self.reading.facts
        return {
            "format": facts.format,
            "rounding": facts.rounding,
            "constraints": [[o.name, o.evidence, o.source] for o in self.analysis.constraints],
            "findings": [
                [str(one.severity), one.topic, one.message, list(one.nodes)]
                for one in self.analysis.findings
            ],
            "objective": [list(map(list, level)) for level in self.objective.levels],
            "rules": [rule.model_dump(mode="json") for rule in self.rules],
        }

    @classmethod
    def of_file(cls, path: str | Path, **options: Any) -> "Task":
        """Read and analyse a file; questions keep their default answers.

        Raises:
            RoutingError: the file cannot be read.
        """
        from ....evaluators.routing import read_routing

        reading = read_routing(path, **options)
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        return cls(text, reading, analyse(reading))


def stored_task(run: Run) -> Task:
    """Return the task of a stored run, with the constraints that were settled then."""
    path = Path(run.folder) / INSTANCE
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CreationError(
            f"Run {run.id} cannot go on: its instance file {path} is gone ({error.strerror})."
        ) from error
    form = run.config["format"]
    form = form if form in FORMATS else "auto"
    reading = parse_routing(text, path, form=form, **_rounding(run.config))
    analysis = _as_stored(analyse(reading), run.config)
    levels = tuple(tuple((n, w) for n, w in level) for level in run.config["objective"])
    rules = tuple(GeneratedRule.model_validate(one) for one in run.config.get("rules", ()))
    return Task(text, reading, analysis, Objective(levels), rules)


def _rounding(config: dict[str, Any]) -> dict[str, str]:
    """Return the reader's option; only Euclidean distances have a rounding to choose."""
    chosen = config["format"] == "vrplib" and config["rounding"] in ROUNDINGS
    return {"rounding": config["rounding"]} if chosen else {}


def _as_stored(analysis: Analysis, config: dict[str, Any]) -> Analysis:
    """Return the analysis with the constraints and findings that the run began with, word by word.

    Prompts show them: a resumed run must ask in the same words, or it asks everything again.
    """
    constraints = tuple(Inferred(*one) for one in config["constraints"])
    findings = tuple(
        Finding(Severity(severity), topic, message, tuple(nodes))
        for severity, topic, message, nodes in config["findings"]
    )
    return replace(analysis, constraints=constraints, findings=findings, questions=())
