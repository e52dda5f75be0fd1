"""The analysis of a problem as it was changed: the file's words give way to the user's."""

from collections.abc import Iterable
from dataclasses import replace

from ....evaluators.routing import Reading
from ....evaluators.routing.analysis import Analysis, Inferred, analyse
from ..changes import RoutingTask
from ..changes.base import LOAD_RULES

_STATED = {"open_routes": ("open", "closed"), "load_rule": tuple(sorted(LOAD_RULES))}


def analyse_task(
    reading: Reading, task: RoutingTask, settled: Iterable[str], before: frozenset[str]
) -> Analysis:
    """Return the analysis of a changed problem; settled questions are gone.

    Args:
        reading: of the file.
        task: the problem as it stands.
        settled: keys of the questions that changes have answered.
        before: rules that the file itself shows.
    """
    answered = set(settled)
    headers = dict(reading.facts.headers)
    if "return" in answered:
        headers["open_routes"] = str("open" in task.names)
    rule = next(iter(sorted(task.names & LOAD_RULES)), None)
    if "load_rule" in answered and rule is not None:
        headers["load_rule"] = rule
    assumed = {
        key: reason
        for key, reason in reading.facts.assumed.items()
        if not (key == "rounding" and "rounding" in answered)
    }
    facts = replace(reading.facts, headers=headers, assumed=assumed, rounding=task.rounding)
    analysis = analyse(Reading(task.instance, facts))
    said: set[str] = {name for name in ("return", "load_rule") if name in answered}
    constraints = tuple(
        _labelled(one, before, said) for one in analysis.constraints if one.name in task.names
    )
    questions = tuple(one for one in analysis.questions if one.key not in answered)
    return replace(analysis, constraints=constraints, questions=questions)


def _labelled(one: Inferred, before: frozenset[str], said: set[str]) -> Inferred:
    """Say that a rule comes from the user where it does."""
    stated = {"open": "return", "closed": "return", **dict.fromkeys(LOAD_RULES, "load_rule")}
    if stated.get(one.name) in said:
        return Inferred(one.name, "you said so", "answer")
    return one if one.name in before else replace(one, source="change")
