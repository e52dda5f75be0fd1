"""Mutation suite: broken plans are rejected by the name of the rule that they break."""

import pytest
from routing_mutants import CASES

from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.constraints import VOCABULARY

MUTANTS = [(name, kind) for name, case in CASES.items() for kind in case.mutants]


def test_every_rule_has_six_kinds() -> None:
    """Each constraint of the vocabulary has at least six kinds of broken plan."""
    assert CASES.keys() == VOCABULARY.keys()
    assert min(len(case.mutants) for case in CASES.values()) >= 6


@pytest.mark.parametrize("name", CASES)
def test_good_plan(name: str) -> None:
    """The plan that the mutants come from is feasible."""
    case = CASES[name]
    assert check(case.instance, case.good, case.names).violations == ()


@pytest.mark.parametrize(("name", "kind"), MUTANTS, ids=lambda text: text.replace(" ", "_"))
def test_mutant(name: str, kind: str) -> None:
    """The broken plan is rejected by its rule, with words; without the rule's name it is not."""
    case = CASES[name]
    report = check(case.instance, case.mutants[kind], case.names)
    assert name in report.broken
    assert all(violation.message for violation in report.violations)
    if report.verdicts:
        assert report.verdicts[name].slack < 0
        others = check(case.instance, case.mutants[kind], case.names - {name})
        assert name not in others.broken
