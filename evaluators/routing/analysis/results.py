"""What the analysis of a file returns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ..instance import RoutingError
from ..reading import Reading


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # no plan can be right, or the file does not mean what it says
    WARNING = "warning"  # probably a mistake
    NOTE = "note"  # worth knowing


@dataclass(frozen=True)
class Finding:
    """A contradiction or a peculiarity; ``nodes`` are the names concerned, at most ten."""

    severity: Severity
    topic: str
    message: str
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inferred:
    """A constraint with what shows it; ``source`` is data, header, comment, or assumed."""

    name: str
    evidence: str
    source: str


@dataclass(frozen=True)
class Question:
    """What data cannot show. ``effects`` maps each option to the rules that it brings in."""

    key: str
    text: str
    options: tuple[str, ...]
    default: str
    reason: str
    effects: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Analysis:
    """Fields, constraints with evidence, contradictions, and questions of one file."""

    reading: Reading
    fields: tuple[tuple[str, str], ...]  # name, meaning
    constraints: tuple[Inferred, ...]
    findings: tuple[Finding, ...]
    questions: tuple[Question, ...]

    @property
    def names(self) -> frozenset[str]:
        """Names of the constraints, with the default answers."""
        return frozenset(inferred.name for inferred in self.constraints)

    def answered(self, answers: Mapping[str, str]) -> "Analysis":
        """Return the analysis with questions answered; those questions are gone.

        Raises:
            RoutingError: no such question, or no such option.
        """
        asked = {question.key: question for question in self.questions}
        constraints = list(self.constraints)
        for key, option in answers.items():
            if key not in asked:
                raise RoutingError(f"there is no question {key!r}; there are {sorted(asked)}.")
            question = asked[key]
            if option not in question.options:
                raise RoutingError(f"{key}: {option!r} is none of {', '.join(question.options)}.")
            removed = {name for names in question.effects.values() for name in names}
            constraints = [one for one in constraints if one.name not in removed]
            constraints += [
                Inferred(name, f"the answer to {key!r}: {option}", "answer")
                for name in question.effects.get(option, ())
            ]
        left = tuple(question for question in self.questions if question.key not in answers)
        return replace(self, constraints=tuple(constraints), questions=left)
